#!/usr/bin/env bun
/**
 * Builds a site through `galley mirror` while its origin fails, is slow, and is gone, and compares each build with one from the origin.
 *
 *   bun scripts/mirror.ts [--reference DIR] [--builds 100] [--documents 30] [--delay 2000]
 *
 * The origin is a Galley, or a Strapi of DIR, where `scripts/conformance/reference.ts install` put it. Ends with 1 if a build fails or differs.
 */
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { isRecord } from "../src/lib/is-record.ts";
import { createApp } from "../src/server/app.ts";
import { openProject } from "../src/server/project/project.ts";
import { freePort } from "../test/free-port.ts";
import { Random } from "../test/random.ts";
import { buildSite, type Send } from "./mirror/site.ts";
import { makeContent } from "./roundtrip/content.ts";
import {
  API_TOKEN,
  configureGalley,
  galley,
  type RunningServer,
  referenceProject,
  startGalley,
  startReference,
  strapi,
} from "./roundtrip/servers.ts";

const { values: options } = parseArgs({
  options: {
    reference: { type: "string" },
    builds: { type: "string", default: "100" },
    documents: { type: "string", default: "30" },
    delay: { type: "string", default: "2000" },
  },
});
const PROJECT = join(import.meta.dir, "../test/conformance/project");
const FAILURES = 0.3;
const START_MS = 900_000;
const folder = mkdtempSync(join(tmpdir(), "galley-mirror-"));
const cleanups: (() => Promise<unknown> | undefined)[] = [];

/** Fills a project. */
async function fill(root: string): Promise<void> {
  cpSync(PROJECT, root, { recursive: true });
  configureGalley(root);
  const project = openProject(root, { memory: false, publicRead: false, environment: {} });
  await project.idle();
  const { handle } = createApp(project);
  const locales = ["en", "fr"];
  const documents = Number(options.documents);
  await makeContent({ model: project.model, ask: handle, token: API_TOKEN, locales, documents, files: 8, seed: 1 });
  await project.close();
}

async function startOrigin(root: string): Promise<RunningServer> {
  if (!options.reference) return startGalley(root);
  const archive = join(folder, "content.tar.gz");
  await galley("export", archive, root);
  const strapiFolder = referenceProject(options.reference, PROJECT);
  cleanups.push(async () => rmSync(strapiFolder, { recursive: true, force: true }));
  await strapi(strapiFolder, "import", "-f", archive, "--force");
  return startReference(strapiFolder);
}

/** Passes requests on to the origin, of which some fail, and all are slow. */
function startFront(origin: string) {
  const random = new Random(1);
  const counts = { requests: 0, failures: 0 };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch: async (request) => {
      counts.requests++;
      await Bun.sleep(Number(options.delay));
      if (random.chance(FAILURES)) {
        counts.failures++;
        return new Response("overloaded", { status: 503 });
      }
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      const body = method === "GET" ? {} : { body: await request.text() };
      return fetch(origin + pathname + search, { method, headers, decompress: false, ...body });
    },
  });
  return { counts, server, url: `http://127.0.0.1:${server.port}` };
}

async function startMirror(url: string): Promise<{ readonly url: string; readonly stop: () => Promise<unknown> }> {
  const port = freePort();
  const main = join(import.meta.dir, "../src/main.ts");
  const args = ["mirror", url, "--port", String(port), "--refresh", "10s", "--quiet"];
  const child = Bun.spawn([process.execPath, main, ...args], {
    env: { ...process.env, GALLEY_CACHE: folder, GALLEY_REMOTE_TOKEN: API_TOKEN },
    stdio: ["ignore", "inherit", "inherit"],
  });
  const stop = async () => {
    child.kill();
    await child.exited;
  };
  const address = `http://localhost:${port}`;
  for (const end = Date.now() + START_MS; Date.now() < end && child.exitCode === null; await Bun.sleep(100))
    if ((await fetch(`${address}/_health`).catch(() => undefined))?.status === 204) return { url: address, stop };
  await stop();
  throw new Error("the mirror did not come up");
}

/** Number of characters around a difference. */
const CONTEXT = 200;

function showDifference(is: string, wanted: string): void {
  const place = [...is].findIndex((letter, index) => letter !== wanted[index]);
  const around = (text: string): string => text.slice(Math.max(0, place - CONTEXT), place + CONTEXT);
  console.log(`  is:        ${is.slice(0, CONTEXT)} … ${around(is)}\n  should be: … ${around(wanted)}`);
}

/** Strapi has another order of keys. */
function sortKeys(text: string): string {
  const start = text.indexOf("{");
  const list = text.indexOf("[{");
  const first = list >= 0 && list < start ? list : start;
  const sort = (_: string, value: unknown): unknown =>
    isRecord(value) ? Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1))) : value;
  return first < 0 ? text : text.slice(0, first) + JSON.stringify(JSON.parse(text.slice(first)), sort);
}

const root = join(folder, "source");
let failed = 0;
try {
  await fill(root);
  const origin = await startOrigin(root);
  cleanups.push(() => origin.stop());
  const { model } = openProject(root, { memory: true, publicRead: false, environment: {} });
  const sender =
    (url: string): Send =>
    (path, init) =>
      fetch(url + path, { ...init, headers: { ...init?.headers, authorization: `Bearer ${API_TOKEN}` } });
  const wanted = (await buildSite(model, sender(origin.url))).map(sortKeys);
  const front = startFront(origin.url);
  const started = performance.now();
  let mirror = await startMirror(front.url);
  cleanups.push(() => mirror.stop());
  console.log(
    `copied in ${((performance.now() - started) / 1_000).toFixed(0)} s, with ${front.counts.requests} requests, of which ${front.counts.failures} failed`,
  );
  const builds = Number(options.builds);
  const half = Math.ceil(builds / 2);
  const build = async (count: number, name: string): Promise<void> => {
    const began = performance.now();
    let differing = 0;
    for (let index = 0; index < count; index++) {
      const texts = (await buildSite(model, sender(mirror.url))).map(sortKeys);
      const difference = texts.findIndex((text, place) => text !== wanted[place]);
      if (difference < 0) continue;
      differing++;
      if (differing === 1) showDifference(texts[difference]!, wanted[difference]!);
    }
    failed += differing;
    const seconds = (performance.now() - began) / 1_000;
    console.log(
      `${count} builds of ${wanted.length} requests, ${name}: ${differing} failed or differ, ${(seconds / count).toFixed(2)} s each`,
    );
  };
  await build(half, "the origin fails and is slow");
  await front.server.stop(true);
  await build(Math.floor(half / 2), "the origin is gone");
  await mirror.stop();
  mirror = await startMirror(front.url);
  await build(builds - half - Math.floor(half / 2), "the origin is gone, another process");
} finally {
  for (const clean of cleanups.toReversed()) await clean();
  rmSync(folder, { recursive: true, force: true });
}
process.exit(failed > 0 ? 1 : 0);
