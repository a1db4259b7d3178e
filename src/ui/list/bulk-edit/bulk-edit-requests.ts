/** Sends the change of one attribute in many documents, in batches: a preview, the change, and its undoing. */
import { api } from "../../api/client.ts";

export interface Refused {
  readonly documentId: string;
  /** Null for a document that does not exist. */
  readonly name: string | null;
  readonly reasons: readonly string[];
}

interface Version {
  readonly documentId: string;
  readonly updatedAt: string;
}

export interface ChangedVersion extends Version {
  readonly previousVersion: number;
}

export interface Preview {
  /** The versions that would change. */
  readonly changes: readonly Version[];
  readonly unchanged: number;
  readonly refused: readonly Refused[];
}

export interface Outcome {
  readonly changed: readonly ChangedVersion[];
  readonly refused: readonly Refused[];
  /** Documents of requests that were not answered. */
  readonly unknown: number;
  /** Documents that no request was sent for. */
  readonly skipped: number;
  /** What ended it early. */
  readonly problem: unknown;
}

/** What is changed. */
export interface EditTarget {
  readonly uid: string;
  readonly locale: string | undefined;
  readonly attribute: string;
}

export interface Edit extends EditTarget {
  readonly change: "set" | "add" | "remove";
  readonly value: unknown;
}

export interface SendOptions {
  readonly signal: AbortSignal;
  /** Called with the number of documents before each batch. */
  readonly onProgress: (handled: number) => void;
}

/** Documents in a request. */
const BATCH = 100;

function* splitBatches<Item>(items: readonly Item[]): Generator<readonly [number, readonly Item[]]> {
  for (let from = 0; from < items.length; from += BATCH) yield [from, items.slice(from, from + BATCH)];
}

/** Throws as `request` does. */
export async function sendPreview(
  edit: Edit,
  documentIds: readonly string[],
  { signal, onProgress }: SendOptions,
): Promise<Preview> {
  let sum: Preview = { changes: [], unchanged: 0, refused: [] };
  for (const [from, documents] of splitBatches(documentIds)) {
    onProgress(from);
    const { data } = await api.post<{ data: Preview }>("/edits/preview", { ...edit, documents }, { signal });
    sum = {
      changes: [...sum.changes, ...data.changes],
      unchanged: sum.unchanged + data.unchanged,
      refused: [...sum.refused, ...data.refused],
    };
  }
  return sum;
}

/** Never rejects: what was changed before an error is in the outcome. A request that was sent is not aborted. */
async function sendAll(
  path: string,
  body: object,
  versions: readonly Version[],
  { signal, onProgress }: SendOptions,
): Promise<Outcome> {
  const changed: ChangedVersion[] = [];
  const refused: Refused[] = [];
  const outcome = (end: Partial<Outcome> = {}): Outcome => ({
    changed,
    refused,
    unknown: 0,
    skipped: 0,
    problem: undefined,
    ...end,
  });
  for (const [from, documents] of splitBatches(versions)) {
    if (signal.aborted) return outcome({ skipped: versions.length - from });
    onProgress(from);
    try {
      const { data } = await api.post<{ data: Pick<Outcome, "changed" | "refused"> }>(path, { ...body, documents });
      changed.push(...data.changed);
      refused.push(...data.refused);
    } catch (problem) {
      const unknown = documents.length;
      return outcome({ problem, unknown, skipped: versions.length - from - unknown });
    }
  }
  return outcome();
}

export const sendEdit = (edit: Edit, { changes }: Preview, options: SendOptions): Promise<Outcome> =>
  sendAll("/edits", edit, changes, options);

export const sendUndo = (target: EditTarget, { changed }: Outcome, options: SendOptions): Promise<Outcome> =>
  sendAll("/edits/undo", target, changed, options);
