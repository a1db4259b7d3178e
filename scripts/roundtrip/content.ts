/** Makes content of every content-type of a project over REST: all locales, both versions, components, media, relations. */
import type { Attribute, ContentType, Model, Schema } from "../../src/engine/schema/model.ts";
import { apiTypes, component } from "../../src/engine/schema/model.ts";
import { Random } from "../../test/random.ts";

/** Answers a request as the server does that gets the content. */
export type Ask = (request: Request) => Promise<Response>;

export interface ContentOptions {
  readonly model: Model;
  readonly ask: Ask;
  readonly token: string;
  readonly locales: readonly string[];
  /** Of each collection type. */
  readonly documents: number;
  readonly files: number;
  readonly seed: number;
}

type Data = Record<string, unknown>;

/** A picture of two colours, so that each has bytes of its own. */
function bitmap(random: Random, width: number, height: number): Uint8Array<ArrayBuffer> {
  const row = Math.ceil((width * 3) / 4) * 4;
  const bytes = new Uint8Array(54 + row * height);
  const view = new DataView(bytes.buffer);
  bytes.set([0x42, 0x4d]);
  view.setUint32(2, bytes.length, true);
  view.setUint32(10, 54, true);
  view.setUint32(14, 40, true);
  view.setInt32(18, width, true);
  view.setInt32(22, height, true);
  view.setUint16(26, 1, true);
  view.setUint16(28, 24, true);
  const colours = [random.below(256), random.below(256)];
  for (let at = 54; at < bytes.length; at++) bytes[at] = colours[(at >> 9) & 1]!;
  return bytes;
}

const words = ["galley", "press", "Ünïcode ✎", "proof", "日本語", "a\nb", "“quoted”", "", "type <b>", "x".repeat(30)];

/** Values by the type of their attribute; `n` is different for each document. Undefined: the attribute is left out. */
const values: Readonly<Record<string, (random: Random, n: number, definition: Attribute["definition"]) => unknown>> = {
  string: (random, n, { regex, unique, required }) =>
    regex ? undefined : required || unique ? `text ${n}` : random.pick(words),
  text: (random, n, { required }) => (required ? `text ${n}` : random.pick(words)),
  richtext: (random) => `# ${random.pick(words)}\n\n**bold**`,
  uid: (_random, n) => `uid-${n}`,
  email: (_random, n) => `someone-${n}@example.com`,
  password: () => "Secret-123",
  integer: (random, _n, { min, max }) => clamp(random.below(1_000) - 100, min, max),
  biginteger: (random) => String(random.below(2 ** 31)),
  decimal: (random, _n, { min, max }) => clamp(random.below(1_000) / 100, min, max),
  float: (random, _n, { min, max }) => clamp(random.below(1_000) / 8, min, max),
  boolean: (random) => random.chance(0.5),
  date: (random) => `20${10 + random.below(20)}-0${1 + random.below(9)}-1${random.below(10)}`,
  time: (random) => `1${random.below(10)}:3${random.below(10)}:00.000`,
  datetime: (random) => new Date(1_600_000_000_000 + random.below(1_000_000_000)).toISOString(),
  timestamp: (random) => String(1_600_000_000_000 + random.below(1_000_000_000)),
  json: (random) => random.pick([{ id: 1, a: [null, 1.5, "x"] }, [1, 2], { "a.b": { $in: [] } }]),
  enumeration: (random, _n, { enum: given }) => random.pick(given as string[]),
  blocks: (random) => [{ type: "paragraph", children: [{ type: "text", text: random.pick(words) }] }],
};

function clamp(value: number, min: unknown, max: unknown): number {
  const low = typeof min === "number" ? Math.max(value, min) : value;
  return typeof max === "number" ? Math.min(low, max) : low;
}

class Content {
  readonly #options: ContentOptions;
  readonly #random: Random;
  /** Document ids by type and locale. */
  readonly #documents = new Map<string, Set<string>>();
  /** Of the document that is being made; undefined where it has none. */
  #locale: string | undefined;
  #pictures: number[] = [];
  #texts: number[] = [];
  #n = 0;
  readonly #made = new Set<string>();

  constructor(options: ContentOptions) {
    this.#options = options;
    this.#random = new Random(options.seed);
  }

