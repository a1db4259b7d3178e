/** Files of recorded requests, which `galley run --record` writes. */
import { readFileSync } from "node:fs";
import { findErrorCode } from "../../lib/error-code.ts";
import { isRecord } from "../../lib/is-record.ts";

export interface RecordedRequest {
  readonly method: string;
  /** With the query string. */
  readonly path: string;
  /** Of a query for GraphQL. */
  readonly body?: string;
  readonly status: number;
  readonly count: number;
  /** Total time of all `count` requests. */
  readonly milliseconds: number;
  /** Each was sent without credentials; missing if one had some, or in files of earlier versions. */
  readonly public?: true;
  /** The cache tags of its responses; missing if one had none. */
  readonly tags?: readonly string[];
}

const isRecorded = (value: unknown): value is RecordedRequest =>
  isRecord(value) &&
  typeof value.method === "string" &&
  typeof value.path === "string" &&
  (value.body === undefined || typeof value.body === "string") &&
  (value.tags === undefined || (Array.isArray(value.tags) && value.tags.every((tag) => typeof tag === "string")));

/** Throws an Error that says why a file is none. */
export function readRequests(file: string): readonly RecordedRequest[] {
  let requests: unknown;
  try {
    requests = JSON.parse(readFileSync(file, "utf8"));
  } catch (cause) {
    const reason = findErrorCode(cause) || "it is not valid JSON";
    throw new Error(`${file} cannot be read (${reason})`, { cause });
  }
  if (!Array.isArray(requests) || !requests.every(isRecorded))
    throw new Error(`${file} is not a file that galley run --record has written`);
  return requests;
}
