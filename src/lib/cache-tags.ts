/** The cache tags of a response, and the headers that carry them, for caches in front of Galley and the front end's own. */

/** Every answer has this tag. Types and settings make it stale, and more changes than can be listed. */
export const EVERYTHING = "all";
/** Of answers to callers who may do what a role may. */
export const ACCESS = "access";

const SEPARATOR = ",";

/** Tags of a group that have their beginning and end in common. */
interface Series {
  readonly start: string;
  readonly names: readonly string[];
  readonly end: string;
}

/** With a separator each, in characters. */
function lengthOf({ start, names, end }: Series): number {
  let length = names.length * (1 + start.length + end.length);
  for (const name of names) length += name.length;
  return length;
}

/** Its name stands for all of its tags, if these would be too many. */
class Group {
  readonly name: string;
  readonly single = new Set<string>();
  /** No two with the same end. Their texts are made when it is known that they are given. */
  readonly series: Series[] = [];
  /** Of all tags, with a separator each. */
  length = 0;
  isNamed = false;

  constructor(name: string) {
    this.name = name;
  }

  get givenLength(): number {
    return this.isNamed ? 1 + this.name.length : this.length;
  }

  addSeries(series: Series): void {
    const index = this.series.findIndex(({ end }) => end === series.end);
    if (index < 0) {
      this.series.push(series);
      this.length += lengthOf(series);
      return;
    }
    // both may have the same tags
    const other = this.series[index]!;
    const merged = { ...series, names: [...new Set([...other.names, ...series.names])] };
    this.series[index] = merged;
    this.length += lengthOf(merged) - lengthOf(other);
  }
}

/** The cache tags of a response, in groups. */
export class Tags {
  /** What the response depends on, whatever it reads: never left out. */
  readonly #always: readonly string[];
  readonly #characters: number;
  readonly #groups = new Map<string, Group>();
  #isKnown = true;

  /** `characters`: of the longest header that the tags are written into. */
  constructor(always: readonly string[], characters = Number.POSITIVE_INFINITY) {
    this.#always = always;
    this.#characters = characters;
  }

  #group = (name: string): Group => this.#groups.getOrInsertComputed(name, () => new Group(name));

  add(group: string, tag: string): void {
    const of = this.#group(group);
    if (of.single.has(tag)) return;
    of.single.add(tag);
    of.length += 1 + tag.length;
  }

  addSeries({ group, ...series }: Series & { readonly group: string }): void {
    this.#group(group).addSeries(series);
  }

  /** Names a group instead of its tags, if a series of so many characters were too long alone. Returns whether it is named. */
  nameIfTooLong(group: string, characters: number): boolean {
    const of = this.#group(group);
    if (characters > this.#characters) of.isNamed = true;
    return of.isNamed;
  }

  /** The response depends on something that has no tag. */
  giveUp(): void {
    this.#isKnown = false;
  }

  /** In at most as many characters as there are, with commas; undefined: no tags describe the response, or nothing was read. */
  write(): string | undefined {
    if (!this.#isKnown || this.#groups.size === 0) return undefined;
    let length = -1;
    for (const tag of this.#always) length += 1 + tag.length;
    for (const group of this.#groups.values()) length += group.givenLength;
    while (length > this.#characters) {
      const longest = this.#longest();
      if (!longest) return undefined;
      longest.isNamed = true;
      length += longest.givenLength - longest.length;
    }
    return this.#write();
  }

  /** Of those whose tags are given. */
  #longest(): Group | undefined {
    let longest: Group | undefined;
    for (const group of this.#groups.values())
      if (!group.isNamed && (!longest || group.length > longest.length)) longest = group;
    return longest;
  }

  #write(): string {
    const parts = [...this.#always];
    const given: Group[] = [];
    for (const group of this.#groups.values()) {
      if (group.isNamed) parts.push(group.name);
      else given.push(group);
    }
    for (const { single } of given) parts.push(...single);
    for (const { series } of given)
      for (const { start, names, end } of series) parts.push(start + names.join(end + SEPARATOR + start) + end);
    return parts.join(SEPARATOR);
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
  collect = (always: readonly string[]): Tags => new Tags(always, this.#characters);

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
    for (const [index, separator] of this.#separators.entries())
      headers[this.#headers[index]!] = separator === SEPARATOR ? text : text.replaceAll(SEPARATOR, separator);
    return headers;
  }
}
