#!/usr/bin/env bun
/**
 * Reads on many machines, tried: an S3-compatible server, `galley publish --on-change`, and several `galley serve s3://…`
 * that clients ask without a pause while the content is replaced again and again, now and then by something broken.
 * Fails when a request is lost, or an answer is of no archive or of an older one than before.
 *
 *   bun scripts/published.ts [--swaps 100] [--servers 3] [--clients 12] [--refresh 200ms] [--workers 1] [--executable FILE]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { freePort } from "../test/free-port.ts";
import { until } from "../test/until.ts";

const S3_SERVER = "s3rver@3.7.1";
const BUCKET = "content";
const KEYS = { AWS_ACCESS_KEY_ID: "S3RVER", AWS_SECRET_ACCESS_KEY: "S3RVER" };
/** Every so many replacements one is broken. */
const BROKEN_EVERY = 10;
const WAIT_MS = 60_000;

const { values } = parseArgs({
  options: {
    swaps: { type: "string", default: "100" },
    servers: { type: "string", default: "3" },
    clients: { type: "string", default: "12" },
    refresh: { type: "string", default: "200ms" },
    workers: { type: "string", default: "1" },
    executable: { type: "string" },
  },
});
const galley = values.executable ? [values.executable] : [process.execPath, join(import.meta.dir, "../src/main.ts")];

type Child = Bun.Subprocess<"ignore", "ignore", "inherit">;
const children: Child[] = [];

function start(command: readonly string[], environment: Record<string, string | undefined>, cwd = tmpdir()): Child {
  const child = Bun.spawn([...command], { cwd, env: environment, stdio: ["ignore", "ignore", "inherit"] });
  children.push(child);
  return child;
}

function run(command: readonly string[], cwd: string, environment = process.env): void {
  const { exitCode, stdout, stderr } = Bun.spawnSync([...command], { cwd, env: environment });
  if (exitCode !== 0) throw new Error(`${command.join(" ")} ended with ${exitCode}:\n${stdout}${stderr}`);
}

/** Starts the store; returns the environment of its clients. */
async function startStore(folder: string): Promise<Record<string, string | undefined>> {
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), '{"private":true}');
  run([process.execPath, "add", "--exact", S3_SERVER], folder);
  const port = freePort();
  const program = ["node", "node_modules/.bin/s3rver", "-d", join(folder, "data"), "-p", String(port), "-s"];
  start([...program, "--configure-bucket", BUCKET], process.env, folder);
  const endpoint = `http://localhost:${port}`;
  await until("the store answers", () =>
    fetch(endpoint).then(
      () => true,
      () => false,
    ),
  );
  return { ...process.env, ...KEYS, AWS_ENDPOINT_URL: endpoint };
}

/** What the clients have seen. */
class Seen {
  readonly milliseconds: number[] = [];
  readonly problems: string[] = [];
  /** The newest generation that each server has answered with. */
  readonly newest = new Map<string, number>();

  add(server: string, titles: readonly string[], sent: number): void {
    this.milliseconds.push(performance.now() - sent);
    const generations = new Set(titles.map((title) => Number(/^generation (\d+)$/.exec(title)?.[1] ?? Number.NaN)));
    const [generation = Number.NaN] = generations;
    const newest = this.newest.get(server) ?? 0;
    if (generations.size !== 1 || !(generation >= newest))
      this.problems.push(`${server}: ${titles.join()} after ${newest}`);
    else this.newest.set(server, generation);
  }

  quantile(part: number): number {
    const sorted = this.milliseconds.toSorted((a, b) => a - b);
    return sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? Number.NaN;
  }
}

async function client(servers: readonly string[], seen: Seen, isDone: () => boolean): Promise<void> {
  for (let turn = Math.floor(Math.random() * servers.length); !isDone(); turn++) {
    const server = servers[turn % servers.length]!;
    const sent = performance.now();
    try {
      const response = await fetch(`${server}/api/categories?fields=description&sort=slug`);
      const { data } = (await response.json()) as { data?: { description: string }[] };
      if (response.status !== 200 || !data) seen.problems.push(`${server}: ${response.status}`);
      else
        seen.add(
          server,
          data.map(({ description }) => description),
          sent,
        );
    } catch (error) {
      seen.problems.push(`${server}: ${(error as Error).message}`);
    }
  }
}

