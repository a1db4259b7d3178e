/** Reads JSON files of a project. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf, ProjectError } from "./errors.ts";
import { locatedJsonProblem } from "./json-syntax.ts";

function readText(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch (cause) {
    throw new ProjectError(file, undefined, `cannot be read (${messageOf(cause)})`);
  }
}

/** `file`: below `root`. Throws a ProjectError that names it. A byte order mark, which some editors write, is ignored. */
export function readProjectJson(root: string, file: string): unknown {
  const text = readText(root, file).replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProjectError(file, undefined, `is not valid JSON (${locatedJsonProblem(text) ?? messageOf(cause)})`);
  }
}
