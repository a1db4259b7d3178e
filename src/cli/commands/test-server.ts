/**
 * `galley test-server`: a project and its branches, for tests in any language. Without a port it is the child process of
 * `galley-cms/test` on Node.js, and gets its tasks as messages.
 */

import { resolve } from "node:path";
import { toTime } from "../../lib/clock.ts";
import { findArchive } from "../archive-source.ts";
import { type Command, type CommandCall, portOption, UsageError } from "../command.ts";
import { findProject, projectFolder } from "../project-folder.ts";
import { listenOrExplain } from "../serve/listen-or-explain.ts";
import { parsePort } from "../serve/options.ts";
import { exitWhenRead } from "../server-console.ts";
import { takeMessages } from "./child-processes.ts";

const DEFAULT_PORT = 1337;

/** Serves the tests of the process that has started this one. */
function answerMessages(): void {
  const { createTestServer } = require("../../testing/server.ts") as typeof import("../../testing/server.ts");
  const server = createTestServer((message) => void process.send?.(JSON.stringify(message)));
  const end = (): void => void server.close().finally(() => exitWhenRead(0));
  takeMessages(server.handleMessage, end);
  process.on("SIGTERM", end);
}

async function listenForTests(call: CommandCall): Promise<void> {
  const { environment, arguments: given } = call;
  const port = parsePort(call.text("port"), "--port") ?? parsePort(environment.PORT, "PORT") ?? DEFAULT_PORT;
  const root = resolve(given[0] ?? findProject(process.cwd()) ?? ".");
  const archive = findArchive(root, call.text("key"));
  const { createGalley } = require("../../index.ts") as typeof import("../../index.ts");
  const { createBranchServer } =
    require("../../testing/branch-server.ts") as typeof import("../../testing/branch-server.ts");
  const now = call.text("now");
  if (now !== undefined && Number.isNaN(toTime(now))) throw new UsageError(`--now is not a valid time: ${now}`);
  const galley = await createGalley({
    ...(archive ? { archive: root, key: archive.key } : { project: projectFolder(given[0]) }),
    publicRead: call.flag("public"),
    admin: call.flag("admin"),
    now,
    seed: call.text("seed"),
    environment,
  });
  const server = createBranchServer(galley);
  const listening = listenOrExplain(server, { port, host: "localhost" });
  const url = `http://localhost:${listening.port}`;
  server.setAddress(url);
  const end = async (): Promise<void> => {
    await listening.stop();
    await server.close();
    await exitWhenRead(0);
  };
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, end);
  call.print(`Tests: ${url}, branches: POST ${url}/_branches`);
}

async function runTestServer(call: CommandCall): Promise<undefined> {
  if (process.send && call.text("port") === undefined) answerMessages();
  else await listenForTests(call);
  return undefined;
}

export const testServer: Command = {
  name: "test-server",
  summary: "Serve a project for tests in any language, with a branch for each",
  usage: "[project | archive]",
  options: {
    port: portOption,
    public: { type: "boolean", summary: "Let everybody read every content-type" },
    admin: { type: "boolean", summary: "Serve the admin page and its routes" },
    now: {
      type: "string",
      value: "time",
      summary: "The time of the first write; each later one is a millisecond later",
    },
    seed: { type: "string", value: "text", summary: "A seed for ids, file names and documents that are made" },
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
  },
  isServer: true,
  run: runTestServer,
};
