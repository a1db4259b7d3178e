import { resolve } from "node:path";
import { createApp } from "../server/app.ts";
import { listen } from "../server/listen.ts";
import { openProject } from "../server/project.ts";
export async function run(args: string[]): Promise<void> {
  const root = resolve(args[1] ?? ".");
  const port = Number(args[args.indexOf("--port") + 1]);
  const project = openProject(root, { memory: false, publicRead: false, environment: process.env });
  listen(createApp(project), { port, host: "localhost" });
}
