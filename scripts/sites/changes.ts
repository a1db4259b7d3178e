/**
 * Sites with the loaders, of many articles of which one is edited: what the next build asks for, which pages it renders, and whether it is
 * what a full build makes, byte for byte.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { freePort } from "../../test/free-port.ts";
import { configFile, createCall, relation, typeFile, writeFiles } from "../../test/project.ts";
import { until } from "../../test/until.ts";
import { bundleForNode } from "../package/library.ts";
import { mainManifest } from "../package.ts";
import { BUILD, prepare, quietEnvironment, run } from "./build.ts";
import { hashData } from "./output.ts";

const ARTICLE = "api::article.article";
const AUTHORS = 50;
const EDITED = "article-77";
/** Edited before it, where that is needed. */
const FIRST = "article-78";
const KEY = "changes";
const MAIN = join(import.meta.dir, "../../src/main.ts");
/** What an edit may cost. */
const MAX_REQUESTS = 2;
const MAX_KILOBYTES = 20;

/** What a build with an edited article did. */
interface Result {
  readonly requests: number;
  readonly kilobytes: number;
  readonly rendered: readonly string[];
  /** Pages whose bytes differ from the build before. */
  readonly changed: readonly string[];
  /** Pages that differ from those of a full build. */
  readonly wrong: readonly string[];
}

const projectFiles = {
  ...typeFile("author", {
    name: { type: "string" },
    articles: { ...relation("oneToMany", "article"), mappedBy: "author" },
  }),
  ...typeFile(
    "article",
    {
      title: { type: "string" },
      slug: { type: "string" },
      text: { type: "text" },
      author: { ...relation("manyToOne", "author"), inversedBy: "articles" },
    },
    { draftAndPublish: true },
  ),
  ...configFile({ tokens: [{ name: "admin", type: "admin", key: KEY }] }),
  "config/api.json": JSON.stringify({ rest: { maxLimit: 1_000 } }),
};

const open = (project: string): Promise<Galley> =>
  createGalley({ project, memory: false, admin: true, publicRead: true, environment: {} });

async function makeProject(folder: string, articles: number): Promise<void> {
  rmSync(folder, { recursive: true, force: true });
  writeFiles(folder, projectFiles);
  await using galley = await open(folder);
  const ids: string[] = [];
  for (let number = 0; number < AUTHORS; number++) {
    const { documentId } = await galley.documents("api::author.author").create({ data: { name: `Author ${number}` } });
    ids.push(documentId);
  }
  for (let number = 0; number < articles; number++) {
    const text = `Article ${number} has a text of its own. `.repeat(10);
    const data = { title: `Article ${number}`, slug: `article-${number}`, text, author: ids[number % AUTHORS] };
    await galley.documents(ARTICLE).create({ data, status: "published" });
  }
}

async function edit(galley: Galley, slug = EDITED): Promise<void> {
  const articles = galley.documents(ARTICLE);
  const found = await articles.findFirst({ filters: { slug } });
  const data = { text: `Edited at ${new Date().toISOString()}` };
  await articles.update({ documentId: found!.documentId, data, status: "published" });
}

/** The loaders as they are packed. */
async function installLoaders(folder: string): Promise<void> {
  const installed = join(folder, "node_modules/galley-cms");
  const lib = join(installed, "lib");
  mkdirSync(lib, { recursive: true });
  for (const name of ["./astro", "./next", "./gatsby"] as const) await bundleForNode(name, lib);
  writeFiles(installed, { "package.json": JSON.stringify(mainManifest()) });
}

type Pages = ReadonlyMap<string, string>;

async function readPages(folder: string): Promise<Pages> {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".html"));
  return new Map(
    await Promise.all(
      names.map(async (name) => [pathOf(name), hashData(await Bun.file(join(folder, name)).bytes())] as const),
    ),
  );
}

/** "/articles/x" of "articles/x/index.html". */
const pathOf = (name: string): string => `/${name.replaceAll("\\", "/").replace(/(^|\/)index\.html$/, "")}`;

const differing = (one: Pages, other: Pages): string[] =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path)).sort();

interface StaticSite {
  readonly output: string;
  readonly caches: readonly string[];
  /** The paths of rendered pages, in what a build prints. */
  readonly rendered: (log: string) => string[];
}

/** Without a slash at the end, as `pathOf`. */
const paths = (log: string, pattern: RegExp): string[] =>
  [...log.matchAll(pattern)].map(([, path]) => (path === "/" ? path : path!.replace(/\/$/, "")));

