#!/usr/bin/env bun
/**
 * What a large project costs: an archive of many articles, each as a draft and published, is imported, served, changed and
 * exported. Prints a table of sizes, memory and times.
 *
 *   bun scripts/million.ts [--documents 1000000] [--executable FILE] [--folder DIR] [--requests]
 *
 * --executable  is measured; otherwise the source, run by Bun
 * --folder      where the project is made, and found again; otherwise a temporary one
 * --requests    neither changes of schemas nor an export
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../test/free-port.ts";
import { idOf, writeArchive } from "./bench/archive.ts";
import { median } from "./bench/median.ts";
import { peakMemory, readMemory } from "./bench/peak-memory.ts";
import { layOutTable } from "./bench/table.ts";

const { values: options } = parseArgs({
  options: {
    documents: { type: "string", default: "1000000" },
    executable: { type: "string" },
    folder: { type: "string" },
    requests: { type: "boolean", default: false },
  },
});
const count = Number(options.documents);
const galley = options.executable
  ? [resolve(options.executable)]
  : [process.execPath, join(import.meta.dir, "../src/main.ts")];
const MB = 1e6;
/** Each kind of read is made so often, of other rows each time, if it does not take longer than this in all. */
const READS = 21;
const READS_MS = 15_000;
const WRITES = 50;
const POLL_MS = 5;

