"use strict";
/**
 * Finds the executable of the npm package, which is in a package of its own for each platform: for the command, and for tests. Plain
 * JavaScript for every Node.js that npm runs on, and for Bun; without a shebang, which Vitest's pools of virtual machines do not parse.
 */
const { existsSync, readdirSync } = require("node:fs");
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

module.exports = { executableOf, installedExecutable, platformOf };
