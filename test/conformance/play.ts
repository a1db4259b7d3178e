/** Plays a scenario against a server; a fresh one is expected. */
import { readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Normaliser } from "./normalise.ts";
import type { Answer, Json, Scenario, Step } from "./scenario.ts";

const KEYS: Readonly<Record<string, string>> = {
  full: "conformance-full-access",
  read: "conformance-read-only",
  custom: "conformance-custom",
  admin: "conformance-admin",
  mcp: "conformance-admin",
};

/** What clients of the Model Context Protocol accept. */
const MCP_TYPES = "application/json, text/event-stream";

/** Bracket syntax of a nested value, as the `qs` package writes it with `encodeValuesOnly`. */
export function encodeQuery(value: Json, prefix = ""): string {
  if (value === null) return `${prefix}=`;
  if (typeof value !== "object") return `${prefix}=${encodeURIComponent(String(value))}`;
  const parts = Array.isArray(value)
    ? value.map((item, index) => encodeQuery(item, `${prefix}[${index}]`))
    : Object.entries(value).map(([key, item]) => encodeQuery(item, prefix ? `${prefix}[${key}]` : key));
  return parts.filter((part) => part !== "").join("&");
}

/** The value at a dotted path. */
function pick(body: Json, path: string): Json | undefined {
  let value: Json | undefined = body;
  for (const key of path.split(".")) {
    if (value === null || value === undefined || typeof value !== "object") return undefined;
    value = (value as { [key: string]: Json })[key];
  }
  return value;
}

function ignorePath(body: Json, [head, ...rest]: readonly string[]): void {
  if (body === null || typeof body !== "object" || head === undefined) return;
  const object = body as { [key: string]: Json };
  const keys = head === "*" ? Object.keys(object) : head in object ? [head] : [];
  for (const key of keys) {
    if (rest.length > 0) ignorePath(object[key]!, rest);
    else object[key] = "<ignored>";
  }
}

class Variables {
  readonly #values = new Map<string, string>();

  fill(text: string): string {
    return text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => this.#values.get(name) ?? `{{unset:${name}}}`);
  }

  /** "{{x:number}}" alone becomes a number: row ids are numeric. */
  fillJson(value: Json): Json {
    if (typeof value === "string") {
      return /^\{\{\w+:number\}\}$/.test(value) ? Number(this.fill(value.replace(":number", ""))) : this.fill(value);
    }
    if (Array.isArray(value)) return value.map((item) => this.fillJson(item));
    if (value === null || typeof value !== "object") return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [this.fill(key), this.fillJson(item)]));
  }

  save(step: Step, body: Json): void {
    for (const [name, path] of Object.entries(step.save ?? {})) {
      const value = pick(body, path);
      if (value !== undefined && value !== null) this.#values.set(name, String(value));
    }
  }
}

function createBody(step: Step, variables: Variables, headers: Record<string, string>, filesDir: string) {
  if (step.graphql !== undefined) {
    headers["content-type"] = "application/json";
    const query = variables.fill(step.graphql);
    return JSON.stringify({ query, variables: variables.fillJson(step.variables ?? {}) });
  }
  if (step.mcp) {
    headers.accept ??= MCP_TYPES;
    headers["content-type"] ??= "application/json";
    return JSON.stringify({ jsonrpc: "2.0", id: 1, ...(variables.fillJson(step.mcp as Json) as object) });
  }
  if (step.json !== undefined) {
    headers["content-type"] ??= "application/json";
    return JSON.stringify(variables.fillJson(step.json));
  }
  if (step.raw !== undefined) return variables.fill(step.raw);
  if (!step.multipart) return undefined;
  const form = new FormData();
  for (const { field, file, filename, type } of step.multipart.files ?? []) {
    const bytes = readFileSync(join(filesDir, file));
    form.append(field, new File([bytes], filename ?? basename(file), { type: type ?? "application/octet-stream" }));
  }
  for (const [name, value] of Object.entries(step.multipart.fields ?? {})) form.append(name, variables.fill(value));
  return form;
}

/** What is asked, and with which keys in the place of the usual ones. */
interface Server {
  readonly baseUrl: string;
  readonly filesDir: string;
  readonly keys: Readonly<Record<string, string>>;
}

