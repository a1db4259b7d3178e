/** Starts the page: signs in with the token of a link, loads what the server says about the project, and shows it. */
// the first request is under way while the rest of the code is evaluated
import "./first-start.ts";
import { render } from "preact";
import { keepFocus } from "./keep-focus.ts";
import { prefetchFirstRows } from "./list/first-rows.ts";
import { followLinks } from "./router.ts";
import { openSession } from "./session.ts";
import { App } from "./shell/app.tsx";

const IDLE_MS = 1_000;

/** Once what is first shown has been drawn. */
function whenIdle(run: () => void): void {
  // Safari has none
  if ("requestIdleCallback" in window) window.requestIdleCallback(run, { timeout: IDLE_MS });
  else setTimeout(run, IDLE_MS);
}

followLinks();
keepFocus();
render(<App />, document.getElementById("app")!);
void openSession(prefetchFirstRows);
// what it has missed until then, it hears with its first event
whenIdle(() => void import("./follow-server.ts").then(({ followServer }) => followServer()));
