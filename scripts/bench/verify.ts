/** Looks at answers before anything is measured: each workload must succeed, and answer what it is meant to ask for. */

import { fillNumbers, nextNumber, readLine } from "./load.ts";
import { TOKEN } from "./project.ts";
import type { Work } from "./works.ts";

interface Answer {
  readonly status: number;
  readonly headers: string;
  readonly body: string;
}

/** What servers need not have in common: the time, and cache tags, which the floor does without. */
const OWN_HEADERS = ["date", "cache-tag", "surrogate-key"];

/** Sends a line of a workload. */
export async function send(url: string, line: string): Promise<Answer> {
  const { method, path, body, type } = readLine(fillNumbers(line, nextNumber()));
  const response = await fetch(url + path, {
    method,
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": type },
    ...(body.length > 0 ? { body } : {}),
    // a server may close a connection that rests during the load
    keepalive: false,
  });
  for (const name of OWN_HEADERS) response.headers.delete(name);
  const headers = [...response.headers].map((entry) => entry.join(": ")).sort();
  return { status: response.status, headers: headers.join("\n"), body: await response.text() };
}

/** First, middle and last line. */
function samples(lines: readonly string[]): string[] {
  return [...new Set([0, lines.length >> 1, lines.length - 1])].map((index) => lines[index]!);
}

/** Throws for a workload whose answers are not what they should be. */
export async function verify(url: string, work: Work, lines: readonly string[]): Promise<void> {
  for (const line of samples(lines)) {
    const { status, body } = await send(url, line);
    const problem = status < 200 || status > 299 ? `status ${status}` : work.check(JSON.parse(body));
    if (problem) throw new Error(`${work.name}: ${problem} for ${line.slice(0, 300)}\n${body.slice(0, 500)}`);
  }
}

/** What differs between two writes of the same content: ids, times, numbers of `{{n}}`, and how small an image gets. */
const OF_ONE_WRITE =
  /(?<="(id|documentId|createdAt|updatedAt|publishedAt|hash|url|size|sizeInBytes)":)("[^"]*"|[\d.]+)|\b\d{10}\b|etag: .*|content-length: .*/g;

const comparable = ({ status, headers, body }: Answer, { writes }: Work): string => {
  const text = `${status}\n${body}\n${headers}`;
  return writes ? text.replaceAll(OF_ONE_WRITE, "…") : text;
};

/** Throws where two servers on the same content answer differently. */
export async function verifySame(a: string, b: string, work: Work, lines: readonly string[]): Promise<void> {
  for (const line of samples(lines)) {
    const one = comparable(await send(a, line), work);
    const other = comparable(await send(b, line), work);
    if (one === other) continue;
    const at = [...one].findIndex((character, index) => character !== other[index]);
    const [seen, instead] = [one, other].map((text) => `…${text.slice(Math.max(0, at - 80), at + 80)}`);
    throw new Error(`${work.name}: the floor answers ${line.slice(0, 200)} with\n${instead}\nand not with\n${seen}`);
  }
}
