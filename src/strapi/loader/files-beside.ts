/** The files beside one of the code, in which functions that it calls may be. */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { CodeKind } from "./code-files.ts";
import type { CodeBundle } from "./load.ts";
import { codeFiles } from "./registered-fields.ts";

/** Parts of `src` with hooks of their own, or without any. */
const OTHER_FOLDERS = ["api", "plugins"];

export const findFile = ({ code }: CodeBundle, kind: CodeKind, owner?: string): string | undefined =>
  code.files.find((file) => file.kind === kind && file.owner === owner)?.file;

/** Whether a file in the same folder, or below, matches. */
export function isMentionedBeside({ loading }: CodeBundle, file: string | undefined, pattern: RegExp): boolean {
  if (file === undefined) return false;
  const { app } = loading.strapi.dirs as { readonly app: { readonly root: string } };
  const folder = dirname(file);
  return codeFiles(join(app.root, folder), folder === "src" ? OTHER_FOLDERS : []).some((path) =>
    pattern.test(readFileSync(path, "utf8")),
  );
}
