/** Writes many documents of a type in one transaction: all of them, or none. */
import { withAuthor } from "../../../admin/administrator.ts";
import { connectedAsSet, readData } from "../../../admin/content-manager/input.ts";
import { recordVersions } from "../../../admin/content-manager/snapshot.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import type { Documents, WithData } from "../../../engine/documents/documents.ts";
import { hashPasswords, passwordsIn } from "../../../engine/documents/passwords.ts";
import type { Data, Hashes } from "../../../engine/documents/rows.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { ApiError, validationError } from "../../../lib/errors.ts";

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
export const dimensions = (type: ContentType, { locale, publish }: Pick<DocumentWrite, "locale" | "publish">) => ({
  fields: ["documentId"],
  locale: type.localized ? locale : undefined,
  status: publish && type.draftAndPublish ? ("published" as const) : undefined,
});

/** Names the document that is refused. */
export function nameRefused(error: unknown, index: number): unknown {
  if (!(error instanceof ApiError) || error.httpStatus >= 500) return error;
  return validationError(`Nothing is written: document ${index}: ${error.message}`);
}

interface Prepared {
  readonly documentId: string | undefined;
  readonly newId: string | undefined;
  readonly hashes: Hashes;
  readonly params: WithData;
}

function writeNow(service: Documents, { documentId, newId, params, hashes }: Prepared, index: number): string {
  try {
    const isNew = documentId === undefined;
    const written = isNew
      ? service.createSync(params, hashes, newId)
      : service.updateSync({ ...params, documentId }, hashes);
    return String(written?.documentId);
  } catch (error) {
    throw nameRefused(error, index);
  }
}

/** With own code, which takes part in each write. */
async function writeInTurn(service: Documents, prepared: readonly Prepared[]): Promise<string[]> {
  const ids: string[] = [];
  for (const [index, { documentId, newId, params }] of prepared.entries()) {
    try {
      const written = await (documentId === undefined
        ? service.create(params, { documentId: newId })
        : service.update({ ...params, documentId }));
      ids.push(String(written?.documentId));
    } catch (error) {
      throw nameRefused(error, index);
    }
  }
  return ids;
}

/** Returns the document ids, in order. Rejects with a ValidationError that names the first document that is refused. */
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
    : await context.storage.write(() => prepared.map((item, index) => writeNow(service, item, index)));
  const locales = [
    ...new Set(writes.map(({ locale }) => (type.localized ? (locale ?? context.defaultLocale()) : null))),
  ];
  await recordVersions(context, type, ids, locales);
  return ids;
}