function createRequest(step: Step, variables: Variables, { baseUrl, filesDir, keys }: Server): Request {
  const headers = Object.fromEntries(
    Object.entries(step.headers ?? {}).map(([name, value]) => [name, variables.fill(value)]),
  );
  const token = step.bearer ? variables.fill(step.bearer) : { ...KEYS, ...keys }[step.as ?? "full"];
  if (token && !headers.Authorization && step.as !== "public") headers.Authorization = `Bearer ${token}`;
  const path = variables.fill(step.path ?? (step.graphql ? "/graphql" : step.mcp ? "/mcp" : "/"));
  const query = step.query === undefined ? "" : `?${encodeQuery(variables.fillJson(step.query))}`;
  const body = createBody(step, variables, headers, filesDir);
  const method = step.method ?? (step.graphql === undefined && !step.mcp ? "GET" : "POST");
  return new Request(baseUrl + path + query, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    redirect: "manual",
  });
}

/** The message of a stream. The text of a tool's result is its structured content again, so that it is compared once. */
function readMessage(stream: string): Json {
  const lines = stream.split("\n").filter((line) => line.startsWith("data: "));
  const messages = lines.map((line) => JSON.parse(line.slice("data: ".length)) as McpMessage);
  for (const { result } of messages) {
    if (result?.tools) result.tools = withoutDescriptions(result.tools);
    const [block] = result?.content ?? [];
    if (!block || result?.structuredContent === undefined) continue;
    const isSame = Bun.deepEquals(JSON.parse(block.text), result.structuredContent);
    if (isSame) block.text = "<structuredContent>";
  }
  return (messages.length === 1 ? messages[0] : messages) as unknown as Json;
}

interface McpMessage {
  readonly result?: { readonly content?: { text: string }[]; readonly structuredContent?: Json; tools?: Json };
}

/** Tools as clients compare them: descriptions are for readers. Those of attributes that are called `description` are schemas. */
function withoutDescriptions(value: Json): Json {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (value === null || typeof value !== "object") return value;
  const kept = Object.entries(value).filter(([key, inner]) => key !== "description" || typeof inner !== "string");
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutDescriptions(inner)]));
}

async function readAnswer(step: Step, response: Response): Promise<Json> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  const text = new TextDecoder().decode(bytes);
  const mode = step.expect ?? "json";
  if (mode === "bytes") return { length: bytes.length };
  if (mode === "text") return text;
  if (mode === "none") return null;
  if (text === "") return "";
  const isStream =
    (step.mcp !== undefined || step.path === "/mcp") &&
    response.headers.get("content-type")?.startsWith("text/event-stream");
  try {
    return isStream ? readMessage(text) : (JSON.parse(text) as Json);
  } catch {
    // an answer that is no JSON is compared as text
    return text;
  }
}

export interface Played {
  readonly answers: Answer[];
  /** The bodies before they were normalised. */
  readonly raw: Json[];
}

/** `afterStep` is called before the next request. */
export async function play(
  scenario: Scenario,
  baseUrl: string,
  filesDir: string,
  keys: Readonly<Record<string, string>> = {},
  afterStep?: (step: Step, status: number) => Promise<void>,
): Promise<Played> {
  const variables = new Variables();
  const normaliser = new Normaliser();
  const answers: Answer[] = [];
  const raw: Json[] = [];
  for (const step of scenario.steps) {
    const response = await fetch(createRequest(step, variables, { baseUrl, filesDir, keys }));
    const body = await readAnswer(step, response);
    variables.save(step, body);
    const headers: Record<string, string> = {};
    const type = response.headers.get("content-type");
    if (type) headers["content-type"] = type;
    for (const name of step.compareHeaders ?? []) {
      const value = response.headers.get(name);
      headers[name.toLowerCase()] = value === null ? "<absent>" : normaliser.text(value);
    }
    const value = normaliser.value(body);
    for (const path of step.ignore ?? []) ignorePath(value, path.split("."));
    raw.push(body);
    answers.push({ status: response.status, headers, body: value });
    await afterStep?.(step, response.status);
  }
  return { answers, raw };
}
