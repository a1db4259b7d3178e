#!/usr/bin/env bun
/** The entry point of the command line, and in the executable also of its workers. */
import { run } from "./cli/run.ts";
import { exitWhenRead } from "./cli/server-console.ts";

if (Bun.isMainThread) {
  const code = await run(process.argv.slice(2), { ...process.env });
  if (code !== undefined) await exitWhenRead(code);
} else require("./engine/media/images/worker.ts");
