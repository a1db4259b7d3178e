#!/usr/bin/env bun
/**
 * Moves a project's content to a Strapi on PostgreSQL in both ways that there are, an archive and a running server, and
 * compares what the two answer: every type, published and drafts, with everything populated.
 *
 *   bun scripts/conformance/reference.ts install DIR      once: a Strapi from npm
 *   bun scripts/to-postgresql.ts --reference DIR [--documents 1000]
 *
 * Needs Debian's postgresql, and `pg` from npm, which it installs into a temporary folder.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { apiTypes } from "../src/engine/schema/model.ts";
import { createApp } from "../src/server/app.ts";
import { listen } from "../src/server/listen.ts";
import { type StartedProject, startProject } from "../src/server/start.ts";
import { freePort } from "../test/free-port.ts";
import { until } from "../test/until.ts";
import { layOut, start } from "./conformance/reference.ts";

const PG = "pg@8.16.3";
const TOKEN_FILE = "transfer-token";

const { values } = parseArgs({
  options: { reference: { type: "string" }, documents: { type: "string", default: "1000" } },
});
if (!values.reference)
  throw new Error("--reference DIR is where scripts/conformance/reference.ts has installed Strapi");
const reference = values.reference;

async function run(command: readonly string[], cwd: string, environment: Record<string, string> = {}): Promise<void> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed:\n${(out + errors).slice(-3_000)}`);
}

async function timed<T>(name: string, work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const result = await work();
  console.log(`${name}: ${((performance.now() - began) / 1000).toFixed(1)} s`);
  return result;
}

/** A PostgreSQL of its own, as Debian's packages have it; its programs refuse to run as root. */
async function startPostgres(folder: string) {
  const versions = readdirSync("/usr/lib/postgresql").sort((a, b) => Number(b) - Number(a));
  const bin = `/usr/lib/postgresql/${versions[0]}/bin`;
  const asUser = userInfo().uid === 0 ? ["runuser", "-u", "postgres", "--"] : [];
  const data = join(folder, "postgres");
  mkdirSync(data);
  if (asUser.length > 0) await run(["chown", "postgres", data], folder);
  await run([...asUser, `${bin}/initdb`, "-D", data, "-U", "strapi", "--auth=trust", "-E", "UTF8"], "/");
  const port = freePort();
  const options = ["-D", data, "-p", `${port}`, "-k", data, "-h", "127.0.0.1"];
  const server = Bun.spawn([...asUser, `${bin}/postgres`, ...options], {
    cwd: "/",
    stdio: ["ignore", "ignore", "ignore"],
  });
  const client = ["-h", "127.0.0.1", "-p", `${port}`, "-U", "strapi"];
  await until("PostgreSQL answers", () => Bun.spawnSync([`${bin}/pg_isready`, ...client]).exitCode === 0);
  return {
    port,
    create: (name: string) => run([`${bin}/createdb`, ...client, name], "/"),
    stop: async (): Promise<void> => {
      // a signal would end `runuser` alone
      await run([...asUser, `${bin}/pg_ctl`, "stop", "-D", data, "-m", "immediate"], "/");
      await server.exited;
    },
  };
}

/** Makes a transfer token at the start. */
const BOOTSTRAP = `
const { writeFileSync } = require("fs");
module.exports = {
  async bootstrap({ strapi }) {
    const { token } = strapi.service("admin::transfer");
    const { accessKey } = await token.create({ name: "move " + Date.now(), description: "", permissions: ["push"], lifespan: null });
    writeFileSync("${TOKEN_FILE}", accessKey);
  },
};
`;

/** A Strapi with the project's schemas and an empty database. */
function layOutStrapi(project: string, folder: string, database: string, port: number): string {
  const schemas = join(folder, `schemas-${database}`);
  for (const part of ["src", "config"]) cpSync(join(project, part), join(schemas, part), { recursive: true });
  const connection = { host: "127.0.0.1", port, database, user: "strapi", password: "" };
  writeFileSync(join(schemas, "src/index.js"), BOOTSTRAP);
  writeFileSync(
    join(schemas, "config/database.json"),
    JSON.stringify({ connection: { client: "postgres", connection } }),
  );
  return layOut(reference, schemas);
}

/** Ids of rows belong to one database. */
function withoutIds(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutIds);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, item]) => (key === "id" ? [] : [[key, withoutIds(item)]])),
  );
}

/** Everything that a server answers of every content-type, by its path. */
async function readContent(url: string, paths: readonly string[]): Promise<ReadonlyMap<string, unknown[]>> {
  const all = new Map<string, unknown[]>();
  for (const path of paths) {
    const documents: unknown[] = [];
    for (let page = 1, pages = 1; page <= pages; page++) {
      const response = await fetch(`${url}${path}&pagination[page]=${page}&pagination[pageSize]=100`);
      if (response.status !== 200) throw new Error(`${url}${path} is answered with ${response.status}`);
      const { data, meta } = (await response.json()) as { data: unknown; meta: { pagination?: { pageCount: number } } };
      documents.push(...[data].flat().map(withoutIds));
      pages = meta.pagination?.pageCount ?? 1;
    }
    all.set(path, documents);
  }
  return all;
}

