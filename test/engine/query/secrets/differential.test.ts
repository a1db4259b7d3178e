/** Whatever a stranger or a user asks for, the answer does not depend on what they must not see. */
import { afterAll, expect, test } from "bun:test";
import { vercelStegaSplit } from "@vercel/stega";
import { Random } from "../../../random.ts";
import { type SecretApp, secretApp } from "./project.ts";
import { type GeneratedRequest, Requests } from "./requests.ts";

const SEED = Number(process.env.GALLEY_TEST_SEED ?? 20261122);
const COUNT = Number(process.env.GALLEY_TEST_REQUESTS ?? 900);

const sides = await Promise.all([secretApp("alpha-one"), secretApp("omega-two")]);
afterAll(async () => {
  for (const { app } of sides) await app.close();
});

/** Ids of documents by the order in which they show; times as such. */
class Normaliser {
  readonly #ids = new Map<string, string>();
  #shown = 0;

  constructor({ documents }: SecretApp) {
    for (const [type, ids] of Object.entries(documents)) {
      for (const [at, id] of ids.entries()) this.#ids.set(id, `<${type}-${at}>`);
    }
  }

  text(text: string): string {
    return text
      .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
      .replace(/"documentId":"([a-z0-9]{24})"/g, (_, id: string) => {
        const symbol = this.#ids.get(id) ?? `<${this.#shown++}>`;
        this.#ids.set(id, symbol);
        return `"documentId":"${symbol}"`;
      })
      .replace(/\b[a-z][a-z0-9]{23}\b/g, (id) => this.#ids.get(id) ?? id)
      .replace(/_[0-9a-f]{10}\b/g, "_<hash>");
  }

  /** Those of documents that the answer shows without their ids are the same number of tags. */
  tags(tags: string): string {
    return tags
      .split(",")
      .map((tag) =>
        tag
          .replace(/:[a-z][a-z0-9]{23}\b/, (id) => `:${this.#ids.get(id.slice(1)) ?? "?"}`)
          .replace(/=[a-z0-9]+/, "=<hash>"),
      )
      .sort()
      .join(",");
  }
}

interface Answer {
  readonly status: number;
  readonly text: string;
  /** The names of all headers, and what says how long the body is. */
  readonly headers: string;
  readonly tags: string;
}

/** Of the answers of each application, in order. */
const tokens = new Map(sides.map((side) => [side, [] as string[]]));

/** The body without tokens and tags, and the tags. Where a text is from has the id of its document. */
function readBody(side: SecretApp, text: string): { readonly text: string; readonly tags?: string } {
  const { cleaned } = vercelStegaSplit(text);
  if (!cleaned.startsWith('{"token":"')) return { text: cleaned };
  const { token, tags = [], ...body } = JSON.parse(cleaned);
  tokens.get(side)!.push(token);
  return { text: JSON.stringify(body), tags: tags.join(",") };
}

async function answer(
  side: SecretApp,
  { method, path, body, form, headers: sent = {} }: GeneratedRequest,
  asUser: boolean,
): Promise<Answer> {
  const { app, user, documents } = side;
  // documents have other ids on each side
  const resolved = (text: string): string =>
    text
      .replace(/(?:@|%40)token-(\d+)/, (_, at: string) => {
        const known = tokens.get(side)!;
        return known[Number(at) % known.length] ?? "";
      })
      .replace(/@(\w+)-(\d)/g, (_, type: string, at: string) => documents[type]?.[Number(at)] ?? "none");
  const init: RequestInit = { method, headers: { ...sent, ...(asUser ? user : {}) } };
  if (body !== undefined) {
    init.headers = { ...init.headers, "content-type": "application/json" };
    init.body = resolved(JSON.stringify(body));
  }
  if (form) {
    init.body = new FormData();
    for (const [name, value] of Object.entries(form)) init.body.append(name, resolved(value));
    init.body.append("files", new File(["text"], "made.txt", { type: "text/plain" }));
  }
  const response = await app.handle(new Request(`http://localhost${resolved(path)}`, init));
  const headers = [...response.headers.keys(), response.headers.get("content-length")].join(" ");
  const tags = response.headers.get("cache-tag") ?? "";
  return { status: response.status, headers, tags, ...readBody(side, await response.text()) };
}

test(
  `returns the same responses to ${COUNT} requests (seed ${SEED}) for different secrets`,
  async () => {
    const random = new Random(SEED);
    const requests = new Requests(random);
    const normalisers = sides.map((side) => new Normaliser(side));
    const statuses = new Map<number, number>();
    let tagged = 0;
    for (let n = 0; n < COUNT; n++) {
      const request = requests.next();
      const asUser = random.chance(0.4);
      const [one, other] = await Promise.all(sides.map((side) => answer(side, request, asUser)));
      statuses.set(one!.status, (statuses.get(one!.status) ?? 0) + 1);
      if (one!.tags.includes(":")) tagged++;
      const seen = (side: Answer, at: number) => ({
        n,
        request,
        asUser,
        ...side,
        text: normalisers[at]!.text(side.text),
        tags: normalisers[at]!.tags(side.tags),
      });
      expect(seen(other!, 1)).toEqual(seen(one!, 0));
      expect(one!.text).not.toMatch(/alpha-one@|user-alpha|late-alpha|\$2[aby]\$10\$[./\w]{20}/);
    }
    // the requests must be good enough to be answered, and some of them not
    expect(statuses.get(200) ?? 0).toBeGreaterThan(COUNT / 4);
    expect(statuses.get(400) ?? 0).toBeGreaterThan(COUNT / 20);
    expect([...statuses.keys()].filter((status) => status >= 500)).toEqual([]);
    expect(tagged).toBeGreaterThan(COUNT / 10);
    expect(tokens.get(sides[0]!)!.length).toBeGreaterThan(COUNT / 100);
  },
  Math.max(120_000, 50 * COUNT),
);
