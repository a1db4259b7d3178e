/** The documents of the walk: what is written to them, and what must be true of them once the schema is whole again. */
import { isDeepStrictEqual } from "node:util";
import type { Body } from "../../test/project.ts";
import type { Random } from "../../test/random.ts";
import { comparable, POPULATE } from "./compared.ts";
import { ADMIN, createAttributes, type Form, LOCALES, REST, TABLES } from "./project.ts";

const PAGE = "api::page.page";
const LIST = `/content-manager/collection-types/${PAGE}`;
const PERSONS = 5;
/** A document has a target of its own for relations that take their targets from others. */
const EXCLUSIVE = ["pair", "owned"];
const MAX_DOCUMENTS = 40;

const isShared = (name: string): boolean => TABLES.page[name]?.[0].pluginOptions === undefined;
const SHARED = Object.keys(TABLES.page).filter(isShared);
/** Attributes whose draft must have what was written last. */
const EXPECTED = ["note", "price", "data", "one", "both", "parent", "file"];

/** One locale of a document. */
interface Version {
  /** Attributes in which the published version may differ from the draft. */
  readonly open: Set<string>;
  isPublished: boolean;
  readonly expected: Map<string, unknown>;
}

interface Page {
  readonly id: string;
  readonly own: readonly string[];
  readonly locales: Map<string, Version>;
  /** Its own targets may have been taken by a clone. */
  sharesTargets: boolean;
}

/** Nothing was written: the tables are changing, or the server has another form of the schema yet. */
class Refused extends Error {}

const all = (): Set<string> => new Set(["title", ...Object.keys(TABLES.page)]);

export class Pages {
  readonly #random: Random;
  readonly #pages: Page[] = [];
  #persons: string[] = [];
  #places: string[] = [];
  #files: number[] = [];
  #count = 0;
  #form: Form = {};
  url = "";
  /** Whether the server has the form that `form` says. */
  isSettled = true;
  acknowledged = 0;
  publishes = 0;
  /** Values of published versions that were compared with the draft's. */
  compared = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  set form(form: Form) {
    this.#form = form;
  }

