/** Creates sample documents in one transaction: all of them, or none. */
import { checkLocale } from "../../../admin/content-manager/input.ts";
import { findDocumentId } from "../../../admin/content-manager/single-types.ts";
import { Writes } from "../../../admin/content-manager/writes.ts";
import { SampleGenerator } from "../../../admin/sample/document.ts";
import { Random } from "../../../admin/sample/random.ts";
import type { DocumentsContext } from "../../../engine/documents/context.ts";
import { passwordsIn, withoutHashing } from "../../../engine/documents/passwords.ts";
import type { ContentType } from "../../../engine/schema/model.ts";
import { applicationError, validationError } from "../../../lib/errors.ts";
import { type DocumentWrite, dimensions, nameRefused, writeAll } from "./write-all.ts";

interface Samples {
  readonly count: number;
  readonly seed: string;
  readonly publish: boolean;
  readonly locale: string | undefined;
}

/** The document of a single type, which has no content in the locale. */
function singleDocument(context: DocumentsContext, type: ContentType, { count, locale }: Samples): string | undefined {
  if (count !== 1) throw validationError("count must be 1 for a single type");
  const documentId = findDocumentId(context, type);
  if (documentId !== undefined && new Writes(context, type).find(documentId, locale))
    throw applicationError(`${type.displayName} has content already`);
  return documentId;
}

/** Rejects with a ValidationError that names the first document that is refused. `unlinked`: attributes without possible targets. */
export async function writeSamples(context: DocumentsContext, type: ContentType, samples: Samples) {
  const { count, seed, publish, locale } = samples;
  checkLocale(context, type, { locale });
  const documentId = type.kind === "singleType" ? singleDocument(context, type, samples) : undefined;
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
        throw nameRefused(error, index);
      }
    }
  });
  const documentIds = await writeAll(context, type, writes);
  return { made: documentIds.length, unlinked: generator.unlinked };
}