const folder = mkdtempSync(join(tmpdir(), "galley-many-"));
try {
  const environment = await startStore(join(folder, "store"));
  const project = join(folder, "magazine");
  run([...galley, "init", project], folder);
  const port = freePort();
  const editor = `http://localhost:${port}`;
  const token = "editor-of-this-trial";
  const settings = JSON.parse(await Bun.file(join(project, "config/galley.json")).text());
  settings.tokens = [{ name: "editor", type: "full-access", key: token }];
  writeFileSync(join(project, "config/galley.json"), JSON.stringify(settings));
  start([...galley, "serve", project, "--port", String(port), "--quiet"], environment);
  await until("the editor's server answers", () =>
    fetch(editor).then(
      () => true,
      () => false,
    ),
  );
  const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
  const list = await fetch(`${editor}/api/categories`, { headers });
  const categories = ((await list.json()) as { data: { documentId: string }[] }).data;
  /** Writes a new description of every category. */
  const edit = async (generation: number): Promise<void> => {
    for (const { documentId } of categories) {
      const body = JSON.stringify({ data: { description: `generation ${generation}` } });
      const { status } = await fetch(`${editor}/api/categories/${documentId}`, { method: "PUT", headers, body });
      if (status !== 200) throw new Error(`an edit was answered with ${status}`);
    }
  };
  const object = `s3://${BUCKET}/magazine.tar.gz`;
  const publish = [...galley, "publish", object, project];
  await edit(1);
  run(publish, folder, environment);

  const servers = Array.from({ length: Number(values.servers) }, () => `http://localhost:${freePort()}`);
  for (const server of servers) {
    const args = ["--port", new URL(server).port, "--refresh", values.refresh, "--public", "--quiet"];
    start([...galley, "serve", object, ...args, "--workers", values.workers], environment);
  }
  for (const server of servers)
    await until(`${server} answers`, () =>
      fetch(server).then(
        () => true,
        () => false,
      ),
    );
  const seen = new Seen();
  let isDone = false;
  const began = performance.now();
  const clients = Array.from({ length: Number(values.clients) }, () => client(servers, seen, () => isDone));
  const swaps = Number(values.swaps);
  const store = new Bun.S3Client({
    accessKeyId: KEYS.AWS_ACCESS_KEY_ID,
    secretAccessKey: KEYS.AWS_SECRET_ACCESS_KEY,
    endpoint: environment.AWS_ENDPOINT_URL!,
    bucket: BUCKET,
  });
  let broken = 0;
  const delays: number[] = [];
  const isServed = (generation: number) => () =>
    servers.every((server) => (seen.newest.get(server) ?? 0) >= generation);
  for (let swap = 2; swap <= swaps + 1; swap++) {
    await edit(swap);
    if (swap % BROKEN_EVERY === 0) {
      const whole = await store.file("magazine.tar.gz").bytes();
      await store.write("magazine.tar.gz", whole.slice(0, Math.floor(whole.length * Math.random())));
      await Bun.sleep(1_000);
      broken++;
    }
    run(publish, folder, environment);
    const uploaded = performance.now();
    while (!isServed(swap)() && performance.now() - uploaded < WAIT_MS) await Bun.sleep(10);
    if (!isServed(swap)())
      throw new Error(
        `generation ${swap} was not served by all: ${[...seen.newest]}; ${seen.problems.slice(0, 5).join("; ")}`,
      );
    delays.push(performance.now() - uploaded);
  }
  isDone = true;
  await Promise.all(clients);
  const seconds = (performance.now() - began) / 1000;

  // without anybody who publishes by hand
  const watcher = start([...publish, "--on-change"], environment);
  await Bun.sleep(3_000);
  await edit(swaps + 2);
  const changed = performance.now();
  const last = new Seen();
  isDone = false;
  const asking = client(servers, last, () => isDone);
  while ((last.newest.get(servers[0]!) ?? 0) < swaps + 2 && performance.now() - changed < WAIT_MS) await Bun.sleep(20);
  isDone = true;
  await asking;
  const noticed = (performance.now() - changed) / 1000;
  watcher.kill("SIGTERM");

  const requests = seen.milliseconds.length;
  // too many for the arguments of a call
  const slowest = seen.milliseconds.reduce((a, b) => Math.max(a, b), 0);
  console.log(
    `${requests} requests in ${seconds.toFixed(0)} s (${(requests / seconds).toFixed(0)}/s) to ${servers.length} servers`,
  );
  console.log(
    `${swaps} archives taken over, ${broken} broken ones refused, ${seen.problems.length} requests lost or wrong`,
  );
  console.log(
    `an answer: median ${seen.quantile(0.5).toFixed(1)} ms, 99 % ${seen.quantile(0.99).toFixed(1)} ms, slowest ${slowest.toFixed(0)} ms`,
  );
  delays.sort((a, b) => a - b);
  console.log(
    `from the upload until all serve it: median ${(delays[delays.length >> 1]! / 1000).toFixed(2)} s, slowest ${(delays.at(-1)! / 1000).toFixed(2)} s; with --on-change from the edit: ${noticed.toFixed(1)} s`,
  );
  for (const problem of seen.problems.slice(0, 10)) console.log(problem);
  if (seen.problems.length > 0 || noticed * 1000 >= WAIT_MS) process.exitCode = 1;
} finally {
  for (const child of children) child.kill("SIGTERM");
  await Promise.all(children.map((child) => child.exited));
  rmSync(folder, { recursive: true, force: true });
}
