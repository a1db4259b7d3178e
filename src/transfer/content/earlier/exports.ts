/**
 * Converts files of earlier exports: a JSON file for each document, `<plural name>/<name>.json` or `<singular name>.json`, with its
 * versions. Links are document ids, media are names on disk.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { USER } from "../../../engine/schema/builtin/index.ts";
import { type Attribute, apiTypes, type ContentType, type Model, type Schema } from "../../../engine/schema/model.ts";
import type { ProjectReport } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { Json } from "../../archive/shapes.ts";
import type { ContentLink } from "../content-file.ts";
import { CONTENT_FOLDER, folderOf, MEDIA_FOLDER, nameOf } from "../file-paths.ts";
import { MANIFEST } from "../manifest.ts";
import { fileOfStates, hasDefault, type LocaleState, type VersionTimes } from "../version-states.ts";
import { type EarlierContent, type EarlierDocument, type Locales, readContentJson } from "./earlier-content.ts";
import { type ExportedMedia, jsonFilesIn, readExportedMedia } from "./exported-media.ts";

interface VersionFile {
  readonly locale?: string;
  readonly status?: "draft" | "published";
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly publishedAt?: string;
  readonly data: Json;
}

interface DocumentFile {
  readonly documentId: string;
  readonly versions: readonly VersionFile[];
}

export const isDocumentFile = (value: unknown): value is DocumentFile =>
  isRecord(value) && typeof value.documentId === "string" && Array.isArray(value.versions);

interface ReadFile extends DocumentFile {
  readonly type: ContentType;
  /** Below the folder. */
  readonly path: string;
}

/** The folder of an export, and what has been read of it. */
interface ExportSource {
  readonly root: string;
  readonly model: Model;
  readonly locales: Locales;
  readonly report: ProjectReport;
  readonly media: ExportedMedia;
  /** By uid and document id. */
  readonly documents: Map<string, ReadFile>;
  readonly files: string[];
}

const TIMES = ["createdAt", "updatedAt", "publishedAt"] as const;
const isTime = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(Date.parse(value));

function readAll(source: ExportSource): EarlierDocument[] {
  const { model, documents, locales } = source;
  for (const type of apiTypes(model)) readType(source, type);
  return [...documents.values()].map((read) => ({
    type: read.type,
    name: nameOf(read.path),
    file: fileOfStates(read.type, read.documentId, states(source, read), locales.defaultLocale),
    origin: { file: `${CONTENT_FOLDER}/${read.path}`, key: undefined, top: [] },
  }));
}

function refuse({ report }: ExportSource, path: string, key: string | undefined, reason: string): void {
  report.refuse(`${CONTENT_FOLDER}/${path}`, key, reason);
}

const readJson = ({ report, root }: ExportSource, path: string): unknown =>
  report.attempt(() => readContentJson(root, path));

function readType(source: ExportSource, type: ContentType): void {
  const { root } = source;
  const folder = folderOf(type);
  const paths = jsonFilesIn(join(root, folder)).map((name) => `${folder}/${name}`);
  const single = `${type.singularName}.json`;
  if (type.kind === "singleType" && existsSync(join(root, single))) paths.unshift(single);
  for (const path of paths) {
    const value = readJson(source, path);
    if (isDocumentFile(value)) add(source, { ...value, type, path });
    else if (value !== undefined && path !== single)
      refuse(source, path, undefined, "must hold a documentId and versions");
  }
}

function add(source: ExportSource, read: ReadFile): void {
  const { locales, documents, files } = source;
  const { type, path, documentId, versions } = read;
  const seen = new Set<string>();
  for (const [index, version] of versions.entries()) {
    const reason = versionProblem(type, version, locales, seen);
    if (reason !== undefined) refuse(source, path, `versions.${index}`, reason);
  }
  const key = `${type.uid} ${documentId}`;
  const other = documents.get(key);
  if (other) refuse(source, path, "documentId", `is also that of ${other.path}`);
  if (versions.length === 0) refuse(source, path, "versions", "must hold a version");
  files.push(path);
  documents.set(key, read);
}

function states(source: ExportSource, read: ReadFile): LocaleState[] {
  const { type } = read;
  const isDraft = ({ status }: VersionFile): boolean => type.draftAndPublish && status === "draft";
  const valid = read.versions.filter((version) => isRecord(version) && isRecord(version.data));
  return [...Map.groupBy(valid, ({ locale = null }) => locale)].map(([locale, versions]) => {
    const published = versions.find((version) => !isDraft(version));
    const draft = versions.find(isDraft) ?? published!;
    const state = (version: VersionFile): Json => attributes(source, type, version.data, read, []);
    const hasBoth = type.draftAndPublish && published !== undefined;
    return {
      locale,
      draft: state(draft),
      draftTimes: timesOf(draft, !type.draftAndPublish),
      published: hasBoth ? state(published) : undefined,
      publishedTimes: hasBoth ? timesOf(published, true) : undefined,
    };
  });
}

function attributes(source: ExportSource, schema: Schema, data: Json, read: ReadFile, path: readonly string[]): Json {
  const out: Record<string, unknown> = {};
  // files of exports have no key for what is null
  for (const attribute of schema.attributes.values()) if (hasDefault(attribute)) out[attribute.name] = null;
  for (const [key, value] of Object.entries(data)) {
    const attribute = schema.attributes.get(key);
    const at = [...path, key];
    if (key === "__component") out[key] = value;
    else if (!attribute || (attribute.kind === "scalar" && attribute.system))
      refuse(source, read.path, at.join("."), `${schema.uid} has no such attribute`);
    else if (value !== null) out[key] = convert(source, attribute, value, read, at);
  }
  return out;
}

