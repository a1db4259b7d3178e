/** Random writes: every version of a document whose complete read has changed is logged, and few others are. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { Random } from "../../random.ts";
import { ARTICLE, AUTHOR, LOCALES, type LoggedApp, loggedApp, TAG } from "./change-log-app.ts";
import { operate, type World } from "./random-writes.ts";

const SEED = 2_718_281;
/** More: `STEPS=20000 bun test test/engine/storage/change-log-walk.test.ts`. */
const STEPS = Number(process.env.STEPS ?? 300);

let app: LoggedApp;
beforeAll(async () => {
  app = await loggedApp();
});
afterAll(() => app.close());

const block = { populate: { tags: true, image: true, quotes: { populate: { author: true } } } };
const populate: Readonly<Record<string, object>> = {
  [ARTICLE]: {
    ...{ author: true, tags: true, cover: true, mixed: { on: { [AUTHOR]: true, [TAG]: true } }, block },
    parts: { on: { "part.block": block, "part.quote": { populate: { author: true } } } },
  },
  [AUTHOR]: { articles: true, friends: true, mentions: true },
  [TAG]: { articles: true },
};

/** Other documents are shown by their id, since their values are theirs. */
function strip(value: unknown, isTop = true): unknown {
  if (Array.isArray(value)) return value.map((item) => strip(item, isTop));
  if (typeof value !== "object" || value === null) return value;
  const { documentId, locale, publishedAt } = value as Record<string, unknown>;
  if (!isTop && documentId !== undefined) return { documentId, locale, publishedAt: publishedAt !== null };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, strip(inner, false)]));
}

/** Each version, as text. */
async function readAll(): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  // authors have no drafts, but show those of articles
  const add = (key: string, found: unknown): unknown =>
    versions.set(key, (versions.get(key) ?? "") + JSON.stringify(strip(found)));
  for (const uid of Object.keys(populate)) {
    for (const status of ["draft", "published"] as const) {
      for (const locale of uid === ARTICLE ? LOCALES : [undefined]) {
        const where = locale === undefined ? {} : { locale };
        for (const found of await app.documents(uid).findMany({ status, ...where, populate: populate[uid] as never }))
          add(`${uid} ${found.documentId} ${locale ?? "-"} ${uid === AUTHOR ? "published" : status}`, found);
      }
    }
  }
  return versions;
}

test(`${STEPS} writes (seed ${SEED})`, async () => {
  const world: World = { app, random: new Random(SEED), ids: {}, files: [] };
  let before = await readAll();
  const counts = { changed: 0, logged: 0, refused: 0 };
  for (let step = 0; step < STEPS; step++) {
    let done = "";
    const entries = await app.changedBy(async () => {
      done = await operate(world);
    });
    const logged = new Map(entries.map((entry) => [entry.slice(0, entry.lastIndexOf(" ")), entry]));
    const after = await readAll();
    const changed = [...new Set([...before.keys(), ...after.keys()])].filter(
      (key) => before.get(key) !== after.get(key),
    );
    const missed = changed.filter((key) => !logged.has(key));
    if (missed.length > 0)
      throw new Error(
        `step ${step}, ${done}: ${missed.map((key) => `${key}\n${before.get(key)}\n${after.get(key)}`).join("\n")}`,
      );
    for (const key of changed) {
      const kind = logged.get(key)!.split(" ").at(-1)!;
      if (after.has(key)) expect(["delete", "unpublish"]).not.toContain(kind);
      else expect(["delete", "unpublish"]).toContain(kind);
      if (!before.has(key)) expect(["create", "publish"]).toContain(kind);
    }
    counts.changed += changed.length;
    counts.logged += [...logged.keys()].filter((key) => key.startsWith("api::")).length;
    if (done === "refused") {
      counts.refused++;
      expect(entries).toEqual([]);
    }
    before = after;
  }
  if (process.env.STEPS) console.log(counts);
  expect(counts.changed).toBeGreaterThan(STEPS);
  expect(counts.refused).toBeLessThan(STEPS / 5);
  expect(counts.logged / counts.changed).toBeLessThan(1.3);
}, 300_000);
