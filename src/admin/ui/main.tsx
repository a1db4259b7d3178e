/** Starts the page: signs in with the token of a link, loads what the server says about the project, and shows it. */
// the first request is under way while the rest of the code is evaluated
import "./first-start.ts";
import { render } from "preact";
import { prefetchFirstRows } from "./list/first-rows.ts";
import { followLinks } from "./router.ts";
import { openSession } from "./session.ts";
import { App } from "./shell/app.tsx";

followLinks();
render(<App />, document.getElementById("app")!);
void openSession(prefetchFirstRows);
void import("./follow-server.ts").then(({ followServer }) => followServer());