function convert(
  source: ExportSource,
  attribute: Attribute,
  value: unknown,
  read: ReadFile,
  path: readonly string[],
): unknown {
  if (attribute.kind === "scalar") return value;
  const values = [value].flat();
  if (attribute.kind === "relation") {
    const links = convertLinks(source, attribute.target, values, read, path);
    return attribute.many ? links : links[0];
  }
  const converted = values.flatMap((item): unknown[] => {
    if (attribute.kind === "media") return mediaName(source, item, read, path);
    const uid = attribute.kind === "component" ? attribute.component : isRecord(item) ? item.__component : undefined;
    const part = source.model.components.get(String(uid));
    if (part && isRecord(item)) return [attributes(source, part, item, read, path)];
    refuse(source, read.path, path.join("."), "must be a component of the project");
    return [];
  });
  return attribute.many ? converted : converted[0];
}

function mediaName(source: ExportSource, item: unknown, read: ReadFile, path: readonly string[]): string[] {
  const name = source.media.paths.get(String(item));
  if (name === undefined)
    refuse(source, read.path, path.join("."), `there is no file ${MEDIA_FOLDER}/${item} with a record`);
  return name === undefined ? [] : [name];
}

/** Rows without drafts link to both versions of a document, which is one link. */
function convertLinks(
  source: ExportSource,
  target: string | undefined,
  items: readonly unknown[],
  read: ReadFile,
  path: readonly string[],
): (string | ContentLink)[] {
  const found = items.flatMap((item) => link(source, target, item, read, path) ?? []);
  const links = Map.groupBy(found, ({ document, locale, field }) => JSON.stringify([document, locale, field]));
  return [...links.values()].map((versions) => {
    const { status, ...link } = versions[0]!;
    const extras = { ...link, ...(status === undefined || versions.length > 1 ? {} : { status }) };
    return Object.keys(extras).length === 1 ? extras.document : extras;
  });
}

function link(
  source: ExportSource,
  target: string | undefined,
  item: unknown,
  read: ReadFile,
  path: readonly string[],
): ContentLink | undefined {
  const { model, documents } = source;
  if (target === USER && typeof item === "string") return { document: item };
  const link: Json = isRecord(item) ? item : { documentId: item };
  const type = model.types.get(target ?? String(link.__type));
  const found = type && documents.get(`${type.uid} ${link.documentId}`);
  if (!type || !found) {
    const reason = type ? `there is no ${type.singularName} ${link.documentId}` : "must be a document id";
    refuse(source, read.path, path.join("."), reason);
    return undefined;
  }
  // as in answers, a link to the other version is not shown
  const isHidden = read.type.draftAndPublish && (link.status === "published" || hasBothVersions(found));
  if (type.draftAndPublish && link.status !== undefined && isHidden) return undefined;
  const isOneOfBoth = !read.type.draftAndPublish && hasBothVersions(found);
  return {
    document: nameOf(found.path),
    ...(typeof link.locale === "string" ? { locale: link.locale } : {}),
    ...(isOneOfBoth ? { status: link.status === "draft" ? "draft" : "published" } : {}),
    ...(typeof link.field === "string" ? { field: link.field } : {}),
  };
}

const hasBothVersions = ({ versions }: ReadFile): boolean =>
  new Set(versions.map(({ status = "published" }) => status)).size > 1;

function versionProblem(
  type: ContentType,
  version: unknown,
  { codes }: Locales,
  seen: Set<string>,
): string | undefined {
  if (!isRecord(version) || !isRecord(version.data)) return "must hold data";
  const { locale = null, status = "published" } = version;
  if (type.localized !== (locale !== null)) return type.localized ? "needs a locale" : "the type has no locales";
  if (typeof locale === "string" && codes?.has(locale) === false) return `config/galley.json has no locale ${locale}`;
  if (status !== "published" && (status !== "draft" || !type.draftAndPublish))
    return `status must be ${type.draftAndPublish ? "draft or published" : "left out"}`;
  const wrong = TIMES.find((time) => version[time] !== undefined && !isTime(version[time]));
  if (wrong !== undefined) return `${wrong} is not a valid time`;
  const key = `${locale} ${status}`;
  if (seen.has(key)) return "is there twice";
  seen.add(key);
  return undefined;
}

const timesOf = (
  { createdAt, updatedAt, publishedAt = createdAt }: VersionFile,
  isPublished: boolean,
): VersionTimes => ({
  createdAt,
  updatedAt,
  publishedAt: isPublished ? publishedAt : undefined,
});

/** JSON files beside the folders of documents that are not loaded, as messages. */
function ignoredFiles(folder: string, model: Model, files: readonly string[]): string[] {
  const names = new Set(apiTypes(model).flatMap(({ pluralName, singularName }) => [pluralName, singularName]));
  return jsonFilesIn(folder)
    .filter((name) => !files.includes(name))
    .map((name) =>
      names.has(nameOf(name))
        ? `${CONTENT_FOLDER}/${name} is not loaded, since there are files of documents`
        : `${CONTENT_FOLDER}/${name} is not loaded: it is named after no content-type`,
    );
}

/** Problems are reported, with the file. */
export function readExports(folder: string, model: Model, locales: Locales, report: ProjectReport): EarlierContent {
  const media = readExportedMedia(folder, report);
  const source: ExportSource = { root: folder, model, locales, report, media, documents: new Map(), files: [] };
  const documents = readAll(source);
  const files = [...media.files, ...source.files, ...(existsSync(join(folder, MANIFEST)) ? [MANIFEST] : [])];
  return { documents, media: media.media, files, warnings: ignoredFiles(folder, model, files) };
}
