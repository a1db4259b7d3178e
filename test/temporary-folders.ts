import { readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

function listNames(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return []; // a file, or another process has removed it
  }
}

/** The folders of a name that processes of Galley have at the moment. */
export const temporaryFolders = (name: string): readonly string[] =>
  listNames(tmpdir())
    .filter((parent) => parent.startsWith("galley-"))
    .flatMap((parent) => listNames(join(tmpdir(), parent)).map((folder) => `${parent}/${folder}`))
    .filter((path) => path.includes(`/${name}-`));
