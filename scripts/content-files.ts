#!/usr/bin/env bun
/**
 * Measures the synchronisation of `content/` with the API: saved files, written documents, checkouts, very many files, and where the
 * system does not report changes of files (Linux only).
 *
 *   bun scripts/content-files.ts [--files 100000] [--rounds 50] [--only reported,polled,checkout,many] [--executable FILE]
 */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  apiToFile,
  countTitles,
  fileToApi,
  longestStop,
  PATIENCE_MS,
  type Served,
  type Times,
  timeUntil,
} from "./content-files/measure.ts";
import { articleFile, setTitle, writeProject } from "./content-files/project.ts";
import { FROM_SOURCE, startServer } from "./kill/server.ts";

const PARTS = ["reported", "polled", "checkout", "many"] as const;
/** After a start until files are watched and looked at. */
const SETTLE_MS = 3000;
/** A user namespace of its own, without watches: the server has to poll. */
const WITHOUT_WATCHES = [
  ...["unshare", "--user", "--map-root-user", "sh", "-c"],
  'echo 0 > /proc/sys/user/max_inotify_watches; exec "$@"',
  "sh",
];

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "100000" },
    rounds: { type: "string", default: "50" },
    only: { type: "string", default: PARTS.join() },
    executable: { type: "string" },
  },
});
const many = Number(values.files);
const rounds = Number(values.rounds);
const program = values.executable ? [values.executable] : FROM_SOURCE;
const parts = new Set(values.only.split(","));

const ms = (value: number): string => `${value.toFixed(0)} ms`;
const tell = (what: string, ...figures: readonly string[]): void => console.log(`${what}: ${figures.join(", ")}`);
const show = ({ median, longest, stop }: Times): string[] => [
  `median of ${rounds} ${ms(median)}`,
  `longest ${ms(longest)}`,
  `longest stop ${ms(stop)}`,
];

async function inProject(articles: number, work: (root: string) => Promise<void>): Promise<void> {
  const root = mkdtempSync(join(tmpdir(), "galley-content-files-"));
  try {
    writeProject(root, articles);
    await work(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function serve(
  root: string,
  command: readonly string[],
  work: (served: Served) => Promise<void>,
): Promise<number> {
  const began = performance.now();
  const { url, kill } = await startServer(root, 1, command, PATIENCE_MS);
  const start = performance.now() - began;
  try {
    await work({ root, url });
  } finally {
    await kill();
  }
  return start;
}

const hasId = (root: string, number: number): boolean =>
  readFileSync(articleFile(root, number), "utf8").startsWith("$id: ");

/** Loads the files once, and waits until they have their ids. */
async function load(root: string, articles: number): Promise<void> {
  const began = performance.now();
  let stop = 0;
  let written = 0;
  await serve(root, program, async ({ url }) => {
    const loaded = performance.now();
    tell(`first start with ${articles} files`, ms(loaded - began));
    stop = await longestStop(url, async () => {
      let next = 0;
      await timeUntil(() => {
        while (next < articles && hasId(root, next)) next++;
        return next === articles;
      });
    });
    written = performance.now() - loaded;
    await Bun.sleep(SETTLE_MS);
  });
  tell("  ids are in all files", `${ms(written)} after it`, `longest stop ${ms(stop)}`);
}

async function measureSaves(articles: number, command: readonly string[], spread?: number): Promise<void> {
  await inProject(articles, async (root) => {
    await load(root, articles);
    await serve(root, command, async (served) => {
      await Bun.sleep(SETTLE_MS);
      tell("  file to API", ...show(await fileToApi(served, articles, rounds, spread)));
      tell("  API to file", ...show(await apiToFile(served, articles, rounds)));
    });
  });
}

function git(root: string, ...args: readonly string[]): void {
  const user = ["-c", "user.name=bench", "-c", "user.email=bench@example.org"];
  const { exitCode, stderr } = Bun.spawnSync(["git", "-C", root, ...user, ...args]);
  if (exitCode !== 0) throw new Error(`git ${args.join(" ")}: ${stderr}`);
}

async function measureCheckouts(articles: number, changed: number): Promise<void> {
  await inProject(articles, async (root) => {
    await load(root, articles);
    git(root, "init", "--quiet");
    for (const branch of ["one", "two"]) {
      for (let number = 0; number < changed; number++)
        setTitle(root, Math.floor((number * articles) / changed), `${branch}-${number}`);
      git(root, "checkout", "--quiet", "-b", branch);
      git(root, "add", ".");
      git(root, "commit", "--quiet", "-m", branch);
    }
    await serve(root, program, async ({ url }) => {
      await timeUntil(async () => (await countTitles(url, "two-")) === changed);
      await Bun.sleep(SETTLE_MS);
      for (const branch of ["one", "two", "one"]) {
        const before = performance.now();
        git(root, "checkout", "--quiet", branch);
        const began = performance.now();
        const stop = await longestStop(url, async () => {
          await timeUntil(async () => (await countTitles(url, `${branch}-`)) === changed);
        });
        const took = performance.now() - began;
        tell("  checkout", `${ms(took)} after git, which took ${ms(began - before)}`, `longest stop ${ms(stop)}`);
        await Bun.sleep(SETTLE_MS);
      }
    });
  });
}

async function measureMany(articles: number): Promise<void> {
  await inProject(articles, async (root) => {
    await load(root, articles);
    const start = await serve(root, program, async (served) => {
      const stop = await longestStop(served.url, () => Bun.sleep(3 * SETTLE_MS));
      tell("  after the next start", `longest stop ${ms(stop)}`);
      tell("  file to API", ...show(await fileToApi(served, articles, rounds)));
      tell("  API to file", ...show(await apiToFile(served, articles, rounds)));
    });
    tell("  that start", ms(start));
  });
}

if (parts.has("reported")) for (const articles of [1000, 10_000]) await measureSaves(articles, program);
if (parts.has("polled") && process.platform === "linux")
  for (const articles of [1000, 5000, 10_000]) {
    console.log("without reports of the system");
    await measureSaves(articles, [...WITHOUT_WATCHES, ...program], 1500);
  }
if (parts.has("checkout")) await measureCheckouts(10_000, 1000);
if (parts.has("many")) await measureMany(many);
