/** Whatever a stranger or a user asks for, the answer does not depend on what they must not see. */
import { afterAll, expect, test } from "bun:test";
import { Random } from "../../random.ts";
import { secretApp } from "./project.ts";
import { type GeneratedRequest, Requests } from "./requests.ts";

const SEED = Number(process.env.GALLEY_TEST_SEED ?? 20261122);
const COUNT = Number(process.env.GALLEY_TEST_REQUESTS ?? 1200);

const sides = await Promise.all([secretApp("alpha-one"), secretApp("omega-two")]);
afterAll(async () => {
  for (const { app } of sides) await app.close();
});

/** Ids of documents by the order in which they show; times as such. */
class Normaliser {
  readonly #ids = new Map<string, string>();

  text(text: string): string {
    return text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/"documentId":"([a-z0-9]{24})"/g, (_, id: string) => {
        const symbol = this.#ids.get(id) ?? `<${this.#ids.size}>`;
        this.#ids.set(id, symbol);
        return `"documentId":"${symbol}"`;
      });
  }
}

async function answer(
  { app, user }: (typeof sides)[number],
  { method, path, body }: GeneratedRequest,
  asUser: boolean,
): Promise<{ status: number; text: string }> {
  const init: RequestInit = { method, headers: { "content-type": "application/json", ...(asUser ? user : {}) } };
  if (body !== undefined) init.body = JSON.stringify(body);
  const response = await app.handle(new Request(`http://localhost${path}`, init));
  return { status: response.status, text: await response.text() };
}

test(`${COUNT} requests (seed ${SEED}) have the same answers, whatever the secrets`, async () => {
  const random = new Random(SEED);
  const requests = new Requests(random);
  const normalisers = sides.map(() => new Normaliser());
  const statuses = new Map<number, number>();
  for (let n = 0; n < COUNT; n++) {
    const request = requests.next();
    const asUser = random.chance(0.4);
    const [one, other] = await Promise.all(sides.map((side) => answer(side, request, asUser)));
    statuses.set(one!.status, (statuses.get(one!.status) ?? 0) + 1);
    const seen = { n, request, asUser, status: one!.status, text: normalisers[0]!.text(one!.text) };
    expect({ n, request, asUser, status: other!.status, text: normalisers[1]!.text(other!.text) }).toEqual(seen);
    expect(one!.text).not.toMatch(/alpha-one@|user-alpha|late-alpha|\$2[aby]\$10\$[./\w]{20}/);
  }
  // the requests must be good enough to be answered, and some of them not
  expect(statuses.get(200) ?? 0).toBeGreaterThan(COUNT / 4);
  expect(statuses.get(400) ?? 0).toBeGreaterThan(COUNT / 20);
  expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
}, 120_000);
