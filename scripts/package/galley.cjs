#!/usr/bin/env node
"use strict";
/**
 * The command `galley` of the npm package: finds the executable, which is in a package of its own for each platform, and
 * runs it in its place. Plain JavaScript for every Node.js that npm runs on, and for Bun.
 */
const { spawn } = require("node:child_process");
const { existsSync, readdirSync } = require("node:fs");
const { constants } = require("node:os");
const { join } = require("node:path");

/** Whether the C library of this Linux is musl. */
function usesMusl(system) {
  if (system.report) {
    // reading the network interfaces takes seconds on some machines
    system.report.excludeNetwork = true;
    if (system.report.getReport().header.glibcVersionRuntime) return false;
  }
  return existsSync("/lib") && readdirSync("/lib").some((name) => name.startsWith("ld-musl-"));
}

/** The platform's name in the table; undefined where Galley has no executable. `system` is a `process`. */
function platformOf(platforms, system, isMusl = usesMusl) {
  const names = Object.keys(platforms).filter(
    (name) => platforms[name].os === system.platform && platforms[name].cpu === system.arch,
  );
  if (names.length < 2) return names[0];
  const libc = isMusl(system) ? "musl" : "glibc";
  return names.find((name) => platforms[name].libc === libc);
}

/** The executable's path. Throws an Error that says what to do. `find` is `require.resolve`. */
function executableOf(platforms, system, find, isMusl = usesMusl) {
  const name = platformOf(platforms, system, isMusl);
  if (name === undefined) {
    const known = Object.keys(platforms).join(", ");
    throw new Error(`there is no executable for ${system.platform} on ${system.arch}; there are some for ${known}`);
  }
  const packageName = `galley-cms-${name}`;
  const file = system.platform === "win32" ? "galley.exe" : "galley";
  try {
    return join(find(`${packageName}/package.json`), "..", file);
  } catch {
    throw new Error(
      `the package ${packageName} is missing. It has the executable for this machine, and is an optional dependency of
galley-cms: install again without --omit=optional (--no-optional, --ignore-optional). Where node_modules or a lock file
was made on another system, remove both and install again, or add the package: npm install ${packageName}`,
    );
  }
}

/** The executable of this machine's package. Throws an Error that says what to do. */
const installedExecutable = () => executableOf(require("./platforms.json").platforms, process, require.resolve);

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

module.exports = { executableOf, installedExecutable, platformOf, run };
if (require.main === module) main();
