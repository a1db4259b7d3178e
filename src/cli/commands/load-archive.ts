/** `galley load-archive`: started by `galley serve URL` for each archive; takes its work from messages. */
import { ProjectError } from "../../errors.ts";
import type { FromLoader, ToLoader } from "../../server/published/load.ts";
import { asProjectError } from "../../storage/problems.ts";
import { type Command, UsageError } from "../command.ts";

const LOADER_NICENESS = 5;

async function load(task: ToLoader): Promise<FromLoader> {
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
  // requests are answered at the same time
  const { setPriority } = require("node:os") as typeof import("node:os");
  setPriority(LOADER_NICENESS);
  const isDone = Promise.withResolvers<void>();
  process.on("message", (task: ToLoader) => {
    load(task)
      .then((answer) => process.send?.(answer, undefined, undefined, () => process.exit(0)))
      .catch(isDone.reject);
  });
  // the server stops its loader itself
  process.on("SIGINT", () => {});
  process.on("disconnect", () => process.exit(1));
  await isDone.promise;
  return undefined;
}

export const loadArchive: Command = {
  name: "load-archive",
  summary: "Load an archive for a server",
  usage: "",
  maxArguments: 0,
  options: {},
  hidden: true,
  run: runLoadArchive,
};
