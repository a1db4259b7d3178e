/** Sends an action for many documents, in batches. */
import { ApiFailure, api, errorMessage } from "../api/client.ts";
import { countText } from "../count-text.ts";
import { problemText } from "../edit/form/problem-text.ts";
import { type ContentType, formatLabel } from "../model.ts";
import type { Refused } from "./bulk-edit/bulk-edit-requests.ts";
import type { Row } from "./rows.ts";
import { rowsPath } from "./rows-path.ts";

export interface BulkOutcome {
  /** Documents that the server has handled. */
  readonly done: number;
  /** Documents that did not exist any more. */
  readonly missing: number;
  /** Documents of a request whose response is missing. */
  readonly unknown: number;
  /** Documents whose own rules do not allow it. */
  readonly refused: readonly Refused[];
  /** Documents that are as before. */
  readonly rest: number;
  /** What ended it early. */
  readonly problem: unknown;
}

/** Documents in a request. Each is a transaction; batches leave time for the requests of others. */
const BATCH = 100;
/** With more, something is wrong with all of them. */
const MAX_REFUSED = 50;

/** Whether the server may have written, although there is an error. */
const isUnknown = (error: unknown): boolean => !(error instanceof ApiFailure) || [500, 502, 504].includes(error.status);

/** 404 is the response if none of a request's documents exists. */
const isMissing = (error: unknown): boolean => error instanceof ApiFailure && error.status === 404;

export interface BulkProgress {
  /** Called with the number of documents before each request. */
  readonly onProgress: (handled: number) => void;
  /** Called with documents that need no further request. */
  readonly onSettled: (ids: readonly string[]) => void;
}

/** The rules of a single document are broken: others of its request may be fine. */
const isRefusal = (error: unknown): error is ApiFailure => error instanceof ApiFailure && error.status === 400;

function listReasons({ problems, message }: ApiFailure): readonly string[] {
  const texts = problems.map(({ path, message: text }) => {
    const name = String([path].flat().at(-1) ?? "");
    return name === "" ? text : `${formatLabel(name)}: ${problemText(text, name)}`;
  });
  return texts.length > 0 ? texts : [message];
}

const splitBatches = (ids: readonly string[]): (readonly string[])[] =>
  Array.from({ length: Math.ceil(ids.length / BATCH) }, (_, index) => ids.slice(index * BATCH, (index + 1) * BATCH));

/**
 * A request is refused as a whole, and sent again as two halves: in the end, only documents that are refused themselves are left.
 * Never rejects: what was done before an error is in the outcome.
 */
export async function sendBulk(
  path: string,
  body: object,
  ids: readonly string[],
  { onProgress, onSettled }: BulkProgress,
): Promise<BulkOutcome> {
  const queue = splitBatches(ids);
  const refused: Refused[] = [];
  let done = 0;
  let missing = 0;
  const outcome = (unknown: number, problem: unknown): BulkOutcome => {
    const rest = queue.reduce((sum, batch) => sum + batch.length, 0) - unknown;
    return { done, missing, unknown, refused, rest, problem };
  };
  for (let [documentIds] = queue; documentIds; [documentIds] = queue) {
    if (refused.length >= MAX_REFUSED) return outcome(0, new Error(`More than ${MAX_REFUSED} documents are refused`));
    onProgress(done + missing + refused.length);
    try {
      const { count } = await api.post<{ count: number }>(path, { ...body, documentIds });
      done += count;
    } catch (problem) {
      if (isRefusal(problem)) {
        queue.shift();
        const half = documentIds.length / 2;
        if (half >= 1) queue.unshift(documentIds.slice(0, half), documentIds.slice(half));
        else refused.push({ documentId: documentIds[0]!, name: null, reasons: listReasons(problem) });
        continue;
      }
      if (!isMissing(problem)) return outcome(isUnknown(problem) ? documentIds.length : 0, problem);
      missing += documentIds.length;
    }
    queue.shift();
    onSettled(documentIds);
  }
  return outcome(0, undefined);
}

/** With the names of the documents; without them if they cannot be read. */
export async function withNames(
  { uid, mainField }: Pick<ContentType, "uid" | "mainField">,
  locale: string | undefined,
  refused: readonly Refused[],
): Promise<readonly Refused[]> {
  if (refused.length === 0) return refused;
  const search = new URLSearchParams({ columns: mainField, ...(locale ? { locale } : {}) });
  for (const [index, { documentId }] of refused.entries()) search.set(`filters[documentId][$in][${index}]`, documentId);
  try {
    const { results } = await api.get<{ results: readonly Row[] }>(rowsPath(uid, search, 1, refused.length));
    const names = new Map(results.map((row) => [row.documentId, row[mainField]]));
    return refused.map((item) => ({ ...item, name: String(names.get(item.documentId) ?? "") || null }));
  } catch {
    // the reasons are told with the documents' ids
    return refused;
  }
}

/** `done`: the action as a participle, such as "Published". */
export function outcomeText(done: string, outcome: BulkOutcome): string {
  const { problem, missing, unknown, refused, rest } = outcome;
  const isWhole = problem === undefined && refused.length === 0;
  return [
    problem === undefined ? "" : errorMessage(problem).replace(/\.$/, ""),
    `${done}: ${countText(outcome.done)}`,
    missing > 0 ? `No longer there: ${countText(missing)}` : "",
    unknown > 0 ? `Not known, since there was no answer: ${countText(unknown)}` : "",
    refused.length > 0 ? `Refused: ${countText(refused.length)}` : "",
    rest > 0 ? `Left as before: ${countText(rest)}` : "",
    isWhole ? "" : "What is not done stays selected",
  ]
    .filter(Boolean)
    .join(". ");
}
