#!/usr/bin/env bun
/** The command line's entry, and in the one executable also that of its worker. */
import { run } from "./cli/run.ts";

if (Bun.isMainThread) {
  const code = await run(process.argv.slice(2), process.env);
  if (code !== undefined) process.exit(code);
} else require("./media/pictures/worker.ts");