  async #request(method: string, path: string, body?: unknown): Promise<Body> {
    const headers = path.startsWith("/api/") ? REST : ADMIN;
    const init = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(this.url + path, { method, headers, ...init });
    const text = await response.text();
    if (response.status === 503 || (response.status === 400 && !this.isSettled)) throw new Refused(text);
    if (!response.ok)
      throw new Error(`${method} ${path} ${JSON.stringify(body)} is answered with ${response.status}: ${text}`);
    return text === "" ? undefined : JSON.parse(text).data;
  }

  async #make(type: string, name: string): Promise<string> {
    return (await this.#request("POST", `/api/${type}`, { data: { name } })).documentId;
  }

  async prepare(): Promise<void> {
    for (let count = 0; count < PERSONS; count++) {
      this.#persons.push(await this.#make("persons", `person ${count}`));
      this.#places.push(await this.#make("places", `place ${count}`));
      const form = new FormData();
      form.append("files", new File([`file ${count}`], `file-${count}.txt`, { type: "text/plain" }));
      const { authorization } = REST;
      const init = { method: "POST", body: form, headers: { authorization } };
      const [file] = (await (await fetch(`${this.url}/api/upload`, init)).json()) as Body;
      this.#files.push(file.id);
    }
  }

  #some<T>(items: readonly T[]): T[] {
    return items.filter(() => this.#random.chance(0.4));
  }

  /** A value of an attribute, as a request has it; null now and then. */
  #value(name: string, definition: Readonly<Record<string, unknown>>, own: readonly string[]): unknown {
    const random = this.#random;
    const isList = definition.multiple === true || /Many$/.test(String(definition.relation));
    if (random.chance(0.12) && definition.type !== "dynamiczone" && definition.repeatable !== true)
      return isList ? [] : null;
    const count = ++this.#count;
    if (definition.type === "relation") {
      if (definition.relation === "morphToMany")
        return this.#some(this.#persons).map((documentId) => ({ documentId, __type: "api::person.person" }));
      const isPlace = definition.target === "api::place.place";
      const targets = isPlace ? this.#places : EXCLUSIVE.includes(name) ? own : this.#persons;
      return isList ? this.#some(targets) : random.pick(targets);
    }
    if (definition.type === "media") return isList ? this.#some(this.#files) : random.pick(this.#files);
    if (definition.type === "component") {
      const make = () => this.#entry(String(definition.component));
      return definition.repeatable === true ? Array.from({ length: random.below(3) }, make) : make();
    }
    if (definition.type === "dynamiczone")
      return Array.from({ length: random.below(3) }, () => {
        const uid = random.pick(definition.components as string[]);
        return { __component: uid, ...this.#entry(uid) };
      });
    const values: Readonly<Record<string, unknown>> = {
      integer: count,
      biginteger: String(count),
      decimal: count / 4,
      boolean: count % 2 === 0,
      json: { count, list: [count, "x"] },
      date: "2026-11-24",
      datetime: new Date(1_700_000_000_000 + count * 1000).toISOString(),
      enumeration: random.pick(["one", "two"]),
    };
    if (name === "kind") return random.pick(["one", "two", "one"]);
    return values[String(definition.type)] ?? (random.chance(0.3) ? String(count) : `text ${count}`);
  }

  #entry(uid: string): object {
    if (uid === "parts.gone") return { word: `gone ${++this.#count}`, one: this.#random.pick(this.#persons) };
    if (uid === "parts.other") return { word: `other ${++this.#count}` };
    const table = uid === "parts.box" ? "box" : "inner";
    return this.#values(table, []);
  }

  #values(table: "page" | "box" | "inner", own: readonly string[], share = 0.8): Record<string, unknown> {
    const chosen = Object.entries(createAttributes(table, this.#form)).filter(() => this.#random.chance(share));
    return Object.fromEntries(chosen.map(([name, definition]) => [name, this.#value(name, definition, own)]));
  }

  #changed(page: Page, locale: string): Record<string, unknown> {
    if (this.#random.chance(0.25)) return {};
    const at = LOCALES.indexOf(locale as "en");
    return { title: `title ${++this.#count}`, ...this.#values("page", page.own.slice(at * 2, at * 2 + 2), 0.3) };
  }

  #openShared(page: Page, locale: string): void {
    for (const [code, { open }] of page.locales) if (code !== locale) for (const name of SHARED) open.add(name);
  }

  /** Notes what a draft must have, once a write of `data` was acknowledged. */
  #expect({ expected }: Version, data: Record<string, unknown>): void {
    for (const name of EXPECTED) {
      if (!Object.hasOwn(data, name)) continue;
      const isFull = this.#form[`page.${name}`] === undefined;
      if (isFull) expected.set(name, data[name]);
      else expected.delete(name);
    }
  }

  async #create(): Promise<void> {
    const own: string[] = [];
    for (let count = 0; count < LOCALES.length * 2; count++) own.push(await this.#make("persons", `own ${count}`));
    const data = { title: `title ${++this.#count}`, ...this.#values("page", own.slice(0, 2)) };
    const isPublished = this.#random.chance(0.7);
    const made = await this.#request("POST", `/api/pages${isPublished ? "" : "?status=draft"}`, { data });
    const version: Version = { open: isPublished ? new Set() : all(), isPublished, expected: new Map() };
    this.#expect(version, data);
    this.#pages.push({
      id: made.documentId,
      own,
      locales: new Map([[LOCALES[0], version]]),
      sharesTargets: false,
    });
  }

  async #save(page: Page): Promise<void> {
    const locale = this.#random.pick(LOCALES);
    const publishes = this.#random.chance(0.5);
    const data = this.#changed(page, locale);
    const version = page.locales.get(locale);
    const newest: Version = { open: all(), isPublished: version?.isPublished ?? false, expected: new Map() };
    for (const name of newest.open) version?.open.add(name);
    for (const [name, value] of version?.expected ?? [])
      if (!Object.hasOwn(data, name)) newest.expected.set(name, value);
    for (const name of Object.keys(data)) version?.expected.delete(name);
    this.#openShared(page, locale);
    const query = `locale=${locale}${publishes ? "" : "&status=draft"}`;
    await this.#request("PUT", `/api/pages/${page.id}?${query}`, { data });
    if (publishes) {
      newest.open.clear();
      newest.isPublished = true;
      this.publishes++;
    }
    this.#expect(newest, data);
    page.locales.set(locale, newest);
    this.#openShared(page, locale);
  }

  async #act(page: Page): Promise<void> {
    const [locale, version] = this.#random.pick([...page.locales]);
    const action = this.#random.pick(["publish", "publish", "publish", "discard", "unpublish", "clone"]);
    const post = (path: string, body: object = {}) => this.#request("POST", LIST + path, body);
    if (action === "publish") {
      // the published versions of other locales get its shared values, their drafts do not
      this.#openShared(page, locale);
      await post(`/${page.id}/actions/publish?locale=${locale}`, {});
      version.open.clear();
      version.isPublished = true;
      this.publishes++;
    } else if (action === "discard") {
      if (!version.isPublished) return;
      version.expected.clear();
      this.#openShared(page, locale);
      await post(`/${page.id}/actions/discard?locale=${locale}`);
      version.open.clear();
    } else if (action === "unpublish") {
      if (!version.isPublished) return;
      version.isPublished = false;
      await post(`/${page.id}/actions/unpublish?locale=${locale}`);
    } else if (this.#pages.length < MAX_DOCUMENTS) {
      page.sharesTargets = true;
      const { documentId } = await post(`/clone/${page.id}?locale=${locale}`, { title: `clone ${++this.#count}` });
      const locales = [...page.locales].map(([code, { expected }]): [string, Version] => [
        code,
        { open: all(), isPublished: false, expected: new Map(code === locale ? expected : []) },
      ]);
      this.#pages.push({ ...page, id: documentId, locales: new Map(locales.filter(([code]) => code === locale)) });
    }
  }

  /** One random write. */
  async write(): Promise<void> {
    const random = this.#random;
    try {
      if (this.#pages.length === 0 || (this.#pages.length < MAX_DOCUMENTS && random.chance(0.12))) await this.#create();
      else if (random.chance(0.1)) {
        const name = `person ${++this.#count}`;
        await this.#request("PUT", `/api/persons/${random.pick(this.#persons)}`, { data: { name } });
      } else if (random.chance(0.65)) await this.#save(random.pick(this.#pages));
      else await this.#act(random.pick(this.#pages));
      this.acknowledged++;
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
    }
  }

  async #read(locale: string, status: string): Promise<Map<string, Record<string, unknown>>> {
    const query = `locale=${locale}&status=${status}&pagination[pageSize]=100&${POPULATE}`;
    const rows: Body[] = await this.#request("GET", `/api/pages?${query}`);
    return new Map(
      rows.map((row) => [
        row.documentId,
        Object.fromEntries(Object.entries(row).map(([name, value]) => [name, comparable(value)])),
      ]),
    );
  }

  /** What is wrong, while the schema is whole. */
  async check(): Promise<string[]> {
    const problems: string[] = [];
    for (const locale of LOCALES) {
      const [drafts, published] = [await this.#read(locale, "draft"), await this.#read(locale, "published")];
      for (const page of this.#pages) {
        const version = page.locales.get(locale);
        if (!version) continue;
        const [draft, live] = [drafts.get(page.id), published.get(page.id)];
        const say = (text: string) => problems.push(`${page.id} in ${locale}: ${text}`);
        if (!draft) say("the draft is gone");
        else if (!live && version.isPublished) say("the published version is gone");
        for (const [name, value] of draft ? version.expected : []) this.#checkExpected(name, value, draft!, say);
        for (const name of draft && live ? all() : []) {
          if (version.open.has(name) || (page.sharesTargets && EXCLUSIVE.includes(name))) continue;
          this.compared += [draft![name] ?? []].flat().length > 0 ? 1 : 0;
          if (!isDeepStrictEqual(draft![name], live![name]))
            say(`${name} is ${JSON.stringify(live![name])}, the draft has ${JSON.stringify(draft![name])}`);
        }
      }
    }
    return problems;
  }

  #checkExpected(name: string, value: unknown, draft: Record<string, unknown>, say: (text: string) => void): void {
    const asList = (item: unknown): unknown => (Array.isArray(item) ? item.toSorted() : item);
    // files are written by id, which is not read
    const [found, known] = name === "file" ? [draft[name] != null, value != null] : [draft[name], value];
    if (!isDeepStrictEqual(asList(found), asList(known)))
      say(`the draft's ${name} is ${JSON.stringify(draft[name])}, ${JSON.stringify(value)} was written`);
  }
}
