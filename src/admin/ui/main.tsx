/** The entry point: signs in with the token of a link, loads the project's model, and renders the page. */
// imported first: its request is pending while the rest of the code is evaluated
import "./first-start.ts";
import { render } from "preact";
import { keepFocus } from "./keep-focus.ts";
import { firstRowsReady } from "./list/first-rows.ts";
import { followLinks } from "./router.ts";
import { openSession } from "./session.ts";
import { App } from "./shell/app.tsx";

const IDLE_MS = 1_000;

/** Runs after the first rendering. */
function whenIdle(run: () => void): void {
  // Safari does not have it
  if ("requestIdleCallback" in window) window.requestIdleCallback(run, { timeout: IDLE_MS });
  else setTimeout(run, IDLE_MS);
}

followLinks();
keepFocus();
render(<App />, document.getElementById("app")!);
void openSession(firstRowsReady).then(() =>
  // its first event reports what changed until then
  whenIdle(() => void import("./follow-server.ts").then(({ followServer }) => followServer())),
);
