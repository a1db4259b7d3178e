/** Starts the page: signs in with the token of a link, loads what the server says about the project, and shows it. */
import { render } from "preact";
import { followLinks } from "./router.ts";
import { openSession } from "./session.ts";
import { App } from "./shell/app.tsx";

followLinks();
render(<App />, document.getElementById("app")!);
void openSession();
void import("./follow-server.ts").then(({ followServer }) => followServer());
