/** The cache tags of a response, and the headers that carry them, for caches in front of Galley and the front end's own. */

/** Every answer has this tag. Types and settings make it stale, and more changes than can be listed. */
export const EVERYTHING = "all";
/** Of answers to callers who may do what a role may. */
export const ACCESS = "access";

const SEPARATOR = ",";

/** Tags that have their beginning and end in common. */
interface Series {
  readonly group: string;
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

/** The cache tags of a response, in groups. The name of a group stands for all of its tags, if these would be too many. */
export class Tags {
  /** What the response depends on, whatever it reads: never left out. */
  readonly #always: readonly string[];
  /** Of single tags, their groups. */
  readonly #single = new Map<string, string>();
  /** No two of a group with the same end. Their texts are made when it is known that they are given. */
  readonly #series: Series[] = [];
  #isKnown = true;

  constructor(always: readonly string[]) {
    this.#always = always;
  }

  add(group: string, tag: string): void {
    this.#single.set(tag, group);
  }

  addSeries(series: Series): void {
    const index = this.#series.findIndex(({ group, end }) => group === series.group && end === series.end);
    if (index < 0) {
      this.#series.push(series);
      return;
    }
    // both may have the same tags
    const other = this.#series[index]!;
    for (const { group, start, names, end } of [other, series])
      for (const name of names) this.#single.set(start + name + end, group);
    this.#series[index] = { ...other, names: [] };
  }

  /** The response depends on something that has no tag. */
  giveUp(): void {
    this.#isKnown = false;
  }

  /** In at most so many characters, for each separator; undefined: no tags describe the response, or nothing was read. */
  write(separators: readonly string[], characters: number): readonly string[] | undefined {
    if (!this.#isKnown || this.#single.size + this.#series.length === 0) return undefined;
    let length = -1;
    for (const tag of this.#always) length += 1 + tag.length;
    for (const tag of this.#single.keys()) length += 1 + tag.length;
    for (const series of this.#series) length += lengthOf(series);
    if (length <= characters) return separators.map((separator) => this.#write(this.#always, separator));
    const names = this.#longestGroups(length - characters);
    if (!names) return undefined;
    const isGiven = (group: string): boolean => !names.has(group);
    return separators.map((separator) => this.#write([...this.#always, ...names], separator, isGiven));
  }

  #write(first: readonly string[], separator: string, isGiven?: (group: string) => boolean): string {
    let text = "";
    for (const tag of first) text += text === "" ? tag : separator + tag;
    for (const [tag, group] of this.#single) if (!isGiven || isGiven(group)) text += separator + tag;
    for (const { group, start, names, end } of this.#series) {
      if (names.length === 0 || (isGiven && !isGiven(group))) continue;
      const before = separator + start;
      // one document needs no list
      text += before + (names.length === 1 ? names[0] : names.join(end + before)) + end;
    }
    return text;
  }

  /** Those whose names are shorter than their tags by `excess`: few. Undefined if there are none. */
  #longestGroups(excess: number): ReadonlySet<string> | undefined {
    const lengths = new Map<string, number>();
    const add = (group: string, length: number) => lengths.set(group, (lengths.get(group) ?? 0) + length);
    for (const [tag, group] of this.#single) add(group, 1 + tag.length);
    for (const series of this.#series) add(series.group, lengthOf(series));
    const names = new Set<string>();
    let left = excess;
    for (const [group, length] of [...lengths].sort(([, a], [, b]) => b - a)) {
      if (left <= 0) break;
      names.add(group);
      left -= length - group.length - 1;
    }
    return left > 0 ? undefined : names;
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

  /** The tags of a response; undefined if it has none, or those of own code, which do not say what it has read. */
  read(headers: Headers): readonly string[] | undefined {
    const tags = headers.get(this.#headers[0]!)?.split(this.#separators[0]!);
    return tags?.includes(EVERYTHING) ? tags : undefined;
  }

  /** Undefined if nothing can be said. */
  headersFor(tags: Tags | undefined): TagHeaders | undefined {
    const texts = tags?.write(this.#separators, this.#characters);
    if (!texts) return undefined;
    const headers: Record<string, string> = {};
    for (let i = 0; i < texts.length; i++) headers[this.#headers[i]!] = texts[i]!;
    return headers;
  }
}
