/** Installs the packages of `bun.lock`, for `bun run start` and `bun run test`. Says so where none are there, since that takes a while. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
const isFirst = !existsSync(join(root, "node_modules"));
if (isFirst) console.error("installing packages; the next start takes milliseconds …");
// Bun shows its progress on a terminal
const output = isFirst && process.stderr.isTTY && !process.env.NO_COLOR ? [] : ["--silent"];
const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", ...output], {
  cwd: root,
  stdio: ["inherit", "inherit", "inherit"],
});
process.exitCode = exitCode;
