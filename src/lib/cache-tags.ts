/** The cache tags of a response, and the headers that carry them, for caches in front of Galley and the front end's own. */

/** Every answer has this tag. Types and settings make it stale, and more changes than can be listed. */
export const EVERYTHING = "all";
/** Of answers to callers who may do what a role may. */
export const ACCESS = "access";

const SEPARATOR = ",";

interface Group {
  readonly single: Set<string>;
  /** Several tags each, as texts. */
  readonly lists: string[];
}

const withoutRepeated = (tags: string): string => [...new Set(tags.split(SEPARATOR))].join(SEPARATOR);

/** Each after a separator. */
function formatGroup({ single, lists }: Group): string {
  let text = "";
  for (const tag of single) text += SEPARATOR + tag;
  return text + (lists.length > 1 ? withoutRepeated(lists.join("")) : (lists[0] ?? ""));
}

/** The cache tags of a response, in groups. The name of a group stands for all of its tags, if these would be too many. */
export class Tags {
  /** What the response depends on, whatever it reads: never left out. */
  readonly always: readonly string[];
  readonly #groups = new Map<string, Group>();
  #isKnown = true;

  constructor(always: readonly string[]) {
    this.always = always;
  }

  #group(name: string): Group {
    let group = this.#groups.get(name);
    if (!group) {
      group = { single: new Set(), lists: [] };
      this.#groups.set(name, group);
    }
    return group;
  }

  add(group: string, tag: string): void {
    this.#group(group).single.add(tag);
  }

  /** Tags that have their beginning and end in common, of at least one name. */
  addSeries(group: string, prefix: string, names: readonly string[], suffix: string): void {
    const start = SEPARATOR + prefix;
    const between = suffix + start;
    // putting three texts together at a time is faster than `join`
    const text = names.reduce((before, name) => `${before}${between}${name}`);
    this.#group(group).lists.push(start + text + suffix);
  }

  /** The response depends on something that has no tag. */
  giveUp(): void {
    this.#isKnown = false;
  }

  /** At most so many characters, each tag after a comma; undefined: none describe the response, or nothing was read. */
  format(characters: number): string | undefined {
    if (!this.#isKnown || this.#groups.size === 0) return undefined;
    let text = "";
    for (const group of this.#groups.values()) text += formatGroup(group);
    return text.length <= characters ? text : this.#formatShort(characters);
  }

  /** The longest groups lose their tags first: these are few. */
  #formatShort(characters: number): string | undefined {
    const groups = [...this.#groups].map(([name, group]) => ({ name: SEPARATOR + name, text: formatGroup(group) }));
    groups.sort((a, b) => b.text.length - a.text.length);
    let length = groups.reduce((sum, { text }) => sum + text.length, 0);
    for (const group of groups) {
      if (length <= characters) break;
      length -= group.text.length - group.name.length;
      group.text = group.name;
    }
    return length <= characters ? groups.map(({ text }) => text).join("") : undefined;
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
  readonly #headers: readonly { readonly name: string; readonly isSpaced: boolean }[];
  readonly #characters: number;

  private constructor(headers: readonly string[], bytes: number) {
    this.#headers = headers.map((name) => ({ name, isSpaced: SPACED.has(name.toLowerCase()) }));
    this.#characters = Math.floor(bytes / headers.length);
  }

  /** Undefined if they are off. */
  static create({ cacheTags = true }: { readonly cacheTags?: boolean | CacheTagSettings }): CacheTags | undefined {
    if (cacheTags === false) return undefined;
    const { headers = HEADERS, bytes = BYTES } = cacheTags === true ? {} : cacheTags;
    return new CacheTags(headers, bytes);
  }

  /** The tags of a response; undefined if it has none. */
  read(headers: Headers): readonly string[] | undefined {
    const { name, isSpaced } = this.#headers[0]!;
    return headers.get(name)?.split(isSpaced ? " " : SEPARATOR);
  }

  /** Undefined if nothing can be said. */
  headersFor(tags: Tags | undefined): TagHeaders | undefined {
    const always = tags?.always.join(SEPARATOR) ?? "";
    const others = tags?.format(this.#characters - always.length);
    if (others === undefined) return undefined;
    const text = always + others;
    const headers: Record<string, string> = {};
    for (const { name, isSpaced } of this.#headers) headers[name] = isSpaced ? text.replaceAll(SEPARATOR, " ") : text;
    return headers;
  }
}
