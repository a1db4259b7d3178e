/** The entry point: signs in with the token of a link, loads the project's model, and renders the page. */
// imported first: its request is pending while the rest of the code is evaluated
import "./first-start.ts";
import { render } from "preact";
import { firstPaint } from "./first-paint.ts";
import { followServer } from "./follow-server.ts";
import { keepFocus } from "./keep-focus.ts";
import { firstRowsReady } from "./list/first-rows.ts";
import { followTitle } from "./page-title.ts";
import { followLinks } from "./router.ts";
import { openSession } from "./session.ts";
import { App } from "./shell/app.tsx";

/** A server that takes longer to respond gets a page with a loading bar; otherwise the page is rendered once. */
const MAX_WAIT_MS = 100;

const show = (): void => render(<App />, document.getElementById("app")!);

/** The document names its icon without loading it. */
function showIcon(): void {
  const link = document.querySelector<HTMLLinkElement>('link[rel="icon"]')!;
  link.href = new URL(link.dataset.href!, import.meta.url).href;
}

followLinks();
followTitle();
keepFocus();
const timer = setTimeout(show, MAX_WAIT_MS);
void openSession(firstRowsReady)
  .then(() => {
    clearTimeout(timer);
    show();
    return firstPaint();
  })
  .then(() => {
    showIcon();
    // its first event reports what changed until then
    followServer();
  });
