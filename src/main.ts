#!/usr/bin/env bun
/** The command line's entry. */
import { run } from "./cli/run.ts";

await run(process.argv.slice(2));
