/** `ctx.session`: values in a signed cookie, as `strapi::session` (koa-session) keeps them. */
import { isRecord } from "../../query/key-check.ts";
import type { Cookies } from "./cookies.ts";
import type { SessionOptions } from "./session-options.ts";

type Values = Record<string, unknown>;

/** The values in a cookie; undefined for one that is damaged or expired. */
function decode(text: string): Values | undefined {
  try {
    const values: unknown = JSON.parse(Buffer.from(text, "base64").toString("utf8"));
    if (!isRecord(values)) return undefined;
    return typeof values._expire === "number" && values._expire < Date.now() ? undefined : values;
  } catch {
    return undefined;
  }
}

/** Code reads and writes its values as properties. Names with an underscore are not values. */
export class Session {
  [name: string]: unknown;
  isNew: boolean;
  _requireSave = false;
  _expire: unknown;

  constructor(values: Values | undefined, isNew: boolean) {
    this.isNew = isNew;
    for (const [name, value] of Object.entries(values ?? {}))
      if (name !== "_maxAge" && name !== "isNew" && name !== "__proto__") this[name] = value;
  }

  toJSON(): Values {
    return Object.fromEntries(Object.entries(this).filter(([name]) => name !== "isNew" && !name.startsWith("_")));
  }

  inspect(): Values {
    return this.toJSON();
  }

  get length(): number {
    return Object.keys(this.toJSON()).length;
  }

  get populated(): boolean {
    return this.length > 0;
  }

  /** Sends the cookie also if nothing has changed. */
  save(): void {
    this._requireSave = true;
  }
}

/** The session of one request. */
export class SessionState {
  readonly #options: SessionOptions;
  readonly #cookies: Cookies;
  #maxAge: SessionOptions["maxAge"];
  #session: Session | null | undefined;
  /** The values as they were sent, as JSON; undefined without a session. */
  #sent: string | undefined;
  #expires: number | undefined;

  constructor(options: SessionOptions, cookies: Cookies) {
    this.#options = options;
    this.#maxAge = options.maxAge;
    this.#cookies = cookies;
  }

  get current(): Session | null {
    if (this.#session === undefined) this.#session = this.#read();
    return this.#session;
  }

  set current(value: unknown) {
    if (value !== null && typeof value !== "object")
      throw new Error("this.session can only be set as null or an object.");
    // the cookie that was sent is compared with it
    if (this.#session === undefined) this.#read();
    this.#session = value === null ? null : this.#create(value as Values, true);
  }

  #read(): Session {
    const text = this.#cookies.get(this.#options.key, this.#options.cookie);
    const values = text ? decode(text) : undefined;
    if (!values) return this.#create(undefined, true);
    if (typeof values._maxAge === "number" || values._session === true)
      this.#maxAge = values._session === true ? "session" : (values._maxAge as number);
    this.#expires = typeof values._expire === "number" ? values._expire : undefined;
    const session = this.#create(values, false);
    this.#sent = JSON.stringify(session);
    return session;
  }

  #create(values: Values | undefined, isNew: boolean): Session {
    const session = new Session(values, isNew);
    const define = (name: string, descriptor: PropertyDescriptor) =>
      Object.defineProperty(session, name, { configurable: true, enumerable: false, ...descriptor });
    define("maxAge", {
      get: () => this.#maxAge,
      set: (maxAge: SessionOptions["maxAge"]) => {
        this.#maxAge = maxAge;
        session._requireSave = true;
      },
    });
    define("commit", { value: async () => this.commit() });
    define("manuallyCommit", { value: async () => this.commit() });
    define("regenerate", {
      value: async (done?: () => void) => {
        session._requireSave = true;
        done?.();
      },
    });
    return session;
  }

  /** Called before the response is sent. */
  commitIfAutomatic(): void {
    if (this.#options.autoCommit && this.#session !== undefined) this.commit();
  }

  /** Sets the cookie if the values have changed. Throws if it must be secure and the connection is not. */
  commit(): void {
    const { key, cookie } = this.#options;
    const session = this.#session;
    if (session === undefined) return;
    if (session === null) {
      if (this.#sent !== undefined) this.#cookies.set(key, "", { ...cookie, expires: new Date(0) });
      return;
    }
    const json = JSON.stringify(session);
    if (!session._requireSave && !this.#isDue(session, json)) return;
    const maxAge = this.#maxAge;
    const life = maxAge === "session" ? { _session: true } : { _expire: Date.now() + maxAge, _maxAge: maxAge };
    const text = Buffer.from(JSON.stringify({ ...session.toJSON(), ...life })).toString("base64");
    this.#cookies.set(key, text, { ...cookie, ...(maxAge === "session" ? {} : { maxAge }) });
    this.#sent = json;
  }

  #isDue(session: Session, json: string): boolean {
    const { rolling, renew } = this.#options;
    if (this.#sent === undefined) return session.populated;
    if (json !== this.#sent || rolling) return true;
    const rest = (this.#expires ?? Number.POSITIVE_INFINITY) - Date.now();
    return renew && typeof this.#maxAge === "number" && rest < this.#maxAge / 2;
  }
}
