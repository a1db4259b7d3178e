/** Checks a project's code without running it: which files work, are ignored, or use something missing. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isBuiltin, isInstalled, packageOf } from "../../config/packages.ts";
import { type CodeFile, isGenerated } from "../loader/code-files.ts";
import { companionOf, providedPackages } from "../packages/index.ts";
import { type Finding, findCalls } from "./calls.ts";
import { findUnknownMembers } from "./strapi-members.ts";

export interface MissingPackage {
  readonly file: string;
  readonly name: string;
}

export interface Examination {
  /** Files that run. */
  readonly works: readonly CodeFile[];
  /** Generated files, which only repeat the defaults. */
  readonly ignored: readonly CodeFile[];
  readonly missing: readonly Finding[];
  readonly packages: readonly MissingPackage[];
  readonly verdict: "no code" | "runs" | "runs in part";
  /** What to do, in order. */
  readonly advice: readonly string[];
}

/** Only valid starts of package names: other strings may also follow the word "from". */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](@?[\w#~/][\w./@~-]*)["']/g;
/** Type imports are removed by compilation, so their packages need not be installed. */
const withoutTypes = (text: string): string => text.replace(/^\s*(?:import|export)\s+type\b[^;]*;?$/gm, "");

/** TypeScript as it is compiled: without imports of which only types are used. Text that cannot be parsed is returned unchanged. */
function compiled(file: string, text: string): string {
  if (!/\.[cm]?ts$/.test(file)) return text;
  try {
    return new Bun.Transpiler({ loader: "ts", trimUnusedImports: true }).transformSync(text);
  } catch {
    return text;
  }
}

function missingPackages(root: string, file: string, text: string): MissingPackage[] {
  const names = [...withoutTypes(compiled(file, text)).matchAll(IMPORT)].map(([, specifier = ""]) => specifier);
  return [...new Set(names)]
    .filter(
      (name) => !/^[@~#]?\/|^src\//.test(name) && !isBuiltin(name) && !(name in providedPackages) && !companionOf(name),
    )
    .map(packageOf)
    .filter((name) => !isInstalled(name, dirname(join(root, file))) && !existsSync(join(root, name)))
    .map((name) => ({ file, name }));
}

function adviceFor(packages: readonly MissingPackage[], missing: readonly Finding[]): string[] {
  const names = [...new Set(packages.map(({ name }) => name))];
  return [
    ...(names.length > 0 ? [`install what is missing: bun add ${names.join(" ")}`] : []),
    ...[...new Set(missing.map(({ what, advice }) => `${what}: ${advice}`))],
  ];
}

const RELATIVE = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.\.?\/[^"']+)["']/g;
const EXTENSIONS = ["", ".ts", ".js", ".mjs", ".cjs", "/index.ts", "/index.js"];

/** The sources of files and of the project files that they import, by path. */
function sourcesOf(root: string, files: readonly CodeFile[]): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  const pending = files.map(({ file }) => file);
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (sources.has(file)) continue;
    const text = readFileSync(join(root, file), "utf8");
    sources.set(file, text);
    for (const [, path = ""] of withoutTypes(text).matchAll(RELATIVE)) {
      const target = join(dirname(join(root, file)), path);
      const found = EXTENSIONS.map((ending) => target + ending).find(
        (name) => /\.[cm]?[jt]s$/.test(name) && existsSync(name),
      );
      if (found) pending.push(relative(root, found));
    }
  }
  return sources;
}

export function examineCode(root: string, files: readonly CodeFile[]): Examination {
  const ignored = files.filter((file) => isGenerated(root, file));
  const works = files.filter((file) => !ignored.includes(file));
  const sources = [...sourcesOf(root, works)].map(([file, text]) => ({ file, text }));
  const calls = sources.flatMap(({ file, text }) => findCalls(file, text));
  const missing = [...calls, ...findUnknownMembers(sources)];
  const packages = sources.flatMap(({ file, text }) => missingPackages(root, file, text));
  const isWhole = missing.length === 0 && packages.length === 0;
  const verdict = works.length === 0 ? "no code" : isWhole ? "runs" : "runs in part";
  return { works, ignored, missing, packages, verdict, advice: adviceFor(packages, missing) };
}
