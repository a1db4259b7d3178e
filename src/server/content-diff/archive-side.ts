/** Compares the files of `content/` with an archive. */
import { FILE } from "../../engine/schema/builtin/index.ts";
import { apiTypes, type ContentType, contentType, type Model } from "../../engine/schema/model.ts";
import { quote } from "../../engine/storage/sql.ts";
import { pickBy } from "../../lib/records.ts";
import type { ContentFile } from "../../transfer/content/content-file.ts";
import { diffFiles } from "../../transfer/content/diff.ts";
import { extensionFor, MEDIA_FOLDER, nameOf } from "../../transfer/content/file-paths.ts";
import { TEXTS_EXTENSION, textsOf } from "../../transfer/content/media-texts.ts";
import { readDocuments } from "../../transfer/content/read-documents.ts";
import {
  fileOfStates,
  type LocaleState,
  localeStates,
  type VersionTimes,
} from "../../transfer/content/version-states.ts";
import type { Unread } from "../../transfer/import/unread.ts";
import { SyncNames } from "../content-sync/names.ts";
import { SyncState } from "../content-sync/state.ts";
import type { Project } from "../project/project.ts";
import { compareSides, type DocumentDifference, type Side, type SideFile } from "./compare.ts";

/** What a file may leave out, so that there is nothing to compare. */
const OPTIONAL_KEYS: ReadonlySet<unknown> = new Set(["$id", "$createdAt", "$publishedAt"]);
/** Texts of media that people write; the others depend on the server. */
const MEDIA_TEXTS = ["$id", "name", "alternativeText", "caption", "focalPoint"];

export interface FilesSide {
  readonly model: Model;
  readonly defaultLocale: string | undefined;
  readonly side: Side;
}

/** `archive`: opened as a project. `unread`: what it lacks since it could not be read, and is not compared. */
export async function compareWithArchive(
  archive: Project,
  { model, defaultLocale = archive.context.defaultLocale(), side }: FilesSide,
  unread?: Unread,
): Promise<DocumentDifference[]> {
  const isRead = ({ kind }: SideFile): boolean => !unread?.types.has(kind);
  const documents = side.files.filter((file) => file.document !== undefined && isRead(file));
  const before = (await readArchive(archive, documents)).filter(isRead);
  const comparable = (types: Model, locale: string, { kind, document }: SideFile): ContentFile => {
    const type = types.types.get(kind);
    if (kind === FILE) return pick(document!, MEDIA_TEXTS);
    return type ? normalise(type, document!, locale, unread) : document!;
  };
  const { model: archiveModel, context } = archive;
  return compareSides({ files: before, problems: [] }, { ...side, files: documents }, (one, other) =>
    diffFiles(comparable(archiveModel, context.defaultLocale(), one), comparable(model, defaultLocale, other)).filter(
      ({ path, after }) => !(after === undefined && OPTIONAL_KEYS.has(path.at(-1))),
    ),
  );
}

const pick = (file: ContentFile, keys: readonly string[]): ContentFile => pickBy(file, (_, key) => keys.includes(key));

/** In the form of a file that is read from a database, with all times but those of the last changes. */
function normalise(
  type: ContentType,
  file: ContentFile,
  defaultLocale: string,
  unread: Unread | undefined,
): ContentFile {
  const isCompared = (name: string, value: unknown): boolean =>
    !(Array.isArray(value) && value.length === 0) && !unread?.attributes.has(`${type.uid}.${name}`);
  const withoutEmpty = (values: LocaleState["draft"]) => pickBy(values, (value, name) => isCompared(name, value));
  const withoutUpdate = (times: VersionTimes): VersionTimes => ({ ...times, updatedAt: undefined });
  const states = localeStates(type, file, defaultLocale).map(
    ({ locale, draft, draftTimes, published, publishedTimes }): LocaleState => ({
      locale,
      draft: withoutEmpty(draft),
      draftTimes: withoutUpdate(draftTimes),
      published: published && withoutEmpty(published),
      publishedTimes: publishedTimes && withoutUpdate(publishedTimes),
    }),
  );
  const { $id, ...keys } = fileOfStates(type, file.$id ?? "", states, defaultLocale);
  return file.$id === undefined ? keys : { $id, ...keys };
}

/** Its documents have the names of the files with the same ids, so that links to them are the same. */
async function readArchive(archive: Project, files: readonly SideFile[]): Promise<SideFile[]> {
  const { context, model } = archive;
  const state = new SyncState(context.storage);
  await context.storage.write(() => state.create());
  const names = new SyncNames(context, state, () => false);
  const paths = new Map(files.map(({ file, kind, document }) => [`${kind} ${document!.$id}`, file]));
  for (const { file, kind, document } of files) {
    const type = model.types.get(kind);
    if (type && kind !== FILE && document!.$id !== undefined) names.give(type, document!.$id, nameOf(file));
  }
  const media = mediaOf(archive, paths);
  const links = {
    document: (uid: string, documentId: string) => names.nameOfDocument(uid, documentId),
    media: (id: number) => media.get(id)?.file.slice(MEDIA_FOLDER.length + 1, -TEXTS_EXTENSION.length),
  };
  const documents = apiTypes(model).flatMap((type) =>
    [...readDocuments(context, type, undefined, links)].map(([id, document]) => ({
      file: paths.get(`${type.uid} ${id}`) ?? `${names.nameOfDocument(type.uid, id)}${extensionFor(type)}`,
      kind: type.uid,
      document,
    })),
  );
  return [...documents, ...media.values()];
}

/** By row id. */
function mediaOf({ context, model, media }: Project, paths: ReadonlyMap<string, string>): Map<number, SideFile> {
  const rows = context.storage.all(`SELECT id FROM ${quote(contentType(model, FILE).table)}`) as [number][];
  return new Map(
    rows.map(([id]) => {
      const document = textsOf(media().own.records.find(id)!);
      const file = paths.get(`${FILE} ${document.$id}`) ?? `${MEDIA_FOLDER}/${document.name}${TEXTS_EXTENSION}`;
      return [id, { file, kind: FILE, document }];
    }),
  );
}
