/** `galley load-archive`: the child process in which `galley serve URL` loads an archive. It gets its task as a message. */

import { asProjectError } from "../../engine/storage/problems.ts";
import { ProjectError } from "../../lib/errors.ts";
import type { LoadResult, LoadTask } from "../../server/published/load.ts";
import { type Command, UsageError } from "../command.ts";
import { exitProcess } from "../safety-net.ts";

const LOADER_NICENESS = 5;

async function load(task: LoadTask): Promise<LoadResult> {
  const { loadArchive } = require("../../server/published/load.ts") as typeof import("../../server/published/load.ts");
  try {
    return { kind: "loaded", source: await loadArchive(task) };
  } catch (error) {
    const problem = asProjectError(error, "the temporary folder");
    if (problem instanceof ProjectError) return { kind: "refused", problems: problem.problems };
    throw problem;
  }
}

async function runLoadArchive(): Promise<undefined> {
  if (!process.send) throw new UsageError("this is started by galley serve");
  // the server handles requests at the same time
  const { setPriority } = require("node:os") as typeof import("node:os");
  setPriority(LOADER_NICENESS);
  const failure = Promise.withResolvers<void>();
  process.on("message", (task: LoadTask) => {
    load(task)
      .then((result) => process.send?.(result, undefined, undefined, () => exitProcess(0)))
      .catch(failure.reject);
  });
  // Ctrl+C reaches all processes of the terminal; the server stops this one
  process.on("SIGINT", () => {});
  process.on("disconnect", () => exitProcess(1));
  await failure.promise;
  return undefined;
}

export const loadArchive: Command = {
  name: "load-archive",
  summary: "Load an archive for a server",
  hidden: true,
  run: runLoadArchive,
};
