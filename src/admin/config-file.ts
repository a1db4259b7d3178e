/** Changes of `config/galley.json`, which owns what the reference keeps in its database. */
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { GalleySettings } from "../config/galley-file.ts";
import { ApiError } from "../errors.ts";
import type { AdminServices } from "./services.ts";

const FILE = "config/galley.json";
const CODE = ["js", "ts", "cjs", "mjs"];

/**
 * Writes the file and has it served. Throws an ApplicationError where settings are not this file's, and with what keeps the
 * changed file from being served; it is as it was then.
 */
export async function changeConfig(
  { root, reload }: Pick<AdminServices, "root" | "reload">,
  change: (settings: GalleySettings) => GalleySettings,
): Promise<void> {
  const path = join(root, FILE);
  const code = CODE.map((ext) => `config/galley.${ext}`).find((file) => existsSync(join(root, file)));
  if (code) throw new ApiError("ApplicationError", `These settings come from ${code}: change them there`);
  if (!reload) {
    const reason = "the project is an archive, in memory, or served by several processes";
    throw new ApiError("ApplicationError", `${FILE} cannot be changed here: ${reason}`);
  }
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  const settings = JSON.parse((before ?? "{}").replace(/^\uFEFF/, "")) as GalleySettings;
  const write = (text: string | undefined): void => {
    if (text === undefined) return rmSync(path, { force: true });
    mkdirSync(dirname(path), { recursive: true });
    const temporary = `${path}.${process.pid}.tmp`;
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  };
  write(`${JSON.stringify(change(settings), undefined, 2)}\n`);
  const problem = await reload();
  if (problem === undefined) return;
  write(before);
  await reload();
  throw new ApiError("ApplicationError", problem.message);
}
