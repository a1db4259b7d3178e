/** The change feed of a stranger does not depend on what happens where they may not look: neither entries, nor pages, nor kinds. */
import { afterAll, expect, test } from "bun:test";
import { ADMIN, type Body } from "../../../project.ts";
import { Random } from "../../../random.ts";
import { type SecretApp, secretApp } from "./project.ts";

const SEED = Number(process.env.GALLEY_TEST_SEED ?? 35);
const STEPS = Number(process.env.GALLEY_TEST_REQUESTS ?? 150);

class Side {
  readonly app: SecretApp["app"];
  readonly tokens: string[] = [];
  /** The documents that there are, by type, in the same order on both sides. */
  readonly ids: Record<string, string[]> = { post: [], tag: [], news: [] };
  /** Names of documents, which are the same on both sides. */
  readonly #names = new Map<string, string>();
  readonly vaults: string[] = [];
  readonly drafts: string[] = [];

  constructor({ app }: SecretApp) {
    this.app = app;
  }

  async write(method: string, path: string, data?: Record<string, unknown>): Promise<Body> {
    const { status, body } = await this.app.call(method, path, data && { data }, ADMIN);
    if (status >= 400) throw new Error(`${method} ${path}: ${JSON.stringify(body)}`);
    return body?.data;
  }

  /** What a stranger gets, without what differs always. */
  async feed(query: string): Promise<{ readonly shown: unknown; readonly token: string }> {
    const response = await this.app.handle(new Request(`http://localhost/galley/changes?${query}`));
    const { token, tags, ...body } = (await response.json()) as Body;
    const text = JSON.stringify({ status: response.status, headers: [...response.headers.keys()], tags, ...body })
      .replace(/\b[a-z0-9]{24}\b/g, (id) => this.#names.get(id) ?? "?")
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/_[0-9a-f]{10}\b/g, "_<hash>")
      // of document ids
      .replace(/=[0-9a-z]+/g, "=<hash>")
      // rows of drafts have ids, too
      .replace(/"id":\d+/g, '"id":0');
    const shown = JSON.parse(text);
    return { shown: { ...shown, tags: shown.tags?.sort() }, token };
  }

  /** Something that a stranger does not see. */
  async act(random: Random): Promise<void> {
    const vault = random.pick(this.vaults);
    const news = random.pick(this.ids.news!);
    const other = random.pick(this.drafts);
    const related = ["post", "tag"].flatMap((type) =>
      this.ids[type]!.filter(() => random.chance(0.3)).map((documentId) => ({
        __type: `api::${type}.${type}`,
        documentId,
      })),
    );
    const actions: readonly (() => Promise<unknown>)[] = [
      async () => this.vaults.push((await this.write("POST", "/api/vaults", { name: "v", related })).documentId),
      async () => vault && this.write("PUT", `/api/vaults/${vault}`, { name: `v${random.below(9)}`, related }),
      async () => {
        if (!vault) return;
        this.vaults.splice(this.vaults.indexOf(vault), 1);
        await this.write("DELETE", `/api/vaults/${vault}`);
      },
      async () => news && this.write("PUT", `/api/newss/${news}?status=draft`, { title: `d${random.below(9)}` }),
      async () =>
        this.drafts.push((await this.write("POST", "/api/newss?status=draft", { title: "draft" })).documentId),
      async () => other && this.write("PUT", `/api/newss/${other}?status=draft&locale=de`, { note: "n" }),
      // another caller compacts the log
      async () => this.app.call("GET", "/galley/changes", undefined, ADMIN),
    ];
    await random.pick(actions)!();
  }

  /** The same on both sides. `random`: of its own, with the same seed. */
  async change(random: Random): Promise<void> {
    const type = random.pick(["post", "tag", "news"])!;
    const ids = this.ids[type]!;
    const at = random.below(ids.length + 2);
    const id = ids[at];
    const data = { [type === "tag" ? "name" : "title"]: `x${random.below(99)}` };
    const locale = type === "news" && random.chance(0.4) ? "?locale=de" : "";
    if (id === undefined) {
      const { documentId } = await this.write("POST", `/api/${type}s`, data);
      ids.push(documentId);
      this.#names.set(documentId, `${type}-${this.#names.size}`);
    } else if (random.chance(0.2)) {
      await this.write("DELETE", `/api/${type}s/${id}`);
      ids.splice(at, 1);
    } else await this.write("PUT", `/api/${type}s/${id}${locale}`, data);
  }
}

const sides = (await Promise.all([secretApp("alpha-one"), secretApp("omega-two")])).map((side) => new Side(side));
afterAll(async () => {
  for (const { app } of sides) await app.close();
});

test(`${STEPS} steps (seed ${SEED})`, async () => {
  const hidden = sides.map((_, at) => new Random(SEED + 1 + at));
  const shown = sides.map(() => new Random(SEED));
  const choice = new Random(SEED + 10);
  const polled = async (query: (side: Side) => string): Promise<void> => {
    const [one, other] = await Promise.all(sides.map((side) => side.feed(query(side))));
    expect(other!.shown).toEqual(one!.shown);
    for (const [at, { token }] of [one!, other!].entries()) sides[at]!.tokens.push(token);
  };
  await polled(() => "");
  let listed = 0;
  for (let step = 0; step < STEPS; step++) {
    for (const [at, side] of sides.entries()) {
      for (let count = hidden[at]!.below(4); count > 0; count--) await side.act(hidden[at]!);
      await side.change(shown[at]!);
      for (let count = hidden[at]!.below(3); count > 0; count--) await side.act(hidden[at]!);
    }
    const from = choice.below(sides[0]!.tokens.length);
    const populate = choice.pick(["", "&populate=*", "&query[api::post.post][fields]=title"]);
    const limit = choice.pick(["", "&limit=1", "&limit=3"]);
    await polled((side) => `since=${side.tokens[from]}${populate}${limit}`);
    if (choice.chance(0.1)) await polled(() => `full=1${limit}`);
    listed += ((await sides[0]!.feed(`since=${sides[0]!.tokens[0]}`)).shown as Body).changes.length;
  }
  expect(listed).toBeGreaterThan(STEPS);
}, 120_000);
