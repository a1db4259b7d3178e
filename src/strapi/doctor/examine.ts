/** Checks a project's code without running it: which files work, are ignored, or use something missing. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { installCommand, isBuiltin, isInstalled, toPackageName } from "../../engine/config/packages.ts";
import { projectPaths } from "../../engine/config/tsconfig.ts";
import { type CodeFile, isGenerated } from "../loader/code-files.ts";
import { findCompanion, providedPackages } from "../packages/index.ts";
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

const TYPESCRIPT = new Bun.Transpiler({ loader: "ts", trimUnusedImports: true });
const JAVASCRIPT = new Bun.Transpiler({ loader: "js" });

/** For text that cannot be parsed. Only valid starts of specifiers: other strings may also follow the word "from". */
const IMPORT = /(?:\bfrom\s*|\bimport\s*\(?\s*|\brequire\s*\(\s*)["'](\.{0,2}[@\w#~/][\w./@~-]*)["']/g;

/** The specifiers that a source imports when it runs: imports of which only types are used are removed by compilation. */
function listImports(file: string, text: string): readonly string[] {
  const transpiler = /\.[cm]?ts$/.test(file) ? TYPESCRIPT : JAVASCRIPT;
  try {
    return transpiler.scanImports(text).map(({ path }) => path);
  } catch {
    return [...text.matchAll(IMPORT)].map(([, specifier = ""]) => specifier);
  }
}

const isPackage = (specifier: string): boolean => !/^(?:\.|[@~#]?\/|src\/)/.test(specifier) && !isBuiltin(specifier);

function missingPackages(
  root: string,
  { file, imports }: Source,
  isProjectPath: (specifier: string) => boolean,
): MissingPackage[] {
  const names = imports
    .filter(
      (specifier) =>
        isPackage(specifier) &&
        !isProjectPath(specifier) &&
        !(specifier in providedPackages) &&
        !findCompanion(specifier),
    )
    .map(toPackageName);
  return [...new Set(names)]
    .filter((name) => !isInstalled(name, dirname(join(root, file))) && !existsSync(join(root, name)))
    .map((name) => ({ file, name }));
}

function adviceFor(root: string, packages: readonly MissingPackage[], missing: readonly Finding[]): string[] {
  const names = [...new Set(packages.map(({ name }) => name))];
  return [
    ...(names.length > 0 ? [`install what is missing: ${installCommand(root, names)}`] : []),
    ...[...new Set(missing.map(({ what, advice }) => `${what}: ${advice}`))],
  ];
}

const EXTENSIONS = ["", ".ts", ".js", ".mjs", ".cjs", "/index.ts", "/index.js"];

interface Source {
  readonly file: string;
  readonly text: string;
  readonly imports: readonly string[];
}

/** The sources of files and of the project files that they import. */
function readSources(root: string, files: readonly CodeFile[]): readonly Source[] {
  const sources = new Map<string, Source>();
  const pending = files.map(({ file }) => file);
  for (let file = pending.pop(); file !== undefined; file = pending.pop()) {
    if (sources.has(file)) continue;
    const text = readFileSync(join(root, file), "utf8");
    const imports = listImports(file, text);
    sources.set(file, { file, text, imports });
    for (const path of imports.filter((specifier) => specifier.startsWith("."))) {
      const target = join(dirname(join(root, file)), path);
      const found = EXTENSIONS.map((ending) => target + ending).find(
        (name) => /\.[cm]?[jt]s$/.test(name) && existsSync(name),
      );
      if (found) pending.push(relative(root, found));
    }
  }
  return [...sources.values()];
}

export function examineCode(root: string, files: readonly CodeFile[]): Examination {
  const ignored = files.filter((file) => isGenerated(root, file));
  const works = files.filter((file) => !ignored.includes(file));
  const sources = readSources(root, works);
  const isProjectPath = projectPaths(root);
  const calls = sources.flatMap(({ file, text }) => findCalls(file, text));
  const missing = [...calls, ...findUnknownMembers(sources)];
  const packages = sources.flatMap((source) => missingPackages(root, source, isProjectPath));
  const isWhole = missing.length === 0 && packages.length === 0;
  const verdict = works.length === 0 ? "no code" : isWhole ? "runs" : "runs in part";
  return { works, ignored, missing, packages, verdict, advice: adviceFor(root, packages, missing) };
}
