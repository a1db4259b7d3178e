#!/usr/bin/env bun
/**
 * How fast Galley is: the compiled executable, a floor written by hand on the same content (`bench/floor/`), Strapi if it is
 * installed, and an older commit, side by side and by turns. Figures are processor time of the server, which a busy machine
 * changes little; Linux only. Prints medians, ratios and the README's table.
 *
 *   bun scripts/bench.ts [--articles 10000] [--seconds 2] [--rounds 3] [--connections 8] [--only list,populate]
 *     [--reference DIR] [--against COMMIT|FILE] [--cache DIR] [--json FILE] [--executable FILE]
 *   bun scripts/bench.ts --check     fails where the part of the floor's speed is less than it must be
 *   bun scripts/bench.ts --scale     the executable alone on up to a million articles
 *   bun scripts/bench.ts --small     start and memory of a small project; fails when they are not good
 *   bun scripts/bench.ts --tags      what cache tags add to the processor time of reads, and the change log to that of writes; of
 *                                    the source
 *   bun scripts/bench.ts --own-code  what own code adds to the processor time of reads; --only takes names of its cases
 *   bun scripts/bench.ts --page      the admin page in Chromium, of the source or of --executable; fails as well
 */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { compileCommit } from "./bench/against.ts";
import { checkFloor, compare, type Entrant } from "./bench/compare.ts";
import { leaveServerCore, pinned } from "./bench/cores.ts";
import { BY_SERVICE, MAX_BY_SERVICE, makeContent } from "./bench/data.ts";
import type { Settings } from "./bench/measure.ts";
import { benchOwnCode } from "./bench/own-code.ts";
import { readmeSizes, readmeTable } from "./bench/readme-table.ts";
import { makeReferenceContent, reference } from "./bench/reference.ts";
import { listSlow, printResults } from "./bench/results.ts";
import { measureScale, printScale, SCALE } from "./bench/scale.ts";
import { printSmall } from "./bench/small.ts";
import { measureStartUp } from "./bench/start-up.ts";
import { compareTags, printTags } from "./bench/tags.ts";
import { empty, executable, floor, stopAll, type Target } from "./bench/target.ts";
import { writeUpload } from "./bench/upload.ts";
import { MIN_ARTICLES, works } from "./bench/works.ts";
import { compile } from "./build.ts";

const { values: given } = parseArgs({
  options: {
    articles: { type: "string", default: "10000" },
    seconds: { type: "string", default: "2" },
    rounds: { type: "string", default: "3" },
    connections: { type: "string", default: "8" },
    only: { type: "string" },
    reference: { type: "string" },
    against: { type: "string" },
    check: { type: "boolean", default: false },
    cache: { type: "string" },
    json: { type: "string" },
    executable: { type: "string" },
    scale: { type: "boolean", default: false },
    small: { type: "boolean", default: false },
    page: { type: "boolean", default: false },
    "own-code": { type: "boolean", default: false },
    tags: { type: "boolean", default: false },
  },
});

const scratch = mkdtempSync(join(tmpdir(), "galley-bench-"));
const cache = given.cache ? resolve(given.cache) : scratch;

function number(name: "articles" | "seconds" | "rounds" | "connections"): number {
  const value = Number(given[name]);
  // parts of a second are enough for a check
  if (!(value > 0) || (name !== "seconds" && !Number.isInteger(value)))
    throw new Error(`--${name} must be a number, not "${given[name]}"`);
  return value;
}

function readSettings(): Settings {
  const names = given.only?.split(",");
  const unknown = names?.filter((name) => !works.some((work) => work.name === name)) ?? [];
  if (unknown.length > 0) throw new Error(`--only: no workload ${unknown}; there are ${works.map(({ name }) => name)}`);
  return {
    rounds: number("rounds"),
    seconds: number("seconds"),
    connections: number("connections"),
    works: names ? works.filter(({ name }) => names.includes(name)) : works,
    scratch,
    tell: (text) => console.error(text),
  };
}

function readArticles(): number {
  const articles = number("articles");
  if (articles < MIN_ARTICLES) throw new Error(`--articles must be at least ${MIN_ARTICLES}`);
  if (articles > MAX_BY_SERVICE && articles % BY_SERVICE !== 0)
    throw new Error(`--articles beyond ${MAX_BY_SERVICE} must be a multiple of ${BY_SERVICE}`);
  return articles;
}

