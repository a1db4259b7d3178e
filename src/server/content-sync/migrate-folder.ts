/** Converts `content/` of an earlier format to content files, with what the database has, which may be newer. Names are kept. */
import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType, contentType } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { isDeviceName } from "../../lib/file-names.ts";
import { namingAttributes } from "../../transfer/content/document-names.ts";
import type { EarlierContent, EarlierDocument } from "../../transfer/content/earlier/earlier-content.ts";
import { beginMigration, completeMigration, finishMigration } from "../../transfer/content/earlier/migration.ts";
import { earlierFormat, readEarlier } from "../../transfer/content/earlier/read.ts";
import { CONTENT_FOLDER } from "../../transfer/content/file-paths.ts";
import { localesOf, MANIFEST } from "../../transfer/content/manifest.ts";
import type { Project } from "../project/project.ts";
import { exportFolder, type FolderExport, type FolderOptions } from "./export-folder.ts";

/** A name that is one on every file system, and is not ignored. */
const NAME = /^[\p{L}\p{N}_][\p{L}\p{N}._-]*$/u;

type DocumentNames = NonNullable<FolderOptions["documentNames"]>;

/** Finds the documents of a type by id, or else by what names are derived from. */
function createDocumentFinder({ storage }: DocumentsContext, type: ContentType) {
  const attributes = namingAttributes(type);
  const names = attributes.map(({ name }) => name);
  const columns = ["document_id", ...attributes.map(({ column }) => column)].map(quote).join(", ");
  /** By id, the names and their values. */
  const rows = new Map<string, string[]>();
  for (const [id, ...values] of storage.all(`SELECT ${columns} FROM ${quote(type.table)} ORDER BY id`))
    rows.getOrInsertComputed(id as string, () => []).push(...values.map((value, index) => `${names[index]} ${value}`));

  function findNamed(file: EarlierDocument["file"]): string | undefined {
    const wanted = names.flatMap((name) => (typeof file[name] === "string" ? [`${name} ${file[name]}`] : []));
    const matches = wanted.map((value) => [...rows].find(([, values]) => values.includes(value))?.[0]);
    return matches.find((id) => id !== undefined);
  }

  /** Each document is found once. */
  return ({ file }: EarlierDocument): string | undefined => {
    const found = rows.has(file.$id ?? "") ? file.$id : findNamed(file);
    if (found !== undefined) rows.delete(found);
    return found;
  };
}

function documentNamesOf(context: DocumentsContext, documents: EarlierContent["documents"]): DocumentNames {
  const taken = new Set<string>();
  return apiTypes(context.model).flatMap((type) => {
    const find = createDocumentFinder(context, type);
    return documents
      .filter((document) => document.type === type)
      .flatMap((document) => {
        const { name } = document;
        const own = name.slice(name.indexOf("/") + 1);
        const documentId = find(document);
        const isName = NAME.test(own) && !isDeviceName(own) && !own.endsWith(".part");
        if (documentId === undefined || !isName || taken.has(name.toLowerCase())) return [];
        taken.add(name.toLowerCase());
        return [{ type, documentId, name }];
      });
  });
}

/** Records were made in the order of the paths, with the names of the files. */
function mediaPathsOf({ storage, model }: DocumentsContext, media: EarlierContent["media"]): Map<string, string> {
  const sql = `SELECT document_id, name FROM ${quote(contentType(model, FILE).table)} ORDER BY id`;
  const records = storage.all(sql) as [string, string][];
  const paths = new Map<string, string>();
  for (const { path, texts } of media) {
    const found = records.find(([id, name]) => name === texts.name && !paths.has(id));
    if (found) paths.set(found[0], path);
  }
  return paths;
}

/** Undefined: there is nothing to convert. Rejects with a ProjectError; the files are as they were then. */
export async function migrateFolder({ root, context, settings, uploads }: Project): Promise<FolderExport | undefined> {
  const content = join(root, CONTENT_FOLDER);
  finishMigration(content);
  if (!existsSync(content) || earlierFormat(content, context.model) === undefined) return undefined;
  const hasOwnLocales = settings.galley.locales !== undefined;
  const earlier = readEarlier(content, context, { hasOwnLocales });
  const folder = beginMigration(content);
  const result = await exportFolder({ context, uploadFolder: uploads.path }, folder, {
    documentNames: documentNamesOf(context, earlier.documents),
    mediaPaths: mediaPathsOf(context, earlier.media),
  });
  const { locales } = localesOf(context);
  // the locales are nowhere else
  if (hasOwnLocales || locales.length <= 1) rmSync(join(folder, MANIFEST));
  completeMigration(content, earlier.files);
  return { ...result, removed: earlier.files.length };
}
