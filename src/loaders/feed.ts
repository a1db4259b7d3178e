/** The change feed of a Galley server: what was written since a token. */
import { get, isObject, RequestError, type Server } from "./client.ts";
import type { Source } from "./documents.ts";

export interface Change {
  readonly type: string;
  readonly documentId: string;
}

export interface Changes {
  readonly token: string;
  /** The uids of the types whose changes are listed. */
  readonly types: readonly string[];
  readonly changes: readonly Change[];
  /** Of what has become stale; undefined if the server does not tell. */
  readonly tags: readonly string[] | undefined;
}

const PATH = "/galley/changes";
const GONE = 410;

const isText = (value: unknown): value is string => typeof value === "string";
const isTexts = (value: unknown): value is string[] => Array.isArray(value) && value.every(isText);

function readChange(value: unknown): Change {
  if (!isObject(value) || !isText(value.type) || !isText(value.documentId)) throw new Error(`${PATH}: not a change`);
  return { type: value.type, documentId: value.documentId };
}

/** Without a token, the token of now. "gone": the token no longer applies. Undefined: the server has no feed for this caller. */
export async function readChanges(
  server: Server,
  { status }: Source,
  since: string | undefined,
): Promise<Changes | "gone" | undefined> {
  const changes: Change[] = [];
  let tags: string[] | undefined = [];
  for (let token = since; ; ) {
    let body: Readonly<Record<string, unknown>>;
    try {
      ({ body } = await get(server, PATH, { since: token, status }));
    } catch (error) {
      if (!(error instanceof RequestError)) throw error;
      return error.status === GONE ? "gone" : undefined;
    }
    if (!isText(body.token) || !isTexts(body.types) || !Array.isArray(body.changes)) return undefined;
    token = body.token;
    changes.push(...body.changes.map(readChange));
    tags = tags && isTexts(body.tags) ? [...tags, ...body.tags] : undefined;
    if (body.hasMore !== true) return { token, types: body.types, changes, tags };
  }
}
