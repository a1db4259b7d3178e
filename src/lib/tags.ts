/** Tags that have their beginning and end in common. */
interface Series {
  readonly prefix: string;
  readonly names: readonly string[];
  readonly suffix: string;
}

interface Group {
  readonly single: Set<string>;
  readonly series: Series[];
}

/** Each after a separator. Putting texts together one by one is faster than joining them, and than replacing separators. */
function formatGroup({ single, series }: Group, separator: string): string {
  let text = "";
  for (const tag of single) text += separator + tag;
  for (const { prefix, names, suffix } of series.length < 2 ? series : mergeEqual(series))
    for (const name of names) text += separator + prefix + name + suffix;
  return text;
}

const mergeEqual = (series: readonly Series[]): Series[] =>
  [...Map.groupBy(series, ({ prefix, suffix }) => `${prefix},${suffix}`).values()].map((equal) => ({
    ...equal[0]!,
    names: [...new Set(equal.flatMap(({ names }) => names))],
  }));

/** The cache tags of a response, in groups. The name of a group stands for all of its tags, if these would be too many. */
export class Tags {
  readonly #groups = new Map<string, Group>();
  #isKnown = true;

  #group(name: string): Group {
    let group = this.#groups.get(name);
    if (!group) {
      group = { single: new Set(), series: [] };
      this.#groups.set(name, group);
    }
    return group;
  }

  add(group: string, tag: string): void {
    this.#group(group).single.add(tag);
  }

  addSeries(group: string, series: Series): void {
    if (series.names.length > 0) this.#group(group).series.push(series);
  }

  /** The response depends on something that has no tag. */
  giveUp(): void {
    this.#isKnown = false;
  }

  /** At most so many characters, each tag after a separator; undefined: none describe the response, or nothing was read. */
  format(characters: number, separator: string): string | undefined {
    if (!this.#isKnown || this.#groups.size === 0) return undefined;
    let text = "";
    for (const group of this.#groups.values()) text += formatGroup(group, separator);
    return text.length <= characters ? text : this.#formatShort(characters, separator);
  }

  /** The longest groups lose their tags first: these are few. */
  #formatShort(characters: number, separator: string): string | undefined {
    const groups = [...this.#groups].map(([name, group]) => ({
      name: separator + name,
      text: formatGroup(group, separator),
    }));
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
