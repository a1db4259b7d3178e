/** The requests of the loader, and what refusals say. */
import { LoadError } from "./load-error.ts";

export type Json = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

interface Call {
  /** What the request is about, for errors. */
  readonly about: string;
  readonly method?: "GET" | "POST" | "PUT";
  /** Below `/api`. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly data?: unknown;
  readonly form?: FormData;
}

/** The server's message, with all problems where it lists several. */
function refusal(body: unknown): string {
  const error = isRecord(body) ? body.error : undefined;
  if (!isRecord(error)) return "without saying why";
  const { errors } = isRecord(error.details) ? error.details : {};
  const problems = Array.isArray(errors) ? errors.filter(isRecord) : [];
  const listed = problems.map(({ path, message }) => `${Array.isArray(path) ? path.join(".") : path}: ${message}`);
  return [String(error.message), ...listed].join("\n  ");
}

export class Api {
  readonly #url: string;
  readonly #headers: Readonly<Record<string, string>>;

  constructor(url: string, token: string) {
    this.#url = url.replace(/\/+$/, "");
    this.#headers = { authorization: `Bearer ${token}` };
  }

  /** Throws a LoadError when the server cannot be reached, and for every answer but a 2xx and those that are `expected`. */
  async send(call: Call, expected?: number): Promise<Answer> {
    const { about, method = "GET", path, query = {}, form } = call;
    const address = `${this.#url}/api/${path}${Object.keys(query).length > 0 ? `?${new URLSearchParams(query)}` : ""}`;
    const isJson = call.data !== undefined;
    const response = await fetch(address, {
      method,
      headers: isJson ? { ...this.#headers, "content-type": "application/json" } : this.#headers,
      body: isJson ? JSON.stringify({ data: call.data }) : (form ?? null),
    }).catch((cause: unknown) => {
      throw new LoadError(`${this.#url} cannot be reached: ${cause instanceof Error ? cause.message : cause}`);
    });
    const text = await response.text();
    let body: unknown;
    try {
      body = text === "" ? undefined : JSON.parse(text);
    } catch {
      throw new LoadError(`${about}: ${method} ${address} answered ${response.status} with something that is not JSON`);
    }
    if (response.ok || response.status === expected) return { status: response.status, body };
    throw new LoadError(`${about}: ${method} /api/${path} answered ${response.status}: ${refusal(body)}`);
  }
}
