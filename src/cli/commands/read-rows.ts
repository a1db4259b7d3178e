/** `galley read-rows`: started by `galley serve` for statements that take long; takes its work from messages. */

import type { ReaderRequest } from "../../server/readers/messages.ts";
import { type Command, UsageError } from "../command.ts";
import { exitProcess } from "../safety-net.ts";

const READER_NICENESS = 5;

async function runReadRows(): Promise<undefined> {
  if (!process.send) throw new UsageError("this is started by galley serve");
  const { createReader } = require("../../server/readers/reader.ts") as typeof import("../../server/readers/reader.ts");
  // requests are answered at the same time
  const { setPriority } = require("node:os") as typeof import("node:os");
  setPriority(READER_NICENESS);
  const read = createReader();
  process.on("message", (message: ReaderRequest) => process.send?.(read(message)));
  // the server ends its readers itself
  process.on("SIGINT", () => {});
  process.on("disconnect", () => exitProcess(0));
  return undefined;
}

export const readRows: Command = {
  name: "read-rows",
  summary: "Read a large database for a server",
  hidden: true,
  run: runReadRows,
};
