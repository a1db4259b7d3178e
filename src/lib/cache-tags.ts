/** The cache tags of a response, and the headers that carry them, for caches in front of Galley and the front end's own. */

/** Every answer has this tag. Types and settings make it stale, and more changes than can be listed. */
export const EVERYTHING = "all";
/** Of answers to callers who may do what a role may. */
export const ACCESS = "access";

export const SEPARATOR = ",";

const MAX_LENGTH = 64;
/** Not in the function, where each call would make it. */
const PLAIN = /^[\w-]{0,64}$/;

export const hashText = (text: string): string => Bun.hash(text).toString(36);

/** As a part of a tag: other characters could end a tag or a header, and a long text would fill it. */
export const inTag = (text: string): string => {
  if (PLAIN.test(text)) return text;
  const encoded = encodeURIComponent(text.toWellFormed()).replaceAll(".", "%2E");
  return encoded.length <= MAX_LENGTH ? encoded : hashText(text);
};

/** Tags of a group that have their beginning and end in common, with the id of a document in between; at least one. */
interface Series {
  readonly start: string;
  readonly ids: readonly string[];
  readonly end: string;
}

/** With a separator for each tag; about, since the ids have the same length, but for a few. */
const lengthOf = ({ start, ids, end }: Series): number => ids.length * (1 + start.length + ids[0]!.length + end.length);

/** All of them once. */
const mergeSeries = (one: Series, other: Series): Series => ({ ...one, ids: [...new Set([...one.ids, ...other.ids])] });

/** Its name stands for all of its tags, if these would be too many. */
class Group {
  readonly name: string;
  readonly #single = new Set<string>();
  /** No two with the same end. */
  readonly #series: Series[] = [];
  /** Of all tags, with a separator each; about. */
  length = 0;
  isNamed = false;

  constructor(name: string) {
    this.name = name;
  }

  get givenLength(): number {
    return this.isNamed ? 1 + this.name.length : this.length;
  }

  add(tag: string): void {
    if (this.#single.has(tag)) return;
    this.#single.add(tag);
    this.length += 1 + tag.length;
  }

  addSeries(series: Series): void {
    // both may have the same tags
    const index = this.#series.findIndex(({ end }) => end === series.end);
    const before = this.#series[index];
    const all = before ? mergeSeries(before, series) : series;
    if (before) this.#series[index] = all;
    else this.#series.push(all);
    this.length += lengthOf(all) - (before ? lengthOf(before) : 0);
  }

  /** Begins with a separator. */
  joinSingle(): string {
    if (this.isNamed) return SEPARATOR + this.name;
    let text = "";
    for (const tag of this.#single) text += SEPARATOR + tag;
    return text;
  }

  /** Those with ids of documents; begins with a separator. */
  joinDocuments(): string {
    if (this.isNamed) return "";
    let text = "";
    for (const { start, ids, end } of this.#series) {
      const from = SEPARATOR + start;
      text += from + ids.map(inTag).join(end + from) + end;
    }
    return text;
  }
}

/** The cache tags of a response, in groups. */
export class Tags {
  /** What the response depends on, whatever it reads: never left out. With separators. */
  readonly #always: string;
  readonly #characters: number;
  readonly #groups = new Map<string, Group>();
  #isKnown = true;

  /** `characters`: of the longest header that the tags are written into. */
  constructor(always: string, characters = Number.POSITIVE_INFINITY) {
    this.#always = always;
    this.#characters = characters;
  }

  #group(name: string): Group {
    const known = this.#groups.get(name);
    if (known) return known;
    const group = new Group(name);
    this.#groups.set(name, group);
    return group;
  }

  add(group: string, tag: string): void {
    this.#group(group).add(tag);
  }

  /** The group is named instead, if they are too long alone. */
  addSeries(group: string, series: Series): void {
    const to = this.#group(group);
    if (lengthOf(series) > this.#characters) to.isNamed = true;
    else if (!to.isNamed) to.addSeries(series);
  }

  /** The response depends on something that has no tag. */
  giveUp(): void {
    this.#isKnown = false;
  }

  /** In at most as many characters as there are, with commas; undefined: no tags describe the response, or nothing was read. */
  write(): string | undefined {
    if (!this.#isKnown || this.#groups.size === 0) return undefined;
    for (;;) {
      // the length is known only about, but most texts that are too long need not be made
      const text = this.#length() <= this.#characters ? this.#write() : undefined;
      if (text !== undefined && text.length <= this.#characters) return text;
      const longest = this.#longest();
      if (!longest) return undefined;
      longest.isNamed = true;
    }
  }

  #length(): number {
    let length = this.#always.length;
    for (const group of this.#groups.values()) length += group.givenLength;
    return length;
  }

  /** Of those whose tags are given. */
  #longest(): Group | undefined {
    let longest: Group | undefined;
    for (const group of this.#groups.values())
      if (!group.isNamed && (!longest || group.length > longest.length)) longest = group;
    return longest;
  }

  /** Documents are last. */
  #write(): string {
    let text = this.#always;
    for (const group of this.#groups.values()) text += group.joinSingle();
    for (const group of this.#groups.values()) text += group.joinDocuments();
    return text;
  }
}

const HEADERS: readonly string[] = ["Cache-Tag", "Surrogate-Key"];
/** Those of all headers together. A proxy may have 4 KB for all headers (nginx), of which others take more than 1 KB. */
const BYTES = 2_800;
/** Headers with spaces between the tags. All others have commas. */
const SPACED: ReadonlySet<string> = new Set(["surrogate-key", "xkey"]);

export type TagHeaders = Readonly<Record<string, string>>;

interface CacheTagSettings {
  readonly headers?: readonly string[];
  readonly bytes?: number;
}

export class CacheTags {
  readonly #headers: readonly string[];
  /** Of each header. */
  readonly #separators: readonly string[];
  readonly #characters: number;

  private constructor(headers: readonly string[], bytes: number) {
    this.#headers = headers;
    this.#separators = headers.map((name) => (SPACED.has(name.toLowerCase()) ? " " : SEPARATOR));
    this.#characters = Math.floor(bytes / headers.length);
  }

  /** Undefined if they are off. */
  static create({ cacheTags = true }: { readonly cacheTags?: boolean | CacheTagSettings }): CacheTags | undefined {
    if (cacheTags === false) return undefined;
    const { headers = HEADERS, bytes = BYTES } = cacheTags === true ? {} : cacheTags;
    return new CacheTags(headers, bytes);
  }

  /** For a response that has these tags in any case. */
  collect = (always: string): Tags => new Tags(always, this.#characters);

  /** The tags of a response; undefined if it has none, or those of own code, which do not say what it has read. */
  read(headers: Headers): readonly string[] | undefined {
    const tags = headers.get(this.#headers[0]!)?.split(this.#separators[0]!);
    return tags?.includes(EVERYTHING) ? tags : undefined;
  }

  /** Undefined if nothing can be said. */
  headersFor(tags: Tags | undefined): TagHeaders | undefined {
    const text = tags?.write();
    if (text === undefined) return undefined;
    const headers: Record<string, string> = {};
    for (let i = 0; i < this.#headers.length; i++) {
      const separator = this.#separators[i]!;
      headers[this.#headers[i]!] = separator === SEPARATOR ? text : text.replaceAll(SEPARATOR, separator);
    }
    return headers;
  }
}