  async #send(method: string, path: string, body?: object | FormData): Promise<Data> {
    const { ask, token } = this.#options;
    const headers = { authorization: `Bearer ${token}` };
    const isForm = body instanceof FormData;
    const request = new Request(`http://localhost${path}`, {
      method,
      headers: isForm || !body ? headers : { ...headers, "content-type": "application/json" },
      ...(body ? { body: isForm ? body : JSON.stringify(body) } : {}),
    });
    const response = await ask(request);
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return JSON.parse(text || "{}") as Data;
  }

  async upload(): Promise<void> {
    for (let index = 0; index < this.#options.files; index++) {
      const form = new FormData();
      const isPicture = index % 4 !== 3;
      const bytes = isPicture ? bitmap(this.#random, 300 + index, 200) : new TextEncoder().encode(`text ${index}`);
      form.set("files", new File([bytes], isPicture ? `picture ${index}.bmp` : `text ${index}.txt`));
      form.set("fileInfo", JSON.stringify({ alternativeText: this.#random.pick(words), caption: `file ${index}` }));
      const [file] = (await this.#send("POST", "/api/upload", form)) as unknown as { id: number }[];
      (isPicture ? this.#pictures : this.#texts).push(file!.id);
    }
  }

  #some<T>(items: readonly T[], most: number): T[] {
    const count = this.#random.below(Math.min(most, items.length) + 1);
    return [...new Set(Array.from({ length: count }, () => this.#random.pick(items)))];
  }

  #value(attribute: Attribute, depth: number): unknown {
    const { definition } = attribute;
    if (attribute.kind === "scalar") return values[definition.type]?.(this.#random, ++this.#n, definition);
    if (attribute.kind === "media") {
      const allowed = definition.allowedTypes as string[] | undefined;
      const files = allowed?.includes("images") === false ? this.#texts : this.#pictures;
      const chosen = this.#some(files, 3);
      return attribute.many ? chosen : chosen[0];
    }
    if (attribute.kind === "relation") {
      if (attribute.virtual || attribute.target === undefined) return undefined;
      // targets must be there in the owner's locale, or in the default one
      const { localized } = this.#options.model.types.get(attribute.target)!;
      const locale = localized ? (this.#locale ?? this.#options.locales[0]) : undefined;
      const chosen = this.#some([...(this.#documents.get(`${attribute.target} ${locale}`) ?? [])], 3);
      return attribute.many ? chosen : chosen[0];
    }
    const bound = (key: string, otherwise: number) =>
      typeof definition[key] === "number" ? definition[key] : otherwise;
    const least = bound("min", 0);
    const length = attribute.many ? least + this.#random.below(Math.min(bound("max", 3), 3) - least + 1) : 1;
    const parts = Array.from({ length }, () => {
      const uid = attribute.kind === "component" ? attribute.component : this.#random.pick(attribute.components);
      const data = this.#data(component(this.#options.model, uid), depth + 1);
      return attribute.kind === "zone" ? { __component: uid, ...data } : data;
    });
    return attribute.many ? parts : parts[0];
  }

  #data(schema: Schema, depth = 0): Data {
    const data: Data = {};
    for (const attribute of schema.attributes.values()) {
      if (attribute.system || !attribute.writable) continue;
      const wanted = attribute.required || this.#random.chance(depth > 2 ? 0.3 : 0.75);
      const value = wanted ? this.#value(attribute, depth) : undefined;
      if (value !== undefined) data[attribute.name] = value;
    }
    return data;
  }

  async #document(type: ContentType, documentId?: string): Promise<void> {
    const { locales } = this.#options;
    const path = `/api/${type.kind === "singleType" ? type.singularName : type.pluralName}`;
    const isSingle = type.kind === "singleType";
    let id = documentId;
    const own = type.localized ? locales.filter((_, index) => index === 0 || this.#random.chance(0.6)) : [undefined];
    for (const locale of own) {
      this.#locale = locale;
      const query = (status: string) => {
        const params = new URLSearchParams({
          ...(locale ? { locale } : {}),
          ...(type.draftAndPublish ? { status } : {}),
        });
        return params.size === 0 ? "" : `?${params}`;
      };
      const status = this.#random.chance(0.6) ? "published" : "draft";
      const first = id === undefined && !isSingle;
      const target = first || isSingle ? path : `${path}/${id}`;
      const answer = await this.#send(first ? "POST" : "PUT", target + query(status), { data: this.#data(type) });
      id ??= (answer.data as { documentId: string }).documentId;
      if (!isSingle) this.#documents.getOrInsertComputed(`${type.uid} ${locale}`, () => new Set()).add(id!);
      // a published document whose draft goes on
      if (type.draftAndPublish && status === "published" && this.#random.chance(0.3))
        await this.#send("PUT", (isSingle ? path : `${path}/${id}`) + query("draft"), { data: this.#data(type) });
    }
    this.#made.add(`${type.uid} ${id}`);
  }

  async make(): Promise<number> {
    await this.upload();
    const types = apiTypes(this.#options.model);
    for (const type of types)
      for (let index = 0; index < (type.kind === "singleType" ? 1 : this.#options.documents); index++)
        await this.#document(type);
    // again, with links to what was not there yet
    for (const type of types.filter(({ kind }) => kind !== "singleType")) {
      const locale = type.localized ? this.#options.locales[0] : undefined;
      for (const id of this.#documents.get(`${type.uid} ${locale}`) ?? [])
        if (this.#random.chance(0.2)) await this.#document(type, id);
    }
    return this.#made.size;
  }
}

/** Returns the number of documents. Throws for a request that is refused. */
export const makeContent = (options: ContentOptions): Promise<number> => new Content(options).make();
