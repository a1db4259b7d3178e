/** Documents that are written until the server is gone, and what must be there of them afterwards. */
import type { Random } from "../../test/random.ts";
import { HEADERS } from "./project.ts";

/** The titles that a document may have: more than one where a write was not acknowledged. */
interface Expected {
  draft: Set<string>;
  published: Set<string>;
  /** A removal was not acknowledged. */
  mayBeGone: boolean;
}

interface Version {
  readonly documentId: string;
  readonly title: string;
  readonly copy: string;
  readonly size: number | string | null;
  readonly rows: readonly { readonly name: string }[];
  readonly tags: readonly { readonly label: string }[];
}

const PAGE = 100;

/** The tables are changing: nothing was written, and the client goes on. */
export class Refused extends Error {}

export const unlessRefused = (error: unknown): void => {
  if (!(error instanceof Refused)) throw error;
};

async function request(url: string, method: string, data?: unknown): Promise<{ readonly data?: unknown }> {
  const body = data === undefined ? {} : { body: JSON.stringify({ data }) };
  const response = await fetch(url, { method, headers: { ...HEADERS, "content-type": "application/json" }, ...body });
  if (response.status === 503) throw new Refused();
  if (!response.ok) throw new Error(`${method} ${url} is answered with ${response.status}: ${await response.text()}`);
  const text = await response.text();
  return text === "" ? {} : JSON.parse(text);
}

const sizeOf = (title: string): number => Number(title.split("-").at(-1)) % 10;

export class DocumentLedger {
  readonly #documents = new Map<string, Expected>();
  readonly #removed = new Set<string>();
  #tags: readonly string[] = [];
  #count = 0;
  acknowledged = 0;

  #data(): { readonly title: string } & Record<string, unknown> {
    const title = `t-${++this.#count}`;
    return {
      title,
      copy: title,
      size: String(sizeOf(title)),
      rows: [{ name: title }, { name: title }],
      tags: this.#tags,
    };
  }

  async prepare(url: string): Promise<void> {
    if (this.#tags.length > 0) return;
    const made = ["a", "b"].map((label) => request(`${url}/api/tags`, "POST", { label }));
    this.#tags = (await Promise.all(made)).map(({ data }) => (data as { documentId: string }).documentId);
  }

  /** Creates, edits drafts, publishes and removes, until a request fails. */
  async write(url: string, random: Random): Promise<never> {
    const own: string[] = [];
    for (;;) {
      const id = own.length > 0 && random.chance(0.6) ? random.pick(own) : undefined;
      const work = async (): Promise<void> => {
        if (id === undefined) own.push(await this.#create(url));
        else if (random.chance(0.15)) {
          own.splice(own.indexOf(id), 1);
          await this.#remove(url, id);
        } else await this.#edit(url, id, random.chance(0.5));
        this.acknowledged++;
      };
      await work().catch(unlessRefused);
    }
  }

  async #create(url: string): Promise<string> {
    const sent = this.#data();
    const { data } = await request(`${url}/api/posts`, "POST", sent);
    const { documentId } = data as { documentId: string };
    this.#documents.set(documentId, {
      draft: new Set([sent.title]),
      published: new Set([sent.title]),
      mayBeGone: false,
    });
    return documentId;
  }

  async #edit(url: string, id: string, publishes: boolean): Promise<void> {
    const expected = this.#documents.get(id)!;
    const sent = this.#data();
    const versions = publishes ? ([expected.draft, expected.published] as const) : ([expected.draft] as const);
    for (const titles of versions) titles.add(sent.title);
    await request(`${url}/api/posts/${id}${publishes ? "" : "?status=draft"}`, "PUT", sent);
    for (const titles of versions) {
      titles.clear();
      titles.add(sent.title);
    }
  }

  async #remove(url: string, id: string): Promise<void> {
    this.#documents.get(id)!.mayBeGone = true;
    await request(`${url}/api/posts/${id}`, "DELETE");
    this.#documents.delete(id);
    this.#removed.add(id);
  }

  /** What is wrong with the documents that a server has after a kill. */
  async check(url: string): Promise<string[]> {
    const problems: string[] = [];
    const [drafts, published] = [await this.#all(url, "draft"), await this.#all(url, "published")];
    for (const version of [...drafts.values(), ...published.values()]) problems.push(...whole(version));
    for (const id of drafts.keys()) if (!published.has(id)) problems.push(`${id} has no published version`);
    for (const id of published.keys()) if (!drafts.has(id)) problems.push(`${id} has no draft`);
    for (const [id, expected] of this.#documents) {
      const [draft, live] = [drafts.get(id)?.title, published.get(id)?.title];
      if (draft === undefined && live === undefined && expected.mayBeGone) this.#documents.delete(id);
      else if (draft === undefined || live === undefined) problems.push(`${id} was acknowledged and is lost`);
      else {
        if (!expected.draft.has(draft))
          problems.push(`the draft of ${id} is ${draft} instead of ${[...expected.draft]}`);
        if (!expected.published.has(live))
          problems.push(`${id} is published as ${live} instead of ${[...expected.published]}`);
        this.#documents.set(id, { draft: new Set([draft]), published: new Set([live]), mayBeGone: false });
      }
    }
    for (const id of this.#removed)
      if (drafts.has(id) || published.has(id)) problems.push(`${id} is back after its removal`);
    return problems;
  }

  async #all(url: string, status: string): Promise<Map<string, Version>> {
    const found = new Map<string, Version>();
    for (let page = 1; ; page++) {
      const query = `status=${status}&populate=*&sort=id&pagination[page]=${page}&pagination[pageSize]=${PAGE}`;
      const { data } = await request(`${url}/api/posts?${query}`, "GET");
      for (const version of data as Version[]) {
        if (found.has(version.documentId)) throw new Error(`${version.documentId} has two versions that are ${status}`);
        found.set(version.documentId, version);
      }
      if ((data as Version[]).length < PAGE) return found;
    }
  }
}

/** All parts of a version come from one write. */
function whole({ documentId, title, copy, size, rows, tags }: Version): string[] {
  const isWhole =
    copy === title &&
    String(size) === String(sizeOf(title)) &&
    rows.length === 2 &&
    rows.every(({ name }) => name === title) &&
    tags.length === 2;
  return isWhole ? [] : [`${documentId} is in parts: ${JSON.stringify({ title, copy, size, rows, tags })}`];
}
