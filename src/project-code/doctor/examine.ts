/** What of a project's code works, is ignored, or is missing something, without running any of it. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { isBuiltin, isInstalled, packageOf } from "../../config/packages.ts";
import { type CodeFile, isGenerated } from "../loader/code-files.ts";
import { companionPackages, providedPackages } from "../packages/index.ts";
import { type Finding, findCalls } from "./calls.ts";

export interface MissingPackage {
  readonly file: string;
  readonly name: string;
}

export interface Examination {
  /** Files that run. */
  readonly works: readonly CodeFile[];
  /** Files that say only what holds without them. */
  readonly ignored: readonly CodeFile[];
  readonly missing: readonly Finding[];
  readonly packages: readonly MissingPackage[];
  readonly verdict: "no code" | "runs" | "runs in part";
  /** What to do, in order. */
  readonly advice: readonly string[];
}

/** Names that begin as those of packages do: other texts may follow the word "from", too. */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](@?[\w#~/][\w./@~-]*)["']/g;
/** Types leave no trace in the code that runs. */
const withoutTypes = (text: string): string => text.replace(/^\s*(?:import|export)\s+type\b[^;]*;?$/gm, "");

function missingPackages(root: string, file: string, text: string): MissingPackage[] {
  const names = [...withoutTypes(text).matchAll(IMPORT)].map(([, specifier = ""]) => specifier);
  return [...new Set(names)]
    .filter(
      (name) =>
        !/^[@~#]?\/|^src\//.test(name) &&
        !isBuiltin(name) &&
        !(name in providedPackages) &&
        !(name in companionPackages),
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
const ENDINGS = ["", ".ts", ".js", ".mjs", ".cjs", "/index.ts", "/index.js"];

/** The sources of files and of their imports in the project, by file. */
function withImported(root: string, files: readonly CodeFile[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const pending = files.map(({ file }) => file);
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (texts.has(file)) continue;
    const text = readFileSync(join(root, file), "utf8");
    texts.set(file, text);
    for (const [, path = ""] of withoutTypes(text).matchAll(RELATIVE)) {
      const target = join(dirname(join(root, file)), path);
      const found = ENDINGS.map((ending) => target + ending).find(
        (name) => /\.[cm]?[jt]s$/.test(name) && existsSync(name),
      );
      if (found) pending.push(relative(root, found));
    }
  }
  return texts;
}

export function examineCode(root: string, files: readonly CodeFile[]): Examination {
  const ignored = files.filter((file) => isGenerated(root, file));
  const works = files.filter((file) => !ignored.includes(file));
  const texts = [...withImported(root, works)].map(([file, text]) => ({ file, text }));
  const missing = texts.flatMap(({ file, text }) => findCalls(file, text));
  const packages = texts.flatMap(({ file, text }) => missingPackages(root, file, text));
  const isWhole = missing.length === 0 && packages.length === 0;
  const verdict = works.length === 0 ? "no code" : isWhole ? "runs" : "runs in part";
  return { works, ignored, missing, packages, verdict, advice: adviceFor(packages, missing) };
}
