/** The headers that carry the cache tags of an answer, for caches in front of Galley and the front end's own. */
import type { GalleySettings } from "../engine/config/galley-file.ts";
import { EVERYTHING } from "../engine/storage/cache-tags.ts";
import type { Tags } from "../lib/tags.ts";

const HEADERS: readonly string[] = ["Cache-Tag", "Surrogate-Key"];
/** Those of all headers together. A proxy may have 4 KB for all headers (nginx), of which others take more than 1 KB. */
const BYTES = 2_800;
/** Headers with spaces between the tags. All others have commas. */
const SPACED: ReadonlySet<string> = new Set(["surrogate-key", "xkey"]);

export type TagHeaders = Readonly<Record<string, string>>;

export class CacheTags {
  readonly #headers: readonly { readonly name: string; readonly isSpaced: boolean }[];
  readonly #characters: number;

  private constructor(headers: readonly string[], bytes: number) {
    this.#headers = headers.map((name) => ({ name, isSpaced: SPACED.has(name.toLowerCase()) }));
    this.#characters = Math.floor(bytes / headers.length) - EVERYTHING.length;
  }

  /** Undefined if they are off. */
  static create({ cacheTags = true }: GalleySettings): CacheTags | undefined {
    if (cacheTags === false) return undefined;
    const { headers = HEADERS, bytes = BYTES } = cacheTags === true ? {} : cacheTags;
    return new CacheTags(headers, bytes);
  }

  /** The tags of a response; undefined if it has none. */
  read(headers: Headers): readonly string[] | undefined {
    const { name, isSpaced } = this.#headers[0]!;
    return headers.get(name)?.split(isSpaced ? " " : ",");
  }

  /** Undefined if nothing can be said. */
  headersFor(tags: Tags | undefined): TagHeaders | undefined {
    if (!tags) return undefined;
    const headers: Record<string, string> = {};
    for (const { name, isSpaced } of this.#headers) {
      const others = tags.format(this.#characters, isSpaced ? " " : ",");
      if (others === undefined) return undefined;
      headers[name] = EVERYTHING + others;
    }
    return headers;
  }
}
