/** Reads the documents of a type: all of them, or some by their ids. */
import { type Answer, getContent, isObject, type Params, RequestError, type Server } from "./client.ts";
import { type Document, isDocument } from "./stamps.ts";

/** What is read, in the words of Strapi's API. */
export interface Source {
  /** The content-type's uid, as in "api::article.article". */
  readonly type: string;
  /** Where the API has it: the plural name of a collection type ("articles"), the singular name of a single type. */
  readonly path: string;
  /** Whether it is a single type. */
  readonly single?: boolean | undefined;
  readonly populate?: unknown;
  readonly fields?: readonly string[] | undefined;
  /** The default locale by default; "*": all of them. */
  readonly locale?: string | undefined;
  /** Published ones by default. */
  readonly status?: "published" | "draft" | undefined;
}

/** What servers limit further, and tell. */
const PAGE_SIZE = 1_000;
/** Their ids fit into a URL. */
const IDS_PER_REQUEST = 100;

/** Unique in the source: the `documentId`, with the locale behind a colon where all locales are read. */
export const keyOf = ({ locale }: Source, { documentId, locale: own }: Document): string =>
  locale === "*" && typeof own === "string" ? `${documentId}:${own}` : documentId;

/** Of the document that a key is of. */
export const idOf = (key: string): string => key.split(":")[0]!;

export const selection = ({ populate, fields, locale, status }: Source): Params => ({
  populate,
  fields,
  locale,
  status,
});

export type Documents = ReadonlyMap<string, Document>;

export interface Listing {
  readonly documents: Documents;
  /** Tags of all answers; undefined if one had none. */
  readonly tags: readonly string[] | undefined;
}

const joinTags = (answers: readonly Answer[]): readonly string[] | undefined =>
  answers.every(({ tags }) => tags !== undefined) ? answers.flatMap(({ tags }) => tags ?? []) : undefined;

function listIn({ body }: Answer, path: string): readonly Document[] {
  const { data } = body;
  if (Array.isArray(data) && data.every(isDocument)) return data;
  throw new Error(`${path}: not a list of documents of Strapi 5. A single type needs single: true`);
}

async function readSingle(server: Server, source: Source): Promise<Listing> {
  const documents = new Map<string, Document>();
  try {
    const answer = await getContent(server, source.path, selection(source));
    const { data } = answer.body;
    // of all locales, too, it is one document
    if (isDocument(data)) documents.set(keyOf(source, data), data);
    return { documents, tags: answer.tags };
  } catch (error) {
    // it has no entry, or no published one
    if (error instanceof RequestError && error.status === 404) return { documents, tags: undefined };
    throw error;
  }
}

interface ListOptions {
  /** Instead of the source's. */
  readonly params?: Params;
  /** Only of these ids. */
  readonly ids?: readonly string[];
}

/** Rejects as `get`. */
export async function readAll(server: Server, source: Source, options: ListOptions = {}): Promise<Listing> {
  if (source.single) return readSingle(server, source);
  const { params = selection(source), ids } = options;
  // the versions of a document in other locales may be on the next page
  const beyond = source.locale === "*" ? "$gte" : "$gt";
  const documents = new Map<string, Document>();
  const answers: Answer[] = [];
  for (let last: string | undefined; ; ) {
    // by id instead of by page: a document that is deleted meanwhile moves no other one
    const condition = { $in: ids, [beyond]: last };
    const answer = await getContent(server, source.path, {
      ...params,
      sort: "documentId",
      filters: { documentId: condition },
      pagination: { page: 1, pageSize: PAGE_SIZE, withCount: false },
    });
    answers.push(answer);
    const page = listIn(answer, source.path);
    const count = documents.size;
    for (const document of page) documents.set(keyOf(source, document), document);
    last = page.at(-1)?.documentId;
    if (page.length < pageSizeOf(answer)) return { documents, tags: joinTags(answers) };
    if (documents.size === count) throw new Error(`${source.path}: the server's lists are too short to be read on`);
  }
}

function pageSizeOf({ body }: Answer): number {
  const pagination = isObject(body.meta) ? body.meta.pagination : undefined;
  const size = isObject(pagination) ? pagination.pageSize : undefined;
  return typeof size === "number" ? size : PAGE_SIZE;
}

/** The documents that are still there. Rejects as `get`. */
export async function readByIds(server: Server, source: Source, ids: readonly string[]): Promise<Listing> {
  const documents = new Map<string, Document>();
  const answers: Answer[] = [];
  for (let from = 0; from < ids.length; from += IDS_PER_REQUEST) {
    const some = ids.slice(from, from + IDS_PER_REQUEST);
    const { documents: found, tags } = await readAll(server, source, { ids: some });
    for (const [key, document] of found) documents.set(key, document);
    answers.push({ body: {}, tags });
  }
  return { documents, tags: joinTags(answers) };
}
