/** How long changes take from files to the API and back, and how long the server answers nobody else meanwhile. */
import { readFileSync } from "node:fs";
import { median } from "../bench/median.ts";
import { articleFile, HEADERS, setTitle } from "./project.ts";

export interface Served {
  readonly root: string;
  readonly url: string;
}

/** For one step with very many files. */
export const PATIENCE_MS = 1_800_000;
const PROBE_MS = 5;

/** Milliseconds until it is so. */
export async function timeUntil(isSo: () => boolean | Promise<boolean>): Promise<number> {
  const began = performance.now();
  while (!(await isSo())) {
    if (performance.now() - began > PATIENCE_MS) throw new Error("It takes too long");
    await Bun.sleep(PROBE_MS);
  }
  return performance.now() - began;
}

export async function get(
  url: string,
): Promise<{ data: { title: string }[]; meta: { pagination: { total: number } } }> {
  return (await fetch(url, { headers: HEADERS })).json() as ReturnType<typeof get>;
}

/** How many articles have a title that begins so. */
export async function countTitles(url: string, start: string): Promise<number> {
  const query = `filters[title][$startsWith]=${start}&fields=title&pagination[pageSize]=1`;
  return (await get(`${url}/api/articles?${query}`)).meta.pagination.total;
}

/** Runs `work` and finds the longest time that others had to wait for the smallest response meanwhile, in milliseconds. */
export async function longestStop(url: string, work: () => Promise<unknown>): Promise<number> {
  let longest = 0;
  let isOver = false;
  const probe = async (): Promise<void> => {
    while (!isOver) {
      const began = performance.now();
      await fetch(`${url}/_health`);
      longest = Math.max(longest, performance.now() - began);
      await Bun.sleep(PROBE_MS);
    }
  };
  const probing = probe();
  await work();
  isOver = true;
  await probing;
  return longest;
}

/** A pause as between two saves of a person, which differs so that polls are hit at any moment. */
const pause = (round: number, spread: number): Promise<void> => Bun.sleep(100 + ((round * 37) % spread));

export interface Times {
  readonly median: number;
  readonly longest: number;
  readonly stop: number;
}

async function repeat(
  url: string,
  rounds: number,
  spread: number,
  once: (round: number) => Promise<number>,
): Promise<Times> {
  const times: number[] = [];
  const stop = await longestStop(url, async () => {
    for (let round = 0; round < rounds; round++) {
      await pause(round, spread);
      times.push(await once(round));
    }
  });
  return { median: median(times), longest: Math.max(...times), stop };
}

/** Of different files, which are saved in place. */
export const fileToApi = ({ root, url }: Served, articles: number, rounds: number, spread = 200): Promise<Times> =>
  repeat(url, rounds, spread, (round) => {
    const title = `Saved-${round}-${Math.round(performance.now())}`;
    setTitle(root, (round * 7919) % articles, title);
    return timeUntil(async () => (await countTitles(url, title)) === 1);
  });

export const apiToFile = async ({ root, url }: Served, articles: number, rounds: number): Promise<Times> =>
  repeat(url, rounds, 200, async (round) => {
    const number = (round * 7919 + 1) % articles;
    const text = (): string => readFileSync(articleFile(root, number), "utf8");
    const title = `Written-${round}-${Math.round(performance.now())}`;
    const id = /^\$id: (.*)$/m.exec(text())![1];
    const body = JSON.stringify({ data: { title } });
    const response = await fetch(`${url}/api/articles/${id}`, { method: "PUT", headers: HEADERS, body });
    if (!response.ok) throw new Error(await response.text());
    return timeUntil(() => text().includes(`title: ${title}\n`));
  });
