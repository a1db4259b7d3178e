/** Writes many documents of a type in one transaction: all of them, or none. */
import { withAuthor } from "../../../admin/administrator.ts";
import { checkLocale, connectedAsSet, readData } from "../../../admin/content-manager/input.ts";
import { findDocumentId } from "../../../admin/content-manager/single-types.ts";
import { recordVersions } from "../../../admin/content-manager/snapshot.ts";
import { Writes } from "../../../admin/content-manager/writes.ts";
import { formatProblems } from "../../../admin/refusal.ts";
import { SampleGenerator } from "../../../admin/sample/document.ts";
import { Random } from "../../../admin/sample/random.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Documents, WithData } from "../../../engine/documents/documents.ts";
import { hashPasswords, passwordsIn, withoutHashing } from "../../../engine/documents/passwords.ts";
import type { Data, Hashes } from "../../../engine/documents/rows.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { ApiError, applicationError, validationError } from "../../../lib/errors.ts";

export interface DocumentWrite {
  /** Of the document to update; absent: a new one. */
  readonly documentId?: string;
  /** Of the new document; absent: a random one. */
  readonly newId?: string;
  readonly data: Data;
  /** Ignored for types that are not localized. */
  readonly locale?: string | undefined;
  /** Whether drafts are published, too. */
  readonly publish?: boolean | undefined;
}

/** The parameters of a write besides its data. */
const dimensions = (type: ContentType, { locale, publish }: Pick<DocumentWrite, "locale" | "publish">) => ({
  fields: ["documentId"],
  locale: type.localized ? locale : undefined,
  status: publish && type.draftAndPublish ? ("published" as const) : undefined,
});

const MAX_PROBLEMS = 10;

/** Throws a ValidationError that names the problems. */
export function expectNone(problems: readonly string[]): void {
  if (problems.length === 0) return;
  const more = problems.length > MAX_PROBLEMS ? `; ${problems.length - MAX_PROBLEMS} more` : "";
  throw validationError(`Nothing is written: ${problems.slice(0, MAX_PROBLEMS).join("; ")}${more}`);
}

/** What is wrong with a document; throws an error that is no refusal. */
function describeRefused(error: unknown, index: number): string {
  if (!(error instanceof ApiError) || error.httpStatus >= 500) throw error;
  return `document ${index}: ${formatProblems(error)}`;
}

interface Prepared {
  readonly documentId: string | undefined;
  readonly newId: string | undefined;
  readonly hashes: Hashes;
  readonly params: WithData;
}

/** Goes on after documents that are refused, so that one error names all of them. */
function writeNow(service: Documents, prepared: readonly Prepared[]): string[] {
  const ids: string[] = [];
  const problems: string[] = [];
  for (const [index, { documentId, newId, params, hashes }] of prepared.entries()) {
    try {
      const isNew = documentId === undefined;
      const written = isNew
        ? service.createSync(params, hashes, newId)
        : service.updateSync({ ...params, documentId }, hashes);
      ids.push(String(written?.documentId));
    } catch (error) {
      problems.push(describeRefused(error, index));
    }
  }
  expectNone(problems);
  return ids;
}

/** With own code, which takes part in each write: it is not called for documents after one that is refused. */
async function writeInTurn(service: Documents, prepared: readonly Prepared[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, { documentId, newId, params }] of prepared.entries()) {
    try {
      const written = await (documentId === undefined
        ? service.create(params, { documentId: newId })
        : service.update({ ...params, documentId }));
      ids.push(String(written?.documentId));
    } catch (error) {
      expectNone([describeRefused(error, index)]);
    }
  }
  return ids;
}

/** Returns the document ids, in order. Rejects with a ValidationError that names documents that are refused. */
export async function writeAll(
  context: DocumentsContext,
  type: ContentType,
  writes: readonly DocumentWrite[],
): Promise<string[]> {
  const service = context.documents(type);
  const prepared: Prepared[] = [];
  for (const { documentId, newId, data, ...write } of writes) {
    const isNew = documentId === undefined;
    const read = readData(context.model, type, data);
    const whole = await withAuthor(context, isNew ? connectedAsSet(type, read) : read, isNew);
    const hashes = await hashPasswords(passwordsIn(context.model, type, whole));
    prepared.push({ documentId, newId, hashes, params: { ...dimensions(type, write), data: whole } });
  }
  const { transaction } = service;
  const ids = transaction
    ? await transaction(() => writeInTurn(service, prepared))
    : await context.storage.write(() => writeNow(service, prepared));
  const locales = [
    ...new Set(writes.map(({ locale }) => (type.localized ? (locale ?? context.defaultLocale()) : null))),
  ];
  await recordVersions(context, type, ids, locales);
  return ids;
}

interface Samples {
  readonly count: number;
  readonly seed: string;
  readonly publish: boolean;
  readonly locale: string | undefined;
}

/** The document of a single type, which must have no content in the locale; undefined for other types, and before the first content. */
export function singleDocument(
  context: DocumentsContext,
  type: ContentType,
  { count, locale }: Pick<Samples, "count" | "locale">,
): string | undefined {
  if (type.kind !== "singleType") return undefined;
  if (count !== 1) throw validationError(`${type.uid} is a single type: it has one document`);
  const documentId = findDocumentId(context, type);
  if (documentId !== undefined && new Writes(context, type).find(documentId, locale))
    throw applicationError(`${type.displayName} has content already`);
  return documentId;
}

/** Rejects with a ValidationError that names the first document that is refused. `unlinked`: attributes without possible targets. */
export async function writeSamples(context: DocumentsContext, type: ContentType, samples: Samples) {
  const { count, seed, publish, locale } = samples;
  checkLocale(context, type, { locale });
  const documentId = singleDocument(context, type, samples);
  const generator = new SampleGenerator(context, locale);
  const service = context.documents(type);
  const writes: DocumentWrite[] = [];
  // values that must be unique, and links to each other, need the rows
  await context.storage.rehearse(() => {
    for (let index = 0; index < count; index++) {
      const data = generator.generate(new Random(`${seed} ${type.uid} ${index}`), type);
      if (documentId !== undefined) {
        writes.push({ documentId, data, locale, publish });
        continue;
      }
      const unhashed = withoutHashing(passwordsIn(context.model, type, data));
      try {
        const written = service.createSync({ ...dimensions(type, samples), data }, unhashed);
        writes.push({ newId: String(written.documentId), data, locale, publish });
      } catch (error) {
        expectNone([describeRefused(error, index)]);
      }
    }
  });
  const documentIds = await writeAll(context, type, writes);
  return { made: documentIds.length, unlinked: generator.unlinked };
}
