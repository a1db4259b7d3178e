/** Replaces what no two runs share (ids, times, hashes, tokens) by symbols that are the same in every run. */
import { vercelStegaCombine, vercelStegaDecode } from "@vercel/stega";
import type { Json } from "./scenario.ts";

const TIME_KEYS =
  /^(createdAt|updatedAt|publishedAt|firstPublishedAt|expiresAt|lastUsedAt|created_at|updated_at|published_at)$/;
const DOCUMENT_ID = /^[a-z0-9]{24}$/;
const SECRET_KEYS = /^(jwt|refreshToken|accessKey)$/;
/** How a source map begins, without the last two of its characters, `"}`: each takes four invisible ones. Texts may have others before it. */
const SOURCE_MAP = vercelStegaCombine("", { strapiSource: "" }, false).slice(0, -8);
const HASH = /_[0-9a-f]{10}(?=[._"]|$)/g;

export class Normaliser {
  readonly #symbols = new Map<string, string>();

  #symbol(id: string): string {
    const symbol = this.#symbols.get(id) ?? `<doc:${this.#symbols.size + 1}>`;
    this.#symbols.set(id, symbol);
    return symbol;
  }

  text(text: string): string {
    let out = text;
    for (const [id, symbol] of this.#symbols) out = out.replaceAll(id, symbol);
    return out.replace(HASH, "_<hash>");
  }

  value(value: Json, key = "", path: readonly string[] = []): Json {
    if (Array.isArray(value)) return value.map((item, index) => this.value(item, key, [...path, String(index)]));
    if (value !== null && typeof value === "object") {
      return Object.fromEntries(
        Object.entries(value).map(([name, inner]) => [name, this.value(inner, name, [...path, name])]),
      );
    }
    if (key === "id" && typeof value === "number") return "<id>";
    if (key === "id" && typeof value === "string" && /^\d+$/.test(value)) return "<id-string>";
    if ((key === "size" || key === "sizeInBytes") && path.includes("formats")) return "<size>";
    if (typeof value !== "string") return value;
    const start = value.lastIndexOf(SOURCE_MAP);
    if (start !== -1) {
      // a source map names documents, which no two runs share; one that is not encoded as in Strapi stays as it is
      const text = value.slice(0, start);
      const source = vercelStegaDecode(value.slice(start));
      if (vercelStegaCombine(text, source, false) !== value) return value;
      return `${this.value(text, key, path)}<source map: ${this.text(JSON.stringify(source))}>`;
    }
    if (SECRET_KEYS.test(key)) return "<secret>";
    if (TIME_KEYS.test(key) && /^\d{4}-\d\d-\d\dT/.test(value)) return "<time>";
    if (DOCUMENT_ID.test(value) && (key === "documentId" || /\d/.test(value))) return this.#symbol(value);
    return this.text(value);
  }
}
