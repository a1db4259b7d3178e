/**
 * Writes the notices of everything that is compiled into an executable to `dist/licenses.txt`, which it carries. The
 * packages are those that the bundler takes in, found anew for each build.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { version } from "../package.json" with { type: "json" };

const ROOT = join(import.meta.dir, "..");
const DIST = join(ROOT, "dist");

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly author?: string | { readonly name: string };
  readonly dependencies?: Readonly<Record<string, string>>;
}

const readJson = <T>(path: string): T => JSON.parse(readFileSync(path, "utf8")) as T;
const readManifest = (folder: string): Manifest => readJson(join(folder, "package.json"));

/** The folder of the package that a file belongs to; undefined for our own files. */
function packageFolder(file: string): string | undefined {
  return /^(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(file)?.[1];
}

/** Where a package finds another one. */
function findPackage(name: string, from: string): string | undefined {
  for (let folder = from; folder !== dirname(folder); folder = dirname(folder)) {
    const path = join(folder, "node_modules", name);
    if (existsSync(join(path, "package.json"))) return path;
  }
  return undefined;
}

/** The packages that a file was bundled from when it was published, by its source map. */
function mappedPackages(file: string, map: string): string[] {
  const { sources = [] } = readJson<{ sources?: readonly string[] }>(map);
  return sources.flatMap((source) => {
    const [, name = ""] =
      /.*node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(source) ?? /^(?:\.\.\/)+([^./][^/]*)\//.exec(source) ?? [];
    return name === "" ? [] : (findPackage(name, dirname(file)) ?? []);
  });
}

/** All that a package depends on: what its bundled file may have been made of. */
function listDependencies(folder: string, found = new Set<string>()): ReadonlySet<string> {
  for (const name of Object.keys(readManifest(folder).dependencies ?? {})) {
    const path = findPackage(name, folder);
    if (path === undefined || found.has(path)) continue;
    found.add(path);
    listDependencies(path, found);
  }
  return found;
}

/** The folders of the packages that are in a bundle of `entries`. Throws with the bundler's messages. */
export async function bundledPackages(entries: readonly string[]): Promise<ReadonlySet<string>> {
  const { success, logs, metafile } = await Bun.build({
    entrypoints: [...entries],
    root: ROOT,
    target: "bun",
    splitting: true,
    minify: true,
    define: { "process.env.NODE_ENV": '"production"' },
    metafile: true,
    // files that builds make, among them this one
    external: ["*/data.tar.gz", "*/admin.tar", "*/licenses.txt"],
    throw: false,
  });
  if (!success || !metafile) throw new Error(`the packages were not found:\n${logs.join("\n")}`);
  const code = Object.values(metafile.outputs).flatMap(({ inputs: parts }) => Object.keys(parts));
  // fonts: outputs do not list the parts of style sheets
  const files = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    file.endsWith(".css") ? imports.map(({ path }) => path) : [],
  );
  const packages = new Set<string>();
  for (const input of [...code, ...files]) {
    const file = resolve(ROOT, input);
    const folder = packageFolder(file);
    if (folder === undefined) continue;
    packages.add(folder);
    const map = `${file}.map`;
    if (existsSync(map)) for (const other of mappedPackages(file, map)) packages.add(other);
    else if (file.endsWith(".min.js")) for (const other of listDependencies(folder)) packages.add(other);
  }
  return packages;
}

/** The notice files of a package; of one that has none, the text of the licence that it names, or that of its readme. */
function readNotice(folder: string): string {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name);
  const own = files.filter((name) => /^(licen[cs]e|copying|notice)/i.test(name) && !/\.js$/i.test(name));
  // what a published bundle has in it of others
  const bundled = files.filter((name) => /\.js\.LICENSE\.txt$/.test(name));
  if (own.length > 0)
    return [...own, ...bundled].map((name) => readFileSync(join(folder, name), "utf8").trim()).join("\n\n");
  const { name, license, author } = readManifest(folder);
  if (license === "Apache-2.0") return readFileSync(join(ROOT, "scripts/licenses/Apache-2.0.txt"), "utf8").trim();
  const readme = readdirSync(folder).find((file) => /^readme(\.md)?$/i.test(file));
  const section = readme && /^#+ *licen[cs]e\s+([\s\S]+)/im.exec(readFileSync(join(folder, readme), "utf8"))?.[1];
  if (license === undefined && section) return section.trim();
  if (license !== "MIT") throw new Error(`${folder} has no file with its licence, ${license}`);
  const owner = typeof author === "string" ? author : (author?.name ?? `The ${name} authors`);
  return readFileSync(join(ROOT, "LICENSE"), "utf8")
    .replace(/^Copyright .*$/m, `Copyright (c) ${owner}`)
    .trim();
}

/** Returns the path of the file. */
export async function embedLicenses(): Promise<string> {
  mkdirSync(DIST, { recursive: true });
  const packages = await bundledPackages(
    ["src/main.ts", "src/ui/main.tsx", "src/ui/styles/index.css"].map((file) => join(ROOT, file)),
  );
  const notices = new Map(
    [...packages].map((folder) => {
      const manifest = readManifest(folder);
      return [`${manifest.name} ${manifest.version}`, readNotice(folder)] as const;
    }),
  );
  const sections = [
    [`galley ${version}`, readFileSync(join(ROOT, "LICENSE"), "utf8").trim()],
    [`Bun ${Bun.version}`, readFileSync(join(ROOT, "scripts/licenses/runtime.txt"), "utf8").trim()],
    ...[...notices].sort(([a], [b]) => a.localeCompare(b)),
  ];
  const path = join(DIST, "licenses.txt");
  writeFileSync(
    path,
    sections.map(([title, text]) => `${"=".repeat(80)}\n${title}\n${"=".repeat(80)}\n\n${text}\n`).join("\n"),
  );
  return path;
}

if (import.meta.main) console.log(await embedLicenses());
