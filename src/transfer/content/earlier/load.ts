/** Loads converted content into an empty database, atomically and only once. */

import type { DocumentsContext } from "../../../engine/documents/context.ts";
import { errorMessage, ProjectError } from "../../../lib/errors.ts";
import { atOnce } from "../../../lib/in-turns.ts";
import { ChangesRefusedError, type DocumentChange } from "../document-change.ts";
import { CONTENT_LOADED, isEmpty } from "../empty.ts";
import { CONTENT_FOLDER, MEDIA_FOLDER } from "../file-paths.ts";
import type { LinkTarget } from "../link-input.ts";
import { type Manifest, storeLocales } from "../manifest.ts";
import { infoOf, preparationOf, storeIdentity } from "../media-texts.ts";
import { findUser } from "../users.ts";
import { createHashes, writeDocuments } from "../write-documents.ts";
import { type EarlierContent, type EarlierMedia, keyIn, type Origin } from "./earlier-content.ts";

/** The operations of a media library that loading needs. */
export interface MediaLibrary<Prepared = unknown> {
  /** Prepares a file and its formats without creating a record. Rejects for a file that the library refuses. */
  prepareFrom(
    path: string,
    info: ReturnType<typeof infoOf>,
    options: ReturnType<typeof preparationOf>,
  ): Promise<Prepared>;
  /** Stores prepared files and runs `work` with their ids in one transaction. */
  store<T>(files: readonly Prepared[], work: (ids: readonly number[]) => T): T;
  /** Removes prepared files that are not stored. */
  discard(files: readonly Prepared[]): void;
}

/** The parts of a project that loading needs. */
export interface ContentTarget {
  readonly context: DocumentsContext;
  readonly media: () => MediaLibrary;
}

/** Numbers of loaded documents and files. */
export interface LoadedContent {
  /** Documents by content-type uid. */
  readonly documents: ReadonlyMap<string, number>;
  readonly files: number;
}

/** Another process has loaded content in the meantime. */
class NotEmptyError extends Error {}

/** Rejects with a ProjectError that names all files that the library refuses. */
async function prepareMedia<Prepared>(
  library: MediaLibrary<Prepared>,
  media: readonly EarlierMedia[],
): Promise<Prepared[]> {
  const results = await Promise.allSettled(
    media.map(({ source, texts }) => library.prepareFrom(source, infoOf(texts), preparationOf(texts))),
  );
  const prepared = results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : []));
  const problems = results.flatMap((result, index) =>
    result.status === "rejected"
      ? [
          {
            file: `${CONTENT_FOLDER}/${MEDIA_FOLDER}/${media[index]!.path}`,
            key: undefined,
            reason: errorMessage(result.reason),
          },
        ]
      : [],
  );
  if (problems.length === 0) return prepared;
  library.discard(prepared);
  throw new ProjectError(problems);
}

/**
 * Resolves with undefined if the database is not empty, or if there is nothing to load. Rejects with a ProjectError that has all
 * problems; nothing is loaded then. `locales`: replace those of the database.
 */
export async function loadEarlier(
  { context, media: library }: ContentTarget,
  { documents, media }: EarlierContent,
  locales: Omit<Manifest, "files"> = { locales: [], defaultLocale: "" },
): Promise<LoadedContent | undefined> {
  if (!isEmpty(context) || documents.length + media.length === 0) return undefined;
  const changes = documents.map(({ type, file }) => ({
    type,
    documentId: file.$id ?? context.ids.documentId(),
    before: undefined,
    after: file,
  }));
  const origins = new Map<DocumentChange, Origin>(changes.map((change, index) => [change, documents[index]!.origin]));
  const targets = new Map<string, LinkTarget>(
    changes.map(({ type, documentId }, index) => [documents[index]!.name, { uid: type.uid, documentId }]),
  );
  const hashes = await createHashes(context, changes, locales.defaultLocale || context.defaultLocale());
  const prepared = await prepareMedia(library(), media);
  try {
    library().store(prepared, (ids) => {
      if (!isEmpty(context, ids)) throw new NotEmptyError();
      storeLocales(context, locales);
      for (const [index, id] of ids.entries()) storeIdentity(context, id, media[index]!.texts);
      const rows = new Map(media.map(({ path }, index) => [path, ids[index]!]));
      const names = {
        document: (name: string) => targets.get(name) ?? findUser(context, name),
        media: (path: string) => rows.get(path),
      };
      const { leftOut } = atOnce(writeDocuments(context, changes, names, hashes));
      if (leftOut.length > 0) throw new ChangesRefusedError(leftOut);
      context.storage.setMeta(CONTENT_LOADED, new Date().toISOString());
    });
  } catch (error) {
    if (error instanceof NotEmptyError) return undefined;
    if (!(error instanceof ChangesRefusedError)) throw error;
    throw new ProjectError(
      error.problems.map(({ change, path, reason }) => {
        const origin = origins.get(change)!;
        return { file: origin.file, key: keyIn(origin, path) || undefined, reason };
      }),
    );
  }
  const byType = Map.groupBy(documents, ({ type }) => type.uid);
  return {
    documents: new Map([...byType].map(([uid, own]) => [uid, own.length])),
    files: media.length,
  };
}