const staticSites: Readonly<Record<string, StaticSite>> = {
  astro: {
    output: "dist",
    caches: [".astro", "node_modules/.astro", "node_modules/.vite"],
    rendered: (log) => paths(log, /─ (\S*\/)index\.html (?!\(restored)/g),
  },
  gatsby: {
    output: "public",
    caches: [".cache"],
    rendered: (log) => paths(log, /(?:Updated|Created) page:\s*(\S+)/g),
  },
};

async function buildStatic(name: string, work: string, project: string): Promise<Result> {
  const { output, caches, rendered } = staticSites[name]!;
  const folder = await prepare(`changes/${name}`, work);
  await installLoaders(folder);
  const build = (): Promise<string> => run([process.execPath, MAIN, "run", project, "--", ...BUILD], folder);
  const clean = (): void => {
    for (const path of [output, ...caches]) rmSync(join(folder, path), { recursive: true, force: true });
  };
  clean();
  await build();
  const before = await readPages(join(folder, output));
  {
    await using galley = await open(project);
    await edit(galley);
  }
  const log = await build();
  const after = await readPages(join(folder, output));
  clean();
  await build();
  const [, requests, kilobytes] = /galley: (\d+) requests?, ([\d.]+) KB/.exec(log) ?? [];
  return {
    requests: Number(requests),
    kilobytes: Number(kilobytes),
    rendered: rendered(log),
    changed: differing(before, after),
    wrong: differing(after, await readPages(join(folder, output))),
  };
}

/** Pages that are asked for; the others are rendered when they are. */
const ASKED = ["/", ...Array.from({ length: 100 }, (_, number) => `/articles/article-${number}`)];

/** What a page shows. What Next.js adds for its router differs between pages that were rendered by a build and by a server. */
const shown = (html: string): string => html.replaceAll(/<script\b[\s\S]*?<\/script>|<!--.*?-->/g, "");

const SECRET = "a secret of the webhook";

/** A Next.js server for as long as `use` runs, which gets its URL and what the server has printed. */
async function withNext<T>(
  folder: string,
  environment: Record<string, string>,
  port: number,
  use: (url: string, log: () => string) => Promise<T>,
): Promise<T> {
  const env = { ...quietEnvironment(), ...environment };
  rmSync(join(folder, ".next"), { recursive: true, force: true });
  await run(BUILD, folder, environment);
  const command = ["node", "node_modules/next/dist/bin/next", "start", "-p", String(port)];
  const child = Bun.spawn(command, { cwd: folder, env, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
  let printed = "";
  const reading = (async () => {
    for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
  })();
  try {
    await until("Next.js listens", () => printed.includes("Ready"));
    return await use(`http://localhost:${port}`, () => printed);
  } finally {
    child.kill();
    await child.exited;
    await reading;
  }
}

async function buildNext(work: string, project: string): Promise<Result> {
  const folder = await prepare("changes/next", work);
  await installLoaders(folder);
  await using galley = await open(project);
  let [requests, bytes] = [0, 0];
  const content = Bun.serve({
    port: 0,
    async fetch(request) {
      request.headers.delete("accept-encoding");
      const response = await galley.handle(request);
      requests++;
      bytes += (await response.clone().arrayBuffer()).byteLength;
      return response;
    },
  });
  const port = freePort();
  const url = `http://localhost:${port}/api/revalidate`;
  const events = ["entry.create", "entry.update", "entry.delete", "entry.publish", "entry.unpublish"];
  const webhook = { name: "site", url, events, headers: { authorization: `Bearer ${SECRET}` } };
  const { status } = await createCall(galley, { authorization: `Bearer ${KEY}` })("POST", "/admin/webhooks", webhook);
  if (status >= 300) throw new Error(`the webhook was refused: ${status}`);
  const environment = { STRAPI_URL: `http://localhost:${content.port}`, REVALIDATE_SECRET: SECRET };
  const ask = async (site: string): Promise<Pages> => {
    const pages = new Map<string, string>();
    for (const path of ASKED) pages.set(path, shown(await (await fetch(site + path)).text()));
    return pages;
  };
  try {
    const result = await withNext(folder, environment, port, async (site, log) => {
      // kept pages are sent until the webhook has come
      const editAndWait = async (slug: string): Promise<void> => {
        await edit(galley, slug);
        const path = `${site}/articles/${slug}`;
        await until("the edit is shown", async () => (await (await fetch(path)).text()).includes("Edited at"));
      };
      await ask(site);
      // the first webhook since the start makes everything stale
      await editAndWait(FIRST);
      const before = await ask(site);
      const printed = log().length;
      [requests, bytes] = [0, 0];
      await editAndWait(EDITED);
      const after = await ask(site);
      const rendered = paths(log().slice(printed), /rendered (\S+)/g);
      return { before, after, rendered, requests, kilobytes: bytes / 1_000 };
    });
    const { before, after, ...edited } = result;
    const full = await withNext(folder, environment, port, ask);
    return { ...edited, changed: differing(before, after), wrong: differing(after, full) };
  } finally {
    await content.stop(true);
  }
}

export const changeSites = [...Object.keys(staticSites), "next"];

/** Prints a line for each site; returns how many have failed. */
export async function compareChanges(names: readonly string[], work: string, articles: number): Promise<number> {
  const project = join(work, "changes/project");
  await makeProject(project, articles);
  let failed = 0;
  for (const name of names) {
    const { requests, kilobytes, rendered, changed, wrong } =
      name === "next" ? await buildNext(work, project) : await buildStatic(name, work, project);
    const isExact = rendered.toSorted().join() === changed.join() && changed.join() === `/articles/${EDITED}`;
    const isRight = isExact && wrong.length === 0 && requests <= MAX_REQUESTS && kilobytes <= MAX_KILOBYTES;
    if (!isRight) failed++;
    console.log(
      `${name}: of ${articles} articles, one was edited: ${requests} requests, ${kilobytes.toFixed(1)} KB, ` +
        `rendered ${rendered.slice(0, 5).join(" ")}, changed ${changed.slice(0, 5).join(" ")}, ` +
        `${wrong.length} differences from a full build${isRight ? "" : ": not as it should be"}`,
    );
  }
  return failed;
}
