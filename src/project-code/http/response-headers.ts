/** The headers that code sets. Most responses have only a content type, for which no `Headers` is created. */
export class ResponseHeaders {
  #all: Headers | undefined;
  /** The content type, as long as no other header is set. */
  #type: string | null = null;

  get all(): Headers {
    if (!this.#all) {
      this.#all = new Headers();
      if (this.#type !== null) this.#all.set("content-type", this.#type);
    }
    return this.#all;
  }

  /** Whether there is no other header than this content type. */
  isOnly(type: string): boolean {
    return this.#all === undefined && this.#type === type;
  }

  get contentType(): string | null {
    return this.#all ? this.#all.get("content-type") : this.#type;
  }

  set contentType(type: string | null) {
    if (!this.#all) this.#type = type;
    else if (type === null) this.#all.delete("content-type");
    else this.#all.set("content-type", type);
  }

  delete(name: string): void {
    if (this.#all) this.#all.delete(name);
    else if (name.toLowerCase() === "content-type") this.#type = null;
  }

  /** Replaces the headers. Earlier ones are kept if `headers` has none with their name; cookies are added. */
  adopt(headers: Headers): void {
    const previous = this.#all;
    this.#all = headers;
    if (!previous) return;
    previous.delete("content-type");
    for (const [name, value] of previous) if (name !== "set-cookie" && !headers.has(name)) headers.set(name, value);
    for (const cookie of previous.getSetCookie()) headers.append("set-cookie", cookie);
  }

  /** Overwrites headers with the same names, but adds cookies. */
  addTo(headers: Headers): void {
    const all = this.#all;
    if (!all) {
      if (this.#type !== null) headers.set("content-type", this.#type);
      return;
    }
    for (const [name, value] of all) if (name !== "set-cookie") headers.set(name, value);
    for (const cookie of all.getSetCookie()) headers.append("set-cookie", cookie);
  }
}
