#!/usr/bin/env node
"use strict";
/**
 * The command `galley` of the npm package: runs the executable in its place. Plain JavaScript for every Node.js that npm runs on, and
 * for Bun.
 */
const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const { installedExecutable } = require("./executable.cjs");

/** Runs the executable; this process ends as it does. */
function run(executable, args, system) {
  let child;
  // before there is an executable: a signal in between would end this process alone
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
    system.on(signal, () => child.kill(signal));
  }
  // the executable ends with this process, also if that is killed, as process managers do
  const env = { ...system.env, BUN_FEATURE_FLAG_NO_ORPHANS: "1" };
  child = spawn(executable, args, { stdio: "inherit", env });
  child.on("error", (error) => {
    console.error(`galley: ${executable} cannot be run: ${error.message}`);
    system.exit(1);
  });
  child.on("exit", (code, signal) => system.exit(code === null ? 128 + (constants.signals[signal] || 0) : code));
}

function main() {
  let executable;
  try {
    executable = installedExecutable();
  } catch (error) {
    console.error(`galley: ${error.message}`);
    process.exit(1);
  }
  run(executable, process.argv.slice(2), process);
}

main();
