/** Requests to sign-in providers, with limits for time and size. Redirects are not followed. */
import { tryParseJson } from "../../lib/coerce.ts";
import { isRecord, toRecord } from "../../lib/is-record.ts";

const TIMEOUT_MS = 10_000;
const MAX_BYTES = 1_000_000;

async function readText(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > MAX_BYTES) throw new Error(`The provider's response has more than ${MAX_BYTES} bytes`);
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}

/** The fields of a body, which is JSON or, as of some token endpoints, form data; the text of any other. */
function parseFields(text: string): unknown {
  const value = tryParseJson(text);
  if (value !== undefined) return value;
  return text.includes("=") ? Object.fromEntries(new URLSearchParams(text)) : text;
}

/** Of messages, which are sent to clients in a URL. */
const MAX_MESSAGE = 200;

function formatMessage(body: unknown, status: number): string {
  const { error_description: description, error, message, oauth_problem: problem } = toRecord(body);
  const text = isRecord(body) ? description || (isRecord(error) ? error.message : error) || message || problem : body;
  return String(text || `HTTP ${status}`).slice(0, MAX_MESSAGE);
}

/** Resolves with the body. Throws the provider's message for any other status than 2xx. */
export async function fetchFields(url: URL | string, init: RequestInit = {}): Promise<unknown> {
  const target = new URL(url);
  // the runtime would read files and other sources as well
  if (target.protocol !== "https:" && target.protocol !== "http:")
    throw new Error("The address of a sign-in provider must begin with https:");
  const response = await fetch(target, { ...init, redirect: "manual", signal: AbortSignal.timeout(TIMEOUT_MS) });
  const body = parseFields(await readText(response));
  if (!response.ok) throw new Error(formatMessage(body, response.status));
  return body;
}

/** The fields of a resource that needs an access token. */
export async function fetchWithToken(
  url: string,
  token: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Readonly<Record<string, unknown>>> {
  const body = await fetchFields(url, { headers: { Authorization: `Bearer ${token}`, ...headers } });
  return Array.isArray(body) ? { list: body } : toRecord(body);
}
