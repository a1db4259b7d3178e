/** Random content files, and random edits of them. Every new text is unique in its run, so that it can be looked for. */
import type { ContentFile } from "../../../src/transfer/content/content-file.ts";
import type { Random } from "../../random.ts";

type Mapping = Record<string, unknown>;

export const TEXTS = /[0-9a-f]{8}/g;

export class RandomFiles {
  #count = 0;

  constructor(readonly random: Random) {}

  text(): string {
    // the factor is odd, so that no two numbers have the same product
    return (Math.imul(++this.#count, 0x9e3779b1) >>> 0).toString(16).padStart(8, "0");
  }

  list<T>(make: () => T, limit = 5): T[] {
    return Array.from({ length: this.random.below(limit) }, make);
  }

  component(name: string): Mapping {
    return { __component: name, label: this.text(), url: this.text(), links: this.list(() => this.text(), 3) };
  }

  block(): Mapping {
    return { type: "paragraph", children: [{ type: "text", text: this.text() }] };
  }

  /** A value of each kind of attribute. */
  readonly kinds: Readonly<Record<string, () => unknown>> = {
    title: () => this.text(),
    count: () => this.random.below(1_000_000),
    isNew: () => this.random.chance(0.5),
    author: () => this.text(),
    other: () => ({ document: this.text(), locale: "de" }),
    tags: () => this.list(() => this.text()),
    cover: () => this.list(() => `media/${this.text()}`),
    seo: () => ({ title: this.text(), images: this.list(() => this.text()), keywords: { first: this.text() } }),
    parts: () => this.list(() => ({ label: this.text(), size: this.random.below(3) })),
    zone: () => this.list(() => this.component(this.random.pick(["page.hero", "page.quote"]))),
    body: () => this.list(() => this.block(), 8),
    data: () => ({ list: this.list(() => this.random.below(5)), deep: { a: this.text(), b: [this.text()] } }),
    "a.b": () => this.text(),
    constructor: () => this.text(),
  };

  version(): Mapping {
    const own = Object.entries(this.kinds).filter(() => this.random.chance(0.7));
    const values = own.map(([name, make]) => [name, make()]).filter(([, value]) => !isEmpty(value));
    const version: Mapping = { $createdAt: this.time(), $updatedAt: this.time(), ...Object.fromEntries(values) };
    if (this.random.chance(0.5)) return version;
    const stated = Object.keys(this.kinds).filter(() => this.random.chance(0.15));
    const overrides = stated
      .map((name) => [name, this.kinds[name]!()] as const)
      .filter(([name, value]) => !isEmpty(value) && value !== version[name]);
    return { ...version, $published: overrides.length === 0 || Object.fromEntries(overrides) };
  }

  file(): ContentFile {
    const file: Mapping = { $id: this.text(), ...this.version() };
    if (this.random.chance(0.4)) file.$locales = Object.fromEntries(this.someLocales().map((l) => [l, this.version()]));
    return file;
  }

  someLocales(): string[] {
    const chosen = ["de", "fr"].filter(() => this.random.chance(0.6));
    return chosen.length > 0 ? chosen : ["zh-Hans"];
  }

  time(): string {
    return new Date(1_700_000_000_000 + this.random.below(1_000_000_000)).toISOString();
  }

  /** A copy with some changes, of any attributes or of one. */
  edit(file: ContentFile, changes = 1 + this.random.below(4), attribute?: string): ContentFile {
    const edited = structuredClone(file) as Mapping;
    const versions = [edited, ...Object.values((edited.$locales ?? {}) as Mapping)] as Mapping[];
    for (let change = 0; change < changes; change++) {
      const version = this.random.pick(versions);
      const published = version.$published;
      if (!attribute && this.random.chance(0.1)) version.$published = published ? undefined : true;
      else if (typeof published === "object" && this.random.chance(0.2)) this.#editAttribute(published as Mapping);
      else this.#editAttribute(version, attribute);
      if (version.$published === undefined) delete version.$published;
    }
    return edited as ContentFile;
  }

  #editAttribute(version: Mapping, name = this.random.pick(Object.keys(this.kinds))): void {
    const value = Object.hasOwn(version, name)
      ? this.#editValue(version[name], () => this.kinds[name]!())
      : this.kinds[name]!();
    if (isEmpty(value)) delete version[name];
    else version[name] = value;
  }

  #editValue(value: unknown, make: () => unknown): unknown {
    if (Array.isArray(value)) return this.#editList(value, make);
    if (typeof value !== "object" || value === null) return typeof value === "string" ? this.text() : make();
    const keys = Object.keys(value).filter((key) => key !== "__component" && key !== "type");
    const key = this.random.pick(keys);
    return { ...value, [key]: this.#editValue((value as Mapping)[key], () => this.text()) };
  }

  #editList(list: readonly unknown[], make: () => unknown): unknown[] {
    const made = make();
    const fresh = Array.isArray(made) ? made.slice(0, 1) : [made];
    const edited = [...list];
    const place = this.random.below(list.length + 1);
    const choice = this.random.below(5);
    if (choice === 0 || list.length === 0) edited.push(...fresh);
    else if (choice === 1) edited.splice(place, 0, ...fresh);
    else if (choice === 2) edited.splice(place, 1);
    else if (choice === 3) edited.splice(this.random.below(list.length), 0, ...edited.splice(place, 1));
    else {
      const index = this.random.below(list.length);
      edited[index] = this.#editValue(edited[index], () => this.text());
    }
    return edited;
  }
}

export const isEmpty = (value: unknown): boolean => Array.isArray(value) && value.length === 0;