const rows: string[][] = [];
function tell(what: string, ...figures: readonly string[]): void {
  rows.push([what, ...figures]);
  console.log(`${what}: ${figures.join(", ")}`);
}
const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : value.toFixed(0)} ms`;
const seconds = (value: number): string => `${(value / 1000).toFixed(1)} s`;

function tellTimes(what: string, times: readonly Timed[]): void {
  const [first, ...others] = times;
  const middle = (key: keyof Timed): string => ms(median(others.map((time) => time[key])));
  const slowest = ms(Math.max(...others.map(({ milliseconds }) => milliseconds)));
  const figures = [
    `${middle("processor")} of processor time`,
    `${middle("milliseconds")} in all`,
    `slowest ${slowest}`,
  ];
  tell(what, ...figures, `first ${ms(first!.milliseconds)}, ${ms(first!.processor)} of processor time`);
}

/** Throws with what it printed when it fails. */
async function runCommand(what: string, ...args: readonly string[]): Promise<void> {
  const began = performance.now();
  const child = Bun.spawn([...galley, ...args], { stdin: "ignore", stdout: "ignore", stderr: "pipe" });
  const [errors, memory] = await Promise.all([new Response(child.stderr).text(), peakMemory(child)]);
  if (child.exitCode !== 0) throw new Error(`${what}: ${errors}`);
  const { cpuTime } = child.resourceUsage()!;
  const cpu = `${(Number(cpuTime.total) / 1e6).toFixed(1)} s of processor time`;
  tell(what, seconds(performance.now() - began), cpu, `${(memory / MB).toFixed(0)} MB at most`);
}

interface Timed {
  readonly milliseconds: number;
  /** Of processor time. */
  readonly processor: number;
}

class Server {
  readonly url: string;
  readonly #child: Bun.Subprocess;
  #headers: Readonly<Record<string, string>> = {};

  private constructor(project: string, port: number) {
    this.url = `http://127.0.0.1:${port}`;
    this.#child = Bun.spawn([...galley, "serve", project, "--quiet", "--public", "--port", `${port}`], {
      stdout: "ignore",
      stderr: "inherit",
    });
  }

  static async start(project: string, path: string): Promise<{ server: Server; milliseconds: number }> {
    const began = performance.now();
    const server = new Server(project, freePort());
    for (;;) {
      const response = await fetch(server.url + path).catch(() => undefined);
      await response?.arrayBuffer();
      if (response?.ok) return { server, milliseconds: performance.now() - began };
      if (server.#child.exitCode !== null) throw new Error("the server ended");
      await Bun.sleep(1);
    }
  }

  set key(key: string) {
    this.#headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  }

  /** In megabytes. `field`: `VmRSS` now, `VmHWM` at most. */
  memory(field: "VmRSS" | "VmHWM"): number {
    return (readMemory(this.#child.pid, field) ?? 0) / MB;
  }

  /** Milliseconds of processor time so far, which other programs of the machine hardly change. */
  get #processorTime(): number {
    const tasks = `/proc/${this.#child.pid}/task`;
    const nanoseconds = (task: string): number =>
      Number(readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ")[0]);
    return readdirSync(tasks).reduce((sum, task) => sum + nanoseconds(task), 0) / 1e6;
  }

  /** Returns the milliseconds until the whole answer is there, and those of processor time. Throws for another status than 200, 201 and 204. */
  async time(path: string, method = "GET", data?: unknown): Promise<Timed & { body: unknown }> {
    const body = data === undefined ? undefined : JSON.stringify({ data });
    const processorTime = this.#processorTime;
    const began = performance.now();
    const response = await fetch(this.url + path, { method, headers: this.#headers, ...(body ? { body } : {}) });
    const text = await response.text();
    const milliseconds = performance.now() - began;
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return {
      milliseconds,
      processor: this.#processorTime - processorTime,
      body: text === "" ? undefined : JSON.parse(text),
    };
  }

  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    await this.#child.exited;
  }
}

/** Spread over all documents, the same ones in each run. */
const documentOf = (i: number): number => ((i * 7_919_981) % count) + 1;

const reads: Readonly<Record<string, (i: number) => string>> = {
  "list of 25": (i) => `/api/articles?pagination[page]=${i + 1}`,
  "list of 25, far behind": (i) => `/api/articles?pagination[page]=${Math.floor(count / 25) - i}`,
  "one document": (i) => `/api/articles/${idOf("a", documentOf(i))}`,
  "list of 25, tags populated": (i) => `/api/articles?populate=tags&pagination[page]=${i + 1}`,
  "filter, slug $eq (uid)": (i) => `/api/articles?filters[slug]=title-${documentOf(i)}`,
  "filter, views $eq": (i) => `/api/articles?filters[views]=${documentOf(i)}`,
  "filter, title $contains": (i) => `/api/articles?filters[title][$contains]=f ${documentOf(i)}`,
  "filter, tags.label $eq": (i) => `/api/articles?filters[tags][label]=tag ${(documentOf(i) % (count / 10)) + 1}`,
  "search, _q": (i) => `/api/articles?_q=of ${documentOf(i)}`,
  "sort by views, descending": (i) => `/api/articles?sort=views:desc&pagination[page]=${i + 1}`,
  "sort by excerpt, then title": (i) => `/api/articles?sort=excerpt,title&pagination[page]=${i + 1}`,
};

async function measureReads(server: Server): Promise<void> {
  for (const [name, path] of Object.entries(reads)) {
    const times: Timed[] = [];
    const end = performance.now() + READS_MS;
    for (let i = 0; i < READS && (i < 3 || performance.now() < end); i++) times.push(await server.time(path(i)));
    tellTimes(name, times);
  }
}

async function measureWrites(server: Server): Promise<void> {
  const made: string[] = [];
  const work = async (name: string, write: (i: number) => Promise<Timed>): Promise<void> => {
    const times: Timed[] = [];
    for (let i = 0; i < WRITES; i++) times.push(await write(i));
    tellTimes(name, times);
  };
  await work("create", async (i) => {
    const data = { title: `Written ${i}`, views: i, tags: [idOf("t", i + 1)] };
    const { body, ...times } = await server.time("/api/articles", "POST", data);
    made.push((body as { data: { documentId: string } }).data.documentId);
    return times;
  });
  await work("update", (i) => server.time(`/api/articles/${idOf("a", documentOf(i))}`, "PUT", { views: i }));
  await work("delete", (i) => server.time(`/api/articles/${made[i]}`, "DELETE"));
  const lists: Timed[] = [];
  for (let i = 0; i < READS; i++) {
    await server.time(`/api/articles/${idOf("a", documentOf(i))}`, "PUT", { views: i });
    lists.push(await server.time("/api/articles?pagination[page]=3"));
  }
  tellTimes("list of 25 after a write", lists);
}

type Attributes = Record<string, Record<string, unknown>>;

/** Edits the schema of articles, and reads until answers are as `isDone` says. */
async function changeSchema(
  server: Server,
  name: string,
  project: string,
  edit: (attributes: Attributes) => Attributes,
  isDone: (article: Record<string, unknown>) => boolean,
): Promise<void> {
  const file = join(project, "src/api/article/content-types/article/schema.json");
  const schema = JSON.parse(readFileSync(file, "utf8")) as { attributes: Attributes };
  schema.attributes = edit(schema.attributes);
  const began = performance.now();
  writeFileSync(file, JSON.stringify(schema, null, 2));
  let isOver = false;
  // a write that comes in the meantime
  const write = (async () => {
    await Bun.sleep(1_000);
    const id = idOf("a", documentOf(1));
    const at = performance.now();
    const answer = await server.time(`/api/articles/${id}`, "PUT", { title: "In between" }).catch((error) => error);
    const outcome = answer instanceof Error ? ` (${/\b\d{3}\b/.exec(answer.message)?.[0]})` : "";
    return `a write ${ms(performance.now() - at)}${outcome}`;
  })();
  let longest = 0;
  for (let i = 0; !isOver; i++) {
    const { milliseconds, body } = await server.time(`/api/articles/${idOf("a", documentOf(i))}`);
    longest = Math.max(longest, milliseconds);
    isOver = isDone((body as { data: Record<string, unknown> }).data);
    if (performance.now() - began > 600_000) throw new Error(`${name} takes too long`);
    await Bun.sleep(POLL_MS);
  }
  tell(name, seconds(performance.now() - began), `longest read ${ms(longest)}`, await write);
}

async function changeSchemas(server: Server, project: string): Promise<void> {
  const mark = `added${Date.now()}`;
  await changeSchema(
    server,
    "an attribute is added",
    project,
    (attributes) => ({ ...attributes, [mark]: { type: "string" } }),
    (article) => mark in article,
  );
  await changeSchema(
    server,
    "an integer becomes a string",
    project,
    (attributes) => ({ ...attributes, views: { type: "string" } }),
    ({ views }) => typeof views === "string",
  );
  await changeSchema(
    server,
    "and an integer again",
    project,
    (attributes) => ({ ...attributes, views: { type: "integer" } }),
    ({ views }) => typeof views === "number",
  );
}

const folder = options.folder ? resolve(options.folder) : mkdtempSync(join(tmpdir(), "galley-million-"));
try {
  mkdirSync(folder, { recursive: true });
  const archive = join(folder, "content.tar.gz");
  const project = join(folder, "project");
  const database = join(project, ".galley/content.db");
  if (!existsSync(database)) {
    await writeArchive(archive, count);
    tell("archive", `${(statSync(archive).size / MB).toFixed(0)} MB`);
    mkdirSync(project);
    await runCommand("import", "import", archive, project, "--schemas", "--yes");
    rmSync(archive);
  }
  tell("database", `${(statSync(database).size / MB).toFixed(0)} MB`);
  const token = Bun.spawnSync([...galley, "token", "create", `t${Date.now()}`, project, "--type", "full-access"]);
  const key = token.stdout.toString().trim();
  await (await Server.start(project, "/api/articles")).server.stop();
  const one = await Server.start(project, `/api/articles/${idOf("a", 1)}`);
  await one.server.stop();
  const { server, milliseconds } = await Server.start(project, "/api/articles");
  tell("start to one document, to a list", ms(one.milliseconds), ms(milliseconds));
  server.key = key;
  await Bun.sleep(12_000);
  tell("memory in rest after the start", `${server.memory("VmRSS").toFixed(0)} MB`);
  await measureReads(server);
  tell(
    "memory after reads",
    `${server.memory("VmRSS").toFixed(0)} MB`,
    `${server.memory("VmHWM").toFixed(0)} MB at most`,
  );
  await measureWrites(server);
  if (!options.requests) await changeSchemas(server, project);
  await Bun.sleep(12_000);
  const rest = `${server.memory("VmRSS").toFixed(0)} MB`;
  tell("memory in rest after all this", rest, `${server.memory("VmHWM").toFixed(0)} MB at most`);
  await server.stop();
  if (!options.requests) await runCommand("export", "export", join(folder, "export.tar.gz"), project);
  rmSync(join(folder, "export.tar.gz"), { force: true });
  console.log(`\n${layOutTable(rows)}`);
} finally {
  if (!options.folder) rmSync(folder, { recursive: true, force: true });
}
