/**
 * The files of a project's own code that Galley does not run, and what that means for callers. What narrows access comes
 * first: without it, more is answered than the project means to.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A kind of code, by where it lies. */
interface CodeKind {
  readonly name: string;
  readonly pattern: RegExp;
  /** What is served in another way without it. */
  readonly effect: string;
  /** Without it callers may get what the project would refuse or leave out. */
  readonly narrows: boolean;
  /** Whether a file says anything; generated files do not. */
  readonly says?: (code: string) => boolean;
}

const CODE = "\\.(js|ts|mjs|cjs)$";
const inApi = (folder: string): RegExp => new RegExp(`^src/api/[^/]+/${folder}/.*${CODE}`);

/** A call of one of Strapi's factories with nothing but the type's uid. */
const GENERATED = /createCore(Controller|Service|Router)\s*\(\s*['"`][^'"`]+['"`]\s*\)/;
const FUNCTION_BODY = /(?:\)\s*(?::[^={]+)?(?:=>)?\s*)\{\s*\}/g;

const isOwn = (code: string): boolean => !GENERATED.test(code);
const EMPTY_INDEX = /^[^{]*\{\s*(?:(?:async\s+)?(?:register|bootstrap|destroy)[^{}]*\{\s*\}\s*,?\s*)*\}[\s;)]*$/;

const codeKinds = {
  policy: {
    name: "policy",
    pattern: new RegExp(`^src/(api/[^/]+/)?policies/.*${CODE}`),
    effect: "nobody is refused by it",
    narrows: true,
  },
  controller: {
    name: "controller",
    pattern: inApi("controllers"),
    effect: "its actions answer as Strapi's own, or not at all",
    narrows: true,
    says: isOwn,
  },
  middleware: {
    name: "middleware",
    pattern: new RegExp(`^src/(api/[^/]+/)?middlewares/.*${CODE}`),
    effect: "requests pass without it",
    narrows: true,
  },
  routes: {
    name: "routes",
    pattern: inApi("routes"),
    effect: "its routes, policies and exceptions do not apply",
    narrows: true,
    says: isOwn,
  },
  extension: {
    name: "extension of a plugin",
    pattern: new RegExp(`^src/extensions/[^/]+/strapi-server${CODE}`),
    effect: "the plugin is as it comes",
    narrows: true,
  },
  lifecycles: {
    name: "lifecycles",
    pattern: new RegExp(`^src/api/[^/]+/content-types/[^/]+/lifecycles${CODE}`),
    effect: "writes are stored as they are sent",
    narrows: false,
  },
  service: { name: "service", pattern: inApi("services"), effect: "nothing calls it", narrows: false, says: isOwn },
  index: {
    name: "register and bootstrap",
    pattern: new RegExp(`^src/index${CODE}`),
    effect: "nothing is registered, granted or seeded",
    narrows: false,
    says: (code) => !EMPTY_INDEX.test(code.replace(FUNCTION_BODY, ") {}")),
  },
  plugin: {
    name: "plugin",
    pattern: new RegExp(`^src/plugins/[^/]+/(strapi-server|package)(${CODE}|\\.json$)`),
    effect: "its routes and content-types are not there",
    narrows: false,
  },
} as const satisfies Record<string, CodeKind>;

export type CodeKindName = keyof typeof codeKinds;

export interface UnrunFile {
  readonly file: string;
  readonly kind: CodeKindName;
  readonly narrows: boolean;
  readonly text: string;
}

const withoutComments = (code: string): string => code.replace(/\/\*[\s\S]*?\*\/|(^|[^:])\/\/.*$/gm, "$1");

/** Deeper folders hold what other files import. */
const MAX_DEPTH = 6;

function filesIn(root: string, folder: string, depth = 0): string[] {
  if (depth > MAX_DEPTH || !existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    const path = `${folder}/${entry.name}`;
    if (entry.name === "node_modules" || entry.name === "admin" || entry.name.startsWith(".")) return [];
    if (entry.isDirectory()) return filesIn(root, path, depth + 1);
    return entry.isFile() && !entry.name.endsWith(".d.ts") ? [path] : [];
  });
}

/** `runs`: the kinds of code that are run. Files that narrow access come first. */
export function unrunCode(root: string, runs: ReadonlySet<CodeKindName> = new Set()): UnrunFile[] {
  const kinds = Object.entries(codeKinds).filter(([name]) => !runs.has(name as CodeKindName)) as [
    CodeKindName,
    CodeKind,
  ][];
  const found = filesIn(root, "src").flatMap((file): UnrunFile[] => {
    const [name, kind] = kinds.find(([, { pattern }]) => pattern.test(file)) ?? [];
    if (!name || !kind) return [];
    if (kind.says && !kind.says(withoutComments(readFileSync(join(root, file), "utf8")))) return [];
    return [{ file, kind: name, narrows: kind.narrows, text: `${kind.name}: not run; ${kind.effect}` }];
  });
  return found.sort((a, b) => Number(b.narrows) - Number(a.narrows) || (a.file < b.file ? -1 : 1));
}
