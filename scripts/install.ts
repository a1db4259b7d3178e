/** Installs the packages of `bun.lock`, for `bun run start` and `bun run test`. Says so where none are there, since that takes a while. */
import { existsSync } from "node:fs";
import { join } from "node:path";

const root = join(import.meta.dir, "..");
if (!existsSync(join(root, "node_modules"))) console.error("installing packages; the next start takes milliseconds …");
const { exitCode } = Bun.spawnSync([process.execPath, "install", "--frozen-lockfile", "--silent"], {
  cwd: root,
  stdio: ["inherit", "inherit", "inherit"],
});
process.exitCode = exitCode;
