/** Looks at answers before anything is measured: each workload must succeed, and answer what it is meant to ask for. */
import { TOKEN } from "./data.ts";
import type { Work } from "./works.ts";

interface Answer {
  readonly status: number;
  readonly body: string;
}

/** Numbers that no load sends. */
let unique = 3_000_000_000;

/** Sends a line of a workload (see urls.lua). */
export async function send(url: string, line: string): Promise<Answer> {
  const [method, path, body, type] = line.replaceAll("{{n}}", String(++unique)).split("\t");
  const content = body?.startsWith("@") ? Bun.file(body.slice(1)) : body;
  const response = await fetch(url + path, {
    method: method ?? "GET",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": type || "application/json" },
    ...(content ? { body: content } : {}),
    // a server may close a connection that rests during the load
    keepalive: false,
  });
  return { status: response.status, body: await response.text() };
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

/** Throws where two servers on the same content answer different bytes. */
export async function verifySame(a: string, b: string, work: Work, lines: readonly string[]): Promise<void> {
  for (const line of samples(lines)) {
    const [one, other] = [await send(a, line), await send(b, work.floor === true ? line : `GET\t${work.floor}`)];
    if (one.body === other.body && one.status === other.status) continue;
    const at = [...one.body].findIndex((character, index) => character !== other.body[index]);
    const [seen, instead] = [one, other].map(
      ({ status, body }) => `${status} …${body.slice(Math.max(0, at - 80), at + 80)}`,
    );
    throw new Error(`${work.name}: the floor answers ${line.slice(0, 200)} with\n${instead}\nand not with\n${seen}`);
  }
}