function compare(
  name: string,
  expected: ReadonlyMap<string, unknown[]>,
  seen: ReadonlyMap<string, unknown[]>,
): boolean {
  let isSame = true;
  for (const [path, documents] of expected) {
    const others = seen.get(path) ?? [];
    const wrong = documents.findIndex((document, index) => !Bun.deepEquals(document, others[index]));
    if (wrong < 0 && documents.length === others.length) continue;
    isSame = false;
    console.log(`${name}: ${path} differs: ${documents.length} documents here, ${others.length} there`);
    console.log(Bun.inspect([documents[wrong], others[wrong]]).slice(0, 1_500));
  }
  return isSame;
}

async function addDocuments({ project }: StartedProject, count: number): Promise<void> {
  const { DocumentService } = await import("../src/engine/documents/document-service.ts");
  const { context, model } = project;
  const articles = new DocumentService(context, model.types.get("api::article.article")!);
  const [example] = await articles.findMany({ populate: ["author", "category", "tags"] });
  const { id: _, documentId: __, createdAt: ___, updatedAt: ____, publishedAt: _____, ...data } = example!;
  const related = (value: unknown): unknown =>
    Array.isArray(value) ? value.map(related) : (value as { documentId?: string } | null)?.documentId;
  for (let number = 0; number < count; number++) {
    const own = { title: `Number ${number}`, slug: `number-${number}` };
    const links = { author: related(data.author), category: related(data.category), tags: related(data.tags) };
    await articles.create({ data: { ...data, ...own, ...links } as never, status: "published" });
  }
}

const folder = mkdtempSync(join(tmpdir(), "galley-postgresql-"));
chmodSync(folder, 0o755);
const galley = [process.execPath, join(import.meta.dir, "../src/main.ts")];
const postgres = await startPostgres(folder);
try {
  const npm = join(folder, "npm");
  mkdirSync(npm);
  writeFileSync(join(npm, "package.json"), '{"private":true}');
  await run([process.execPath, "add", "--exact", PG], npm);
  const environment = {
    NODE_PATH: join(npm, "node_modules"),
    NODE_ENV: "production",
    STRAPI_TELEMETRY_DISABLED: "true",
  };

  const project = join(folder, "magazine");
  await run([...galley, "init", project], folder);
  const started = await startProject(project, { memory: false, publicRead: false, environment: {} });
  await addDocuments(started, Number(values.documents));
  const { model } = started.project;
  const paths = apiTypes(model).flatMap(({ kind, singularName, pluralName, draftAndPublish, localized }) => {
    const path = `/api/${kind === "singleType" ? singularName : pluralName}?populate=*&sort=documentId`;
    const locales = localized && kind === "collectionType" ? "&locale=*&sort=locale" : "";
    return (draftAndPublish ? ["published", "draft"] : ["published"]).map(
      (status) => `${path}${locales}&status=${status}`,
    );
  });
  const server = listen(createApp(started.project), { port: 0, host: "localhost" });
  const expected = await readContent(`http://localhost:${server.port}`, paths);
  await server.stop();
  await started.project.close();
  const total = [...expected.values()].reduce((sum, { length }) => sum + length, 0);
  console.log(`${total} documents and drafts in ${paths.length} lists`);

  const archive = join(folder, "content.tar.gz");
  await timed("galley export", () => run([...galley, "export", archive, project], folder));
  await postgres.create("imported");
  const imported = layOutStrapi(project, folder, "imported", postgres.port);
  const strapi = ["node", "node_modules/.bin/strapi"];
  await timed("strapi import", () => run([...strapi, "import", "-f", archive, "--force"], imported, environment));
  const first = await start(imported, freePort(), environment);
  const ofImport = await readContent(first.url, paths);
  await first.stop();

  await postgres.create("pushed");
  const pushed = layOutStrapi(project, folder, "pushed", postgres.port);
  const second = await start(pushed, freePort(), environment);
  const token = readFileSync(join(pushed, TOKEN_FILE), "utf8");
  await timed("galley push", () => run([...galley, "push", second.url, project, "--token", token, "--yes"], folder));
  const ofPush = await readContent(second.url, paths);
  await second.stop();
  for (const dir of [imported, pushed]) rmSync(dir, { recursive: true, force: true });

  const same = [compare("strapi import", expected, ofImport), compare("galley push", expected, ofPush)];
  console.log(same.every(Boolean) ? "both answer what Galley answers" : "something differs");
  process.exitCode = same.every(Boolean) ? 0 : 1;
} finally {
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
}
