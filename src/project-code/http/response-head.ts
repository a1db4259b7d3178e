/** The headers of Koa's response. */
import { mediaTypeOf } from "./media-types.ts";
import { ResponseHeaders } from "./response-headers.ts";
import { varyBy } from "./vary.ts";

export abstract class ResponseHead {
  readonly #headers = new ResponseHeaders();
  #isAdopted = false;
  /** Added to the header `Vary`, which built-in middlewares set when the response is sent. */
  #variedBy: readonly string[] = [];

  /** Whether the headers are sent already. Changes have no effect then. */
  abstract readonly headerSent: boolean;

  get header(): Headers {
    return this.#headers.all;
  }

  get headers(): Record<string, string> {
    return this.header.toJSON() as Record<string, string>;
  }

  /** Takes over all headers of a response of the server. */
  adoptHeaders(headers: Headers): void {
    this.#isAdopted = true;
    this.#headers.adopt(headers);
  }

  /** All headers of the response. `common` creates the default ones. */
  sentHeaders(common: () => Headers): Headers {
    const headers = this.#isAdopted ? this.header : common();
    if (!this.#isAdopted) this.#headers.addTo(headers);
    if (this.#variedBy.length > 0) headers.set("vary", varyBy(headers.get("vary") ?? "", this.#variedBy));
    return headers;
  }

  /** Whether this content type is the only header that is set. */
  hasOnlyType(type: string): boolean {
    return !this.#isAdopted && this.#variedBy.length === 0 && this.#headers.isOnly(type);
  }

  get isTyped(): boolean {
    return this.#headers.contentType !== null;
  }

  get type(): string {
    return (this.#headers.contentType ?? "").split(";")[0]!.trim();
  }

  set type(type: string) {
    this.#headers.contentType = type ? mediaTypeOf(type) : null;
  }

  get etag(): string {
    return this.get("etag");
  }

  set etag(etag: string) {
    this.header.set("etag", /^(W\/)?"/.test(etag) ? etag : `"${etag}"`);
  }

  get lastModified(): Date | undefined {
    const time = this.header.get("last-modified");
    return time === null ? undefined : new Date(time);
  }

  set lastModified(time: string | Date | undefined) {
    const val = typeof time === "string" ? new Date(time) : (time as Date);
    this.set("last-modified", val.toUTCString());
  }

  get(name: string): string {
    const value = this.header.get(name) ?? "";
    const isVaried = this.#variedBy.length > 0 && name.toLowerCase() === "vary";
    return isVaried ? varyBy(value, this.#variedBy) : value;
  }

  has(name: string): boolean {
    return this.header.has(name);
  }

  set(name: string | Readonly<Record<string, unknown>>, value?: unknown): void {
    if (this.headerSent) return;
    if (typeof name !== "string") {
      for (const [key, item] of Object.entries(name)) this.set(key, item);
      return;
    }
    this.remove(name);
    for (const item of [value].flat()) this.header.append(name, String(item));
  }

  append(name: string, value: unknown): void {
    for (const item of [value].flat()) this.header.append(name, String(item));
  }

  remove(name: string): void {
    if (name.toLowerCase() === "vary") this.#variedBy = [];
    this.#headers.delete(name);
  }

  vary(names: string | readonly string[]): void {
    if (!this.headerSent) this.#variedBy = [varyBy(this.#variedBy.join(), names)];
  }
}
