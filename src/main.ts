#!/usr/bin/env bun
/** The entry point of the command line, and in the executable also of its workers. */
import { run } from "./cli/run.ts";

if (Bun.isMainThread) {
  const code = await run(process.argv.slice(2), process.env);
  if (code !== undefined) process.exit(code);
} else require("./media/images/worker.ts");
