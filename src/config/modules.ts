/**
 * Loads configuration files that are code. What they import from packages that are not installed is replaced by something
 * that may be called, constructed and looked into without an effect: schedules, providers of mails and uploads, which
 * Galley does not use. Each is reported.
 */
import { existsSync, readFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import type { ProjectReport } from "../errors.ts";

/** More missing packages than that are a project without any. */
const MAX_MISSING = 100;

/** Answers itself to everything, and nothing to those who ask what kind of value it is. */
function inert(): unknown {
  const target = (): unknown => proxy;
  const proxy: unknown = new Proxy(target, {
    get: (_, key) => {
      if (key === Symbol.toPrimitive) return () => "";
      // neither a promise nor something to iterate over
      return key === "then" || typeof key === "symbol" ? undefined : proxy;
    },
    apply: () => proxy,
    construct: () => proxy as object,
  });
  return proxy;
}

const escaped = (text: string): string => text.replace(/[$()*+.?[\\\]^{|}/-]/g, "\\$&");

/** The names that a file takes from a package; a module must say beforehand which it has. */
function namesFrom(text: string, specifier: string): string[] {
  const from = escaped(specifier);
  const clauses = [
    ...text.matchAll(new RegExp(`import\\s+[^;'"]*?\\{([^}]*)\\}\\s*from\\s*["']${from}["']`, "g")),
    ...text.matchAll(new RegExp(`\\{([^{}]*)\\}\\s*=\\s*(?:await\\s+)?(?:require|import)\\(\\s*["']${from}["']`, "g")),
    ...text.matchAll(new RegExp(`(?:require|import)\\(\\s*["']${from}["']\\s*\\)\\s*\\)?\\s*\\.\\s*(\\w+)`, "g")),
  ];
  return clauses.flatMap(([, names = ""]) =>
    names
      .split(",")
      .map((name) =>
        name
          .trim()
          .replace(/^type\s+/, "")
          .split(/\s+as\s+|\s*:\s*/)[0]!
          .trim(),
      )
      .filter((name) => /^[A-Za-z_$][\w$]*$/.test(name)),
  );
}

/** The names that files have taken from each package so far. */
const replaced = new Map<string, Set<string>>();

function replace(specifier: string, text: string): void {
  const names = replaced.get(specifier) ?? new Set<string>();
  replaced.set(specifier, names);
  for (const name of namesFrom(text, specifier)) names.add(name);
  const value = inert();
  Bun.plugin({
    name: `missing ${specifier}`,
    setup: (build) => {
      build.module(specifier, () => ({
        exports: Object.fromEntries(["default", ...names].map((name) => [name, value])),
        loader: "object",
      }));
    },
  });
}

interface Missing {
  readonly specifier: string;
  readonly referrer: string;
}

/** What an error says of a package that is not there; undefined for other errors, and for missing files of the project. */
function missingPackage(error: unknown, path: string): Missing | undefined {
  const { code, specifier, referrer, message } = error as {
    code?: string;
    specifier?: string;
    referrer?: string;
    message?: string;
  };
  if (code !== "MODULE_NOT_FOUND" && code !== "ERR_MODULE_NOT_FOUND") return undefined;
  const [, named, from] =
    /^Cannot find (?:package|module) '([^']+)'(?: (?:imported )?from '?([^'\n]+)'?)?/.exec(message ?? "") ?? [];
  const wanted = specifier || named;
  if (!wanted || /^[./]/.test(wanted)) return undefined;
  return { specifier: wanted, referrer: referrer || from || path };
}

const readText = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8") : "");

/** The package that a specifier belongs to: "a/b" to "a", "@a/b/c" to "@a/b". */
const packageOf = (specifier: string): string =>
  specifier
    .split("/")
    .slice(0, specifier.startsWith("@") ? 2 : 1)
    .join("/");

/** Throws what the file throws. */
export function loadModule(root: string, path: string, report: ProjectReport): unknown {
  const { createRequire } = require("node:module") as typeof import("node:module");
  const load = createRequire(path);
  for (let missing = 0; ; missing++) {
    // a file that was changed while the server runs is read again, with the project's files that it imports
    for (const file of Object.keys(load.cache)) {
      if (file === path || (file.startsWith(`${dirname(path)}/`) && !file.includes("/node_modules/")))
        delete load.cache[file];
    }
    try {
      return load(path);
    } catch (error) {
      const found = missing < MAX_MISSING ? missingPackage(error, path) : undefined;
      if (!found) throw error;
      const { specifier, referrer } = found;
      replace(specifier, readText(referrer));
      const file = referrer.startsWith(root) ? relative(root, referrer) : relative(root, path);
      report.warn(
        file,
        undefined,
        `the package ${packageOf(specifier)} is not installed; what the file does with it has no effect`,
      );
    }
  }
}
