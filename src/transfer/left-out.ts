/** Counts what a transfer leaves out, by type and field, with limited memory. */

import { ProjectError } from "../lib/errors.ts";
import { MAX_COUNTED_NAMES } from "./archive/limits.ts";
import { isAssetName } from "./archive/paths.ts";
import type { Json } from "./archive/shapes.ts";
import { assetNames } from "./import/assets.ts";

const OTHERS = "(others)";
const MAX_NAME_LENGTH = 200;

/** Further names beyond `MAX_COUNTED_NAMES` are counted together. */
export function countName(counts: Map<string, number>, name: string, count = 1): void {
  const short = name.slice(0, MAX_NAME_LENGTH);
  const key = counts.size < MAX_COUNTED_NAMES || counts.has(short) ? short : OTHERS;
  counts.set(key, (counts.get(key) ?? 0) + count);
}

const UNKNOWN = (receiver: string): string => `which ${receiver} does not have`;

/** What is left out, and why. The name of a type, field, component or file is put between. */
const units = {
  rows: ["rows of", UNKNOWN],
  values: ["values of", UNKNOWN],
  components: ["components of", UNKNOWN],
  links: ["links of", UNKNOWN],
  repeatedVersions: ["rows of", "whose document has an earlier row in the same locale and status"],
  danglingLinks: ["links", "to rows that the archive does not have"],
  repeatedLinks: ["links", "that repeat another one at a later position"],
  names: ["media file records with the name", "which cannot be the name of a file there"],
  urls: ["media file records with the URL", "which leads out of the uploads folder"],
  files: ["media files", "which the uploads folder does not have"],
} as const satisfies Record<string, readonly [string, string | ((receiver: string) => string)]>;

export type LeftOutUnit = keyof typeof units;

export class LeftOut {
  readonly #counts = new Map<LeftOutUnit, Map<string, number>>();
  readonly #receiver: string;

  constructor(receiver = "this project") {
    this.#receiver = receiver;
  }

  /** `name`: of a type, "type.field", or of a field with a component. */
  add(unit: LeftOutUnit, name: string, count = 1): void {
    if (count > 0)
      countName(
        this.#counts.getOrInsertComputed(unit, () => new Map()),
        name,
        count,
      );
  }

  /** Counts the names and URLs of a media record that lead out of the uploads folder. */
  addMediaRecord(record: Json): void {
    for (const { name, url } of assetNames(record)) {
      if (!isAssetName(name)) this.add("names", JSON.stringify(name));
      if (typeof url === "string" && /(^|[/\\])\.\.([/\\]|$)/.test(url)) this.add("urls", JSON.stringify(url));
    }
  }

  /** "12 rows of api::article.article, which this project does not have". */
  lines(): string[] {
    return [...this.#counts].flatMap(([unit, counts]) => {
      const [of, reason] = units[unit];
      const why = typeof reason === "string" ? reason : reason(this.#receiver);
      return [...counts].map(([name, count]) => `${count} ${of} ${name === "" ? "" : `${name}, `}${why}`);
    });
  }
}

/** The refusal of a strict transfer. `name`: of the archive or server. */
export const strictRefusal = (name: string, lines: readonly string[]): ProjectError =>
  new ProjectError(lines.map((line) => ({ file: name, key: undefined, reason: `would be left out: ${line}` })));
