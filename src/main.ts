#!/usr/bin/env bun
/** The command line's entry. */
import { run } from "./cli/run.ts";

const code = await run(process.argv.slice(2), process.env);
if (code !== undefined) process.exit(code);
