/**
 * Converts lists of entries: `content/<plural name>.json` with a list for each collection type, `content/<singular name>.json` with one
 * entry for each single type. Values are those of content files.
 */
import { type Static, Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { apiTypes, type ContentType, type Model, routeName } from "../../../engine/schema/model.ts";
import type { ProjectReport } from "../../../lib/errors.ts";
import type { ContentFile, VersionKeys } from "../content-file.ts";
import { CONTENT_FOLDER, MEDIA_FOLDER } from "../file-paths.ts";
import { type EarlierContent, type EarlierDocument, type Locales, readContentJson } from "./earlier-content.ts";
import { jsonFilesIn } from "./exported-media.ts";
import { joinLinks } from "./links.ts";
import { INDEX, readListedMedia } from "./media.ts";

const Values = Type.Record(Type.String(), Type.Unknown());
const Document = Type.Object(
  {
    status: Type.Optional(Type.Union([Type.Literal("draft"), Type.Literal("published")])),
    data: Type.Optional(Values),
    locales: Type.Optional(Type.Record(Type.String(), Values)),
  },
  { additionalProperties: false },
);
/** Without slashes, which would make the names of entries ambiguous. */
const Key = Type.Object({ key: Type.String({ pattern: "^[^/\\s]+$" }) });
const KeyedDocument = Type.Object({ ...Key.properties, ...Document.properties }, { additionalProperties: false });

/** The content of files, by file name without extension. */
export type ContentByName = Readonly<Record<string, unknown>>;

function createListReader(known: Locales, report: ProjectReport) {
  const documents = new Map<string, EarlierDocument>();

  function read(type: ContentType, file: string, content: unknown): void {
    if (type.kind === "singleType") entry(type, file, content, 0);
    else if (!Array.isArray(content)) report.refuse(file, undefined, "must hold a list of entries");
    else for (const [index, value] of content.entries()) entry(type, file, value, index);
  }

  function entry(type: ContentType, file: string, value: unknown, index: number): void {
    const single = type.kind === "singleType";
    const rawKey = (value as { key?: unknown } | null)?.key;
    const label = single ? undefined : typeof rawKey === "string" && rawKey !== "" ? rawKey : `entry ${index + 1}`;
    const refuse = (reason: string): void => report.refuse(file, label, reason);
    const error = Value.Errors(single ? Document : KeyedDocument, value).First();
    if (error) {
      const path = error.path.slice(1).replaceAll("/", ".");
      const reason = error.value === undefined ? "is missing" : error.message.toLowerCase();
      return refuse(path === "" ? reason : `${path}: ${reason}`);
    }
    const { key, ...document } = value as Static<typeof Document> & { readonly key?: string };
    const name = single ? routeName(type) : `${routeName(type)}/${key}`;
    if (document.status !== undefined && !type.draftAndPublish)
      refuse(`status: ${type.singularName} has no drafts: all of its entries are public`);
    if (documents.has(name)) return refuse("the key is used twice");
    const converted = convert(type, document, refuse);
    const top = document.data === undefined ? ["locales", converted?.$locale ?? ""] : ["data"];
    if (converted) documents.set(name, { type, name, file: converted, origin: { file, key: label, top } });
  }

  function convert(
    type: ContentType,
    { data, locales = {}, status }: Static<typeof Document>,
    refuse: (reason: string) => void,
  ): ContentFile | undefined {
    const { codes, defaultLocale } = known;
    for (const locale of Object.keys(locales)) {
      const path = `locales.${locale}`;
      if (!type.localized) refuse(`${path}: ${type.singularName} is not a localized type`);
      else if (codes?.has(locale) === false) refuse(`${path}: config/galley.json has no such locale`);
      else if (locale === defaultLocale && data !== undefined)
        refuse(`${path}: "data" is this locale already, as the default one`);
    }
    const others = Object.entries(locales);
    const [topLocale, top] = data ? [defaultLocale, data] : (others.shift() ?? []);
    if (top === undefined) {
      refuse(`needs "data"`);
      return undefined;
    }
    const version = (values: VersionKeys): VersionKeys => ({
      ...values,
      ...(type.draftAndPublish && status !== "draft" ? { $published: true } : {}),
    });
    return {
      ...(topLocale === defaultLocale ? {} : { $locale: topLocale! }),
      ...version(top),
      ...(others.length === 0
        ? {}
        : { $locales: Object.fromEntries(others.map(([locale, values]) => [locale, version(values)])) }),
    };
  }

  return { documents, read };
}

/** `file`: the name in errors. */
function listFiles(folder: string, content: ContentByName | undefined) {
  if (content)
    return Object.entries(content).map(([name, value]) => ({ file: `content.${name}`, name, read: () => value }));
  return jsonFilesIn(folder).map((name) => ({
    file: `${CONTENT_FOLDER}/${name}`,
    name: name.slice(0, -".json".length),
    read: () => readContentJson(folder, name),
  }));
}

/** `content` replaces the files. Problems are reported, with file and entry. */
export function readLists(
  folder: string,
  model: Model,
  locales: Locales,
  report: ProjectReport,
  content?: ContentByName,
): EarlierContent {
  const byName = new Map(apiTypes(model).map((type) => [routeName(type), type]));
  const reader = createListReader(locales, report);
  const lists = listFiles(folder, content);
  for (const { file, name, read } of lists) {
    const type = byName.get(name);
    if (type) report.attempt(() => reader.read(type, file, read()));
    else {
      const names = [...byName.keys()].map((other) => (content ? other : `${other}.json`)).join(", ");
      report.refuse(file, undefined, `is named after no content-type; expected are ${names}`);
    }
  }
  const media = readListedMedia(folder, report);
  const mediaFiles = [...media.map(({ path }) => path), INDEX].map((path) => `${MEDIA_FOLDER}/${path}`);
  return {
    documents: joinLinks(model, reader.documents, locales.defaultLocale, report),
    media,
    files: [...lists.map(({ name }) => `${name}.json`), ...mediaFiles],
    warnings: [],
  };
}
