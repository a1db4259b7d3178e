/** Random writes: a client that applies the feed to its copy has what a complete read has, however seldom it asks. */
import { expect, test } from "bun:test";
import type { Body, TestApp } from "../../project.ts";
import { Random } from "../../random.ts";
import { ARTICLE, AUTHOR, feed, feedApp, LOCALES } from "./feed-app.ts";

const SEED = 31_415;
/** More: `STEPS=5000 bun test test/server/change-feed/mirror.test.ts`. */
const STEPS = Number(process.env.STEPS ?? 200);

const QUOTE = { populate: ["quote"] };
const ASKED = `query[${ARTICLE}][populate]=quote&query[${AUTHOR}][populate]=articles.quote`;

/** A client's copy of what is published. */
class Mirror {
  readonly documents = new Map<string, unknown>();
  #since: string | undefined;

  async update(app: TestApp, limit: number): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const from = this.#since === undefined ? "full=1" : `since=${this.#since}`;
      const { status, body } = await feed(app, `${from}&limit=${limit}&${ASKED}`);
      expect(status).toBe(200);
      for (const { type, documentId, locale, kind, document } of body.changes as Body[]) {
        const key = `${type} ${documentId} ${locale ?? "-"}`;
        if (kind === "delete" || kind === "unpublish") this.documents.delete(key);
        // it was deleted after the page was found
        else if (document !== undefined) this.documents.set(key, document);
      }
      this.#since = body.token;
      ({ hasMore } = body);
    }
  }
}

/** Articles of authors are dependants, which the author's own entry does not tell of. */
const own = (document: Body): unknown => ({ ...document, articles: undefined });

async function readAll(app: TestApp): Promise<Map<string, unknown>> {
  const all = new Map<string, unknown>();
  for (const document of await app.documents(ARTICLE).findMany({ status: "published", locale: "*", ...QUOTE }))
    all.set(`${ARTICLE} ${document.documentId} ${document.locale}`, document);
  for (const document of await app.documents(AUTHOR).findMany({}))
    all.set(`${AUTHOR} ${document.documentId} -`, document);
  return all;
}

async function write(app: TestApp, random: Random, ids: Record<string, string[]>): Promise<void> {
  const uid = random.pick([ARTICLE, ARTICLE, AUTHOR]);
  const known = ids[uid]!;
  const service = app.documents(uid);
  const where =
    uid === ARTICLE ? { locale: random.pick(LOCALES), status: random.pick(["draft", "published"] as const) } : {};
  const author = random.pick([null, ...ids[AUTHOR]!]);
  const data =
    uid === ARTICLE
      ? {
          title: `t${random.below(99)}`,
          size: random.below(9),
          author,
          quote: random.pick([null, { text: `q${random.below(9)}` }]),
        }
      : { name: `n${random.below(99)}` };
  const documentId = random.pick(known);
  if (documentId === undefined || random.chance(0.25)) {
    known.push((await service.create({ data, ...where })).documentId as string);
    return;
  }
  const { locale } = where as { locale?: string };
  const of = { documentId, ...(locale && { locale }) };
  const action = random.pick(["update", "update", "update", "publish", "unpublish", "discardDraft", "delete"] as const);
  if (action === "update") await service.update({ documentId, data, ...where });
  else if (action === "delete") {
    await service.delete({ documentId, ...(uid === ARTICLE && { locale: random.pick(["*", locale!]) }) });
    const left = await service.count({ filters: { documentId }, ...(uid === ARTICLE && { locale: "*" }) });
    if (left === 0) ids[uid] = known.filter((id) => id !== documentId);
  } else if (uid === ARTICLE) await service[action](of);
}

test(`${STEPS} writes (seed ${SEED})`, async () => {
  const app = await feedApp();
  const random = new Random(SEED);
  const ids: Record<string, string[]> = { [ARTICLE]: [], [AUTHOR]: [] };
  const mirrors = [new Mirror(), new Mirror(), new Mirror()];
  for (let step = 0; step < STEPS; step++) {
    await write(app, random, ids);
    const mirror = random.pick([...mirrors, undefined, undefined, undefined]);
    if (!mirror) continue;
    await mirror.update(app, random.pick([1, 3, 1_000]));
    const all = await readAll(app);
    const copied = [...mirror.documents].map(([key, document]) => [key, own(document)] as const);
    const sorted = (list: Iterable<readonly [string, unknown]>) => [...list].sort(([a], [b]) => (a < b ? -1 : 1));
    expect(sorted(copied)).toEqual(sorted([...all].map(([key, document]) => [key, own(document)])));
  }
  expect((await readAll(app)).size).toBeGreaterThan(10);
  await app.close();
}, 120_000);