async function builtExecutable(): Promise<string> {
  if (given.executable) return resolve(given.executable);
  const file = join(scratch, "galley");
  await compile(file);
  return file;
}

function writeJson(result: object): void {
  if (!given.json) return;
  const machine = { cpu: cpus()[0]?.model, cores: cpus().length, pinned, bun: Bun.version };
  writeFileSync(given.json, `${JSON.stringify({ machine, ...result }, null, 2)}\n`);
}

async function ownCode(target: Target): Promise<boolean> {
  const { folder } = await makeContent(cache, MIN_ARTICLES);
  leaveServerCore();
  const only = given.only?.split(",");
  const [rounds, connections] = [number("rounds"), number("connections")];
  const tell = (text: string): void => console.error(text);
  const { isFast, results } = await benchOwnCode({ target, folder, scratch, rounds, connections, only, tell });
  writeJson({ rounds, connections, ownCode: results });
  return isFast;
}

/** Returns whether everything was as it should be. */
async function bench(): Promise<boolean> {
  if (given.page) {
    const { benchAdminPage } = await import("./bench/admin-page.ts");
    return benchAdminPage(given.executable ? resolve(given.executable) : undefined, number("rounds"));
  }
  if (given["own-code"]) return ownCode(executable(await builtExecutable()));
  const settings = readSettings();
  const { works: chosen, tell, rounds, seconds, connections } = settings;
  const articles = given.small ? BY_SERVICE : readArticles();
  const upload = writeUpload(scratch);
  const content = async (count: number) => {
    tell(`content: ${count} articles`);
    const { folder, ids } = await makeContent(cache, count);
    return { folder, content: { ids, articles: count, upload } };
  };
  if (given.tags) {
    const made = await content(articles);
    leaveServerCore();
    const times = await compareTags(made, settings);
    printTags(times, chosen);
    writeJson({ articles, seconds, rounds, connections, tags: times });
    return true;
  }
  const target = executable(await builtExecutable());
  const entrant = async (count: number): Promise<Entrant> => ({ target, ...(await content(count)) });
  if (given.scale) {
    leaveServerCore();
    const scale = await measureScale(entrant, settings);
    printScale(scale, settings);
    writeJson({ seconds, rounds, connections, scale });
    return SCALE.every((size) => Object.keys(scale[size]?.galley?.problems ?? {}).length === 0);
  }
  const outfile = join(scratch, "empty");
  await Bun.build({ entrypoints: [join(import.meta.dir, "bench/empty.ts")], compile: { outfile } });
  const galley = await entrant(articles);
  const entrants: Entrant[] = [galley, { ...galley, target: floor }];
  if (given.reference && !given.small) {
    tell(`content of Strapi: ${articles} articles`);
    const { folder, ids } = await makeReferenceContent(cache, resolve(given.reference), articles);
    entrants.push({ target: reference, folder, content: { ids, articles, upload } });
  }
  if (given.against && !given.small) {
    const file = existsSync(given.against) ? resolve(given.against) : await compileCommit(given.against, scratch);
    entrants.push({ ...galley, target: executable(file, "against") });
  }
  leaveServerCore();
  const startUp = await measureStartUp([target, empty(outfile)], galley.folder);
  if (given.small) {
    writeJson({ startUp });
    return printSmall(startUp);
  }
  await checkFloor(galley, chosen, scratch);
  tell("the floor's answers are the same");
  const comparison = await compare(entrants, settings);
  console.log(`${articles} articles, ${connections} connections, ${rounds} rounds of ${seconds} s; medians`);
  if (!pinned) console.log("Server and load share their cores: this machine cannot pin processes");
  printResults(comparison, chosen, startUp);
  console.log(`\nas in the README:\n\n${readmeTable(comparison)}\n\n${readmeSizes(comparison, startUp)}`);
  writeJson({ articles, seconds, rounds, connections, startUp, comparison });
  const slow = listSlow(comparison, chosen, startUp);
  for (const sentence of slow) console.log(`${given.check ? "FAIL " : ""}${sentence}`);
  if (given.check && slow.length > 0) return false;
  return Object.values(comparison).every(({ problems }) => Object.keys(problems).length === 0);
}

try {
  process.exitCode = (await bench()) ? 0 : 1;
} finally {
  await stopAll();
  rmSync(scratch, { recursive: true, force: true });
}
