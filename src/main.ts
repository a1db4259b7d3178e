#!/usr/bin/env bun
import { run } from "./cli/run.ts";
/** The entry point of the command line, and in the executable also of its workers. */
import { exitProcess } from "./lib/process-exit.ts";

if (Bun.isMainThread) {
  const code = await run(process.argv.slice(2), { ...process.env });
  if (code !== undefined) exitProcess(code);
} else require("./engine/media/images/worker.ts");
