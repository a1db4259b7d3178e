/** `galley test-server`: the child process of `galley-cms/test` on Node.js. It gets its tasks as messages. */

import { type Command, UsageError } from "../command.ts";
import { exitProcess } from "../safety-net.ts";

async function runTestServer(): Promise<undefined> {
  if (!process.send) throw new UsageError("this is started by galley-cms/test");
  const { createTestServer } = require("../../testing/server.ts") as typeof import("../../testing/server.ts");
  const server = createTestServer((message) => void process.send?.(message));
  process.on("message", server.handleMessage);
  // Ctrl+C reaches all processes of the terminal; the test stops this one
  process.on("SIGINT", () => {});
  const end = (): void => void server.close().finally(() => exitProcess(0));
  process.on("SIGTERM", end);
  // exit when the test's process exits
  process.on("disconnect", end);
  return undefined;
}

export const testServer: Command = {
  name: "test-server",
  summary: "Serve a project for a test on Node.js",
  usage: "",
  maxArguments: 0,
  options: {},
  hidden: true,
  run: runTestServer,
};
