/**
 * The versions of a document, each with all of its attributes and times, and the file as the shorter form of them. What the file
 * leaves out:
 *
 * - `$updatedAt` is `$createdAt`, and `$publishedAt` is the `$updatedAt` of the published version;
 * - the published version has the attributes, `$createdAt` and `$updatedAt` of the draft;
 * - the draft of another locale has the values of the top level's draft, for attributes that are not localized; its published
 *   version those of the published version, unless the values of the drafts differ.
 */
import type { Attribute, ContentType } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import { pickBy } from "../../lib/records.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentFile, VersionKeys } from "./content-file.ts";
import { isAttribute } from "./versions.ts";

/** ISO 8601; undefined: not in the file. */
export interface VersionTimes {
  readonly createdAt: string | undefined;
  readonly updatedAt: string | undefined;
  readonly publishedAt: string | undefined;
}

/** One locale of a document. */
export interface LocaleState {
  /** Null for types without locales. */
  readonly locale: string | null;
  /** Attributes of the draft, or of the only version. */
  readonly draft: Json;
  readonly draftTimes: VersionTimes;
  /** Undefined for drafts that are not published, and for types without drafts. */
  readonly published: Json | undefined;
  readonly publishedTimes: VersionTimes | undefined;
}

/** Whether new documents and components have a value where a file says nothing. */
export const hasDefault = (attribute: Attribute | undefined): boolean =>
  attribute?.kind === "scalar" && (attribute.definition.default ?? null) !== null;

/** The order of keys in objects is part of an answer. */
const same = (a: unknown, b: unknown): boolean => a === b || JSON.stringify(a) === JSON.stringify(b);

/** The attributes of a version: those without a value have no key, except where a new document would have the default. */
const attributesIn = (type: ContentType, keys: Json): Json =>
  pickBy(
    keys,
    (value, key) => isAttribute(key) && value !== undefined && (value !== null || hasDefault(type.attributes.get(key))),
  );

const timeIn = (keys: Json, key: string, otherwise: string | undefined): string | undefined =>
  typeof keys[key] === "string" ? keys[key] : otherwise;

/** The values of attributes that all locales share. */
const pickShared = (type: ContentType, attributes: Json): Json =>
  pickBy(attributes, (_, name) => type.attributes.get(name)?.localized === false);

/** What the published version has where the file does not say otherwise. */
function publishedDefault(type: ContentType, draft: Json, first: LocaleState | undefined): Json {
  if (!first?.published) return draft;
  const names = Object.keys(pickShared(type, { ...first.draft, ...first.published }));
  const shared = names.filter((name) => same(draft[name], first.draft[name]));
  return { ...draft, ...Object.fromEntries(shared.map((name) => [name, first.published![name]])) };
}

/** `first`: the state of the top level. */
function localeState(
  type: ContentType,
  locale: string | null,
  keys: VersionKeys,
  first: LocaleState | undefined,
): LocaleState {
  const draft = attributesIn(type, { ...pickShared(type, first?.draft ?? {}), ...keys });
  const createdAt = timeIn(keys, "$createdAt", undefined);
  const updatedAt = timeIn(keys, "$updatedAt", createdAt);
  const isPublished = type.draftAndPublish && keys.$published !== undefined;
  const overrides: Json = isPublished && isRecord(keys.$published) ? keys.$published : {};
  const publishedUpdatedAt = timeIn(overrides, "$updatedAt", updatedAt);
  const publishedAt = timeIn(keys, "$publishedAt", publishedUpdatedAt);
  return {
    locale,
    draft,
    draftTimes: { createdAt, updatedAt, publishedAt: type.draftAndPublish ? undefined : publishedAt },
    published: isPublished ? attributesIn(type, { ...publishedDefault(type, draft, first), ...overrides }) : undefined,
    publishedTimes: isPublished
      ? { createdAt: timeIn(overrides, "$createdAt", createdAt), updatedAt: publishedUpdatedAt, publishedAt }
      : undefined,
  };
}

/** The locales of a document, that of the top level first. */
export function localeStates(type: ContentType, file: ContentFile, defaultLocale: string): LocaleState[] {
  const first = localeState(type, type.localized ? (file.$locale ?? defaultLocale) : null, file, undefined);
  const others = Object.entries((type.localized && file.$locales) || {}).map(([locale, keys]) =>
    localeState(type, locale, keys, first),
  );
  return [first, ...others];
}

/** What is other than expected, in the order of the attributes; null: without a value. */
const differences = (type: ContentType, actual: Json, expected: Json): Json =>
  Object.fromEntries(
    [...type.attributes.keys()]
      .filter((name) => !same(actual[name], expected[name]))
      .map((name) => [name, actual[name] ?? null]),
  );

/** The key of a time that is not the expected one. */
const timeKey = (key: string, time: string | undefined, expected: string | undefined): Json =>
  time === undefined || time === expected ? {} : { [key]: time };

function versionKeys(
  type: ContentType,
  { draft, draftTimes, published, publishedTimes }: LocaleState,
  first: LocaleState | undefined,
): VersionKeys {
  const { createdAt, updatedAt } = draftTimes;
  const times = publishedTimes ?? draftTimes;
  const overrides: Json = {
    ...(published ? differences(type, published, publishedDefault(type, draft, first)) : {}),
    ...timeKey("$createdAt", times.createdAt, createdAt),
    ...timeKey("$updatedAt", times.updatedAt, updatedAt),
  };
  return {
    ...differences(type, draft, pickShared(type, first?.draft ?? {})),
    ...timeKey("$createdAt", createdAt, undefined),
    ...timeKey("$updatedAt", updatedAt, createdAt),
    ...timeKey("$publishedAt", times.publishedAt, times.updatedAt),
    ...(published ? { $published: Object.keys(overrides).length === 0 ? true : overrides } : {}),
  };
}

function sortLocales(states: readonly LocaleState[], defaultLocale: string): LocaleState[] {
  const rank = ({ locale }: LocaleState): string => (locale === defaultLocale ? "" : String(locale));
  return states.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1));
}

/** The file of a document, as short as can be. Expects a state for each locale; the locales stand in the order of their codes. */
export function fileOfStates(
  type: ContentType,
  documentId: string | undefined,
  states: readonly LocaleState[],
  defaultLocale: string,
): ContentFile {
  const [first, ...others] = sortLocales(states, defaultLocale) as [LocaleState, ...LocaleState[]];
  const { locale } = first;
  return {
    ...(documentId !== undefined && { $id: documentId }),
    ...(locale === null || locale === defaultLocale ? {} : { $locale: locale }),
    ...versionKeys(type, first, undefined),
    ...(others.length === 0
      ? {}
      : { $locales: Object.fromEntries(others.map((other) => [other.locale, versionKeys(type, other, first)])) }),
  };
}

/** A file as it is read from a database: of its locales, one is at the top that need not be the one that was written there. */
export function withExpectedTop(type: ContentType, file: ContentFile, defaultLocale: string): ContentFile {
  if (!type.localized || !file.$locales) return file;
  const states = localeStates(type, file, defaultLocale);
  return states[0] === sortLocales(states, defaultLocale)[0]
    ? file
    : fileOfStates(type, file.$id, states, defaultLocale);
}
