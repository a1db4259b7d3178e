/** Sends an action for many documents, in batches. */
import { ApiFailure, api, messageOf } from "../api/client.ts";
import { countText } from "./count-text.ts";

export interface BulkOutcome {
  /** Documents that the server has handled. */
  readonly done: number;
  /** Documents that did not exist any more. */
  readonly missing: number;
  /** Documents of a request whose response is missing. */
  readonly unknown: number;
  /** Documents that are as before. */
  readonly rest: number;
  /** What ended it early. */
  readonly problem: unknown;
}

/** Documents in a request. Each is a transaction; batches leave time for the requests of others. */
const BATCH = 100;

/** Whether the server may have written, although there is an error. */
const isUnknown = (error: unknown): boolean => !(error instanceof ApiFailure) || [500, 502, 504].includes(error.status);

/** 404 is the response if none of a request's documents exists. */
const isMissing = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404;

export interface BulkProgress {
  /** Called with the number of documents before each batch. */
  readonly onProgress: (handled: number) => void;
  /** Called with documents that need no further request. */
  readonly onSettled: (ids: readonly string[]) => void;
}

/** Never rejects: what was done before an error is in the outcome. */
export async function sendBulk(
  path: string,
  body: object,
  ids: readonly string[],
  { onProgress, onSettled }: BulkProgress,
): Promise<BulkOutcome> {
  let done = 0;
  let missing = 0;
  for (let from = 0; from < ids.length; from += BATCH) {
    onProgress(from);
    const documentIds = ids.slice(from, from + BATCH);
    try {
      const { count } = await api.post<{ count: number }>(path, { ...body, documentIds });
      done += count;
    } catch (problem) {
      if (!isMissing(problem)) {
        const unknown = isUnknown(problem) ? documentIds.length : 0;
        return { done, missing, unknown, rest: ids.length - from - unknown, problem };
      }
      missing += documentIds.length;
    }
    onSettled(documentIds);
  }
  return { done, missing, unknown: 0, rest: 0, problem: undefined };
}

/** `done`: the action as a participle, such as "Published". */
export function outcomeText(done: string, outcome: BulkOutcome): string {
  const { problem, missing, unknown, rest } = outcome;
  const sentences = [
    `${done}: ${countText(outcome.done)}`,
    missing > 0 ? `No longer there: ${countText(missing)}` : "",
    unknown > 0 ? `Not known, since there was no answer: ${countText(unknown)}` : "",
    rest > 0 ? `Left as before: ${countText(rest)}` : "",
  ];
  if (problem === undefined) return sentences.filter(Boolean).join(". ");
  return [messageOf(problem), ...sentences, "What is not done stays selected"].filter(Boolean).join(". ");
}
