/** Reads JSONL files. */
import type { ProjectError } from "../../lib/errors.ts";
import { MAX_LINE_BYTES } from "./limits.ts";

const NEWLINE = 0x0a;

/** The value of a line, and its location for messages. */
export interface Line {
  readonly value: unknown;
  /** "links/links_00001.jsonl, line 3" */
  readonly location: string;
}

/** Yields lines as bytes, without newlines. */
async function* rawLines(content: AsyncIterable<Uint8Array>, tooLong: () => Error): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = [];
  let pendingBytes = 0;
  for await (const chunk of content) {
    let begin = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, begin)) {
      const rest = chunk.subarray(begin, end);
      begin = end + 1;
      yield pending.length === 0 ? rest : Buffer.concat([...pending, rest]);
      pending = [];
      pendingBytes = 0;
    }
    if (begin === chunk.length) continue;
    pending.push(chunk.subarray(begin));
    pendingBytes += chunk.length - begin;
    if (pendingBytes > MAX_LINE_BYTES) throw tooLong();
  }
  if (pending.length > 0) yield Buffer.concat(pending);
}

/** Yields the values of a JSONL file, skipping empty lines. Throws the error of `refuse` for a line that is not JSON. */
export async function* readLines(
  path: string,
  content: AsyncIterable<Uint8Array>,
  refuse: (problem: string) => ProjectError,
): AsyncGenerator<Line> {
  const decoder = new TextDecoder();
  let number = 0;
  const location = (): string => `${path}, line ${number}`;
  const tooLong = (): ProjectError => refuse(`${path}, line ${number + 1} is longer than ${MAX_LINE_BYTES} bytes`);
  for await (const bytes of rawLines(content, tooLong)) {
    number++;
    const text = decoder.decode(bytes).trim();
    if (text === "") continue;
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch (cause) {
      throw refuse(`${location()} is not valid JSON (${(cause as Error).message.slice(0, 200)})`);
    }
    yield { value, location: location() };
  }
}

/** Reads a small file. Rejects with the error of `tooLong` for more than `limit` bytes. */
export async function readAll(
  content: AsyncIterable<Uint8Array>,
  limit: number,
  tooLong: () => Error,
): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of content) {
    size += chunk.length;
    if (size > limit) throw tooLong();
    chunks.push(chunk);
  }
  return new TextDecoder().decode(Buffer.concat(chunks));
}
