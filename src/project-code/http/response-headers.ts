/** The headers that code sets: most responses have nothing but a content type, for which no `Headers` is made. */
export class ResponseHeaders {
  #all: Headers | undefined;
  /** The content type as long as there is nothing else. */
  #type: string | null = null;

  get all(): Headers {
    if (!this.#all) {
      this.#all = new Headers();
      if (this.#type !== null) this.#all.set("content-type", this.#type);
    }
    return this.#all;
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
    else if (name === "content-type") this.#type = null;
  }

  /** Takes `headers` for its own. What was set before stays where they have nothing of the name; cookies are added. */
  adopt(headers: Headers): void {
    const before = this.#all;
    this.#all = headers;
    if (!before) return;
    before.delete("content-type");
    for (const [name, value] of before) if (name !== "set-cookie" && !headers.has(name)) headers.set(name, value);
    for (const cookie of before.getSetCookie()) headers.append("set-cookie", cookie);
  }

  /** Replaces those of the same names, but adds cookies. */
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
