/** The parameters of the change feed. */

import type { Params } from "../../engine/query/parse.ts";
import type { Status } from "../../engine/storage/change-log/own-changes.ts";
import { validationError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { isToken } from "./token.ts";

/** Seconds. A proxy may close a connection that is silent for longer. */
const MAX_WAIT = 60;
const MAX_LIMIT = 1_000;
const DEFAULT_DOCUMENTS = 100;

/** What of the documents is answered. */
export interface Selections {
  /** For content-types without a query of their own; undefined: their documents are not answered. */
  readonly populate: unknown;
  /** `fields` and `populate`, by uid. */
  readonly byType: ReadonlyMap<string, Params>;
}

export interface FeedParams {
  readonly since: string | undefined;
  /** All documents, instead of changes. */
  readonly isFull: boolean;
  /** Milliseconds. */
  readonly wait: number;
  readonly limit: number;
  readonly status: Status;
  readonly selections: Selections | undefined;
}

function readNumber(name: string, text: unknown, otherwise: number, [min, max]: readonly [number, number]): number {
  if (text === undefined) return otherwise;
  const number = typeof text === "string" && /^\d+$/.test(text) ? Number(text) : Number.NaN;
  if (!(number >= min && number <= max)) throw validationError(`${name} must be a number from ${min} to ${max}`);
  return number;
}

function readSince(since: unknown): string | undefined {
  if (since === undefined || since === "") return undefined;
  if (typeof since !== "string" || !isToken(since)) throw validationError("since is not a valid token");
  return since;
}

function readSelections(populate: unknown, query: unknown): Selections | undefined {
  if (query !== undefined && !isRecord(query))
    throw validationError("query must have the uids of content-types as keys");
  const byType = new Map<string, Params>();
  for (const [uid, selection] of Object.entries(query ?? {})) {
    const names = isRecord(selection) ? Object.keys(selection) : [""];
    if (!names.every((name) => name === "fields" || name === "populate"))
      throw validationError(`query[${uid}] takes fields and populate`);
    byType.set(uid, selection as Params);
  }
  return populate === undefined && byType.size === 0 ? undefined : { populate, byType };
}

/** `lastEventId`: what a client of server-sent events has seen last, which replaces `since`. Throws a ValidationError. */
export function readFeedParams(params: Params, lastEventId: string | null): FeedParams {
  const { since, full, wait, limit, status = "published", populate, query, ...others } = params;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) throw validationError(`${unknown} is not a parameter of the change feed`);
  if (full !== undefined && full !== "1" && full !== "true") throw validationError("full must be 1");
  if (status !== "draft" && status !== "published") throw validationError("status must be draft or published");
  const token = readSince(lastEventId ?? since);
  if (full !== undefined && token !== undefined && lastEventId === null)
    throw validationError("full begins anew: a page of it is continued by since alone");
  const selections = readSelections(populate, query);
  return {
    since: token,
    isFull: full !== undefined && token === undefined,
    wait: 1_000 * readNumber("wait", wait, 0, [0, MAX_WAIT]),
    limit: readNumber("limit", limit, selections ? DEFAULT_DOCUMENTS : MAX_LIMIT, [1, MAX_LIMIT]),
    status,
    selections,
  };
}
