/** Reads JSON files of a project. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorMessage, ProjectError, type ProjectReport } from "./errors.ts";
import { locatedJsonProblem } from "./json-syntax.ts";

function readText(root: string, file: string): string {
  try {
    return readFileSync(join(root, file), "utf8");
  } catch (cause) {
    throw new ProjectError(file, undefined, `cannot be read (${errorMessage(cause)})`);
  }
}

/** `file`: below `root`. Throws a ProjectError that names it. A byte order mark, which some editors write, is ignored. */
export function readProjectJson(root: string, file: string): unknown {
  const text = readText(root, file).replace(/^\uFEFF/, "");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProjectError(file, undefined, `is not valid JSON (${locatedJsonProblem(text) ?? errorMessage(cause)})`);
  }
}

/** JSON with trailing commas and comments in TypeScript projects, since Strapi reads the compiled file. Undefined for other text. */
function compiledJson(root: string, file: string): unknown {
  if (!existsSync(join(root, "tsconfig.json"))) return undefined;
  try {
    return Bun.JSONC.parse(readText(root, file).replace(/^\uFEFF/, ""));
  } catch {
    // reported as invalid JSON
    return undefined;
  }
}

/** As `readProjectJson`, for files below `src`. What only compilation makes JSON is reported. */
export function readSourceJson(root: string, file: string, report: ProjectReport): unknown {
  try {
    return readProjectJson(root, file);
  } catch (cause) {
    const compiled = cause instanceof ProjectError ? compiledJson(root, file) : undefined;
    if (compiled === undefined) throw cause;
    const [problem] = (cause as ProjectError).problems;
    report.warn(file, undefined, `${problem!.reason}; it is read as TypeScript compiles it`);
    return compiled;
  }
}
