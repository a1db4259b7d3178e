/** The versions that a content file states, with the values of each written out: the published version does not refer to the draft. */
import type { ContentFile, VersionKeys } from "./content-file.ts";

/** Attributes and times of a version, in the order of the file. */
export type Fields = ReadonlyMap<string, unknown>;

export interface LocaleVersion {
  readonly draft: Fields;
  /** All attributes of the published version, not only those that differ; null: without a value. */
  readonly published?: Fields;
}

export interface FileVersions {
  readonly id: string | undefined;
  /** The locale of the top level; empty: the default one. */
  readonly top: string;
  readonly versions: ReadonlyMap<string, LocaleVersion>;
}

export const toFields = (keys: object): Fields => new Map(Object.entries(keys));

/** Of the keys of a version. */
export const localePath = (top: string, locale: string): string[] => (locale === top ? [] : ["$locales", locale]);

/** `$` keys are a version's own; attributes are also those of the published version, unless it states others. */
export const isAttribute = (key: string): boolean => !key.startsWith("$");

function readVersion({ $published, ...own }: VersionKeys): LocaleVersion {
  const draft = toFields(own);
  if (!$published) return { draft };
  const published = new Map(toFields($published === true ? {} : $published));
  for (const [key, value] of draft) if (isAttribute(key) && !published.has(key)) published.set(key, value);
  return { draft, published };
}

export function readVersions({ $id, $locale = "", $locales = {}, ...keys }: ContentFile): FileVersions {
  const versions = new Map([[$locale, readVersion(keys)]]);
  // `de:` without anything below it is read as null
  for (const [locale, own] of Object.entries($locales)) versions.set(locale, readVersion(own ?? {}));
  return { id: $id, top: $locale, versions };
}

/** The value of `$published`. */
function writePublished(draft: Fields, published: Fields): NonNullable<VersionKeys["$published"]> {
  const stated = [...published].filter(([key, value]) => !isAttribute(key) || !equalValues(value, draft.get(key)));
  const missing = [...draft].filter(([key, value]) => isAttribute(key) && value !== null && !published.has(key));
  const differing = [...stated, ...missing.map(([key]) => [key, null] as const)];
  return differing.length === 0 || Object.fromEntries(differing);
}

export function writeVersion({ draft, published }: LocaleVersion): VersionKeys {
  const own = Object.fromEntries(draft);
  return published ? { ...own, $published: writePublished(draft, published) } : own;
}

export function writeVersions({ id, top, versions }: FileVersions): ContentFile {
  const first = versions.get(top);
  const others = [...versions].filter(([locale]) => locale !== top);
  return {
    ...(id !== undefined && { $id: id }),
    ...(top !== "" && { $locale: top }),
    ...(first && writeVersion(first)),
    ...(others.length > 0 && {
      $locales: Object.fromEntries(others.map(([locale, version]) => [locale, writeVersion(version)])),
    }),
  };
}

/**
 * Whether the versions at the top are of one locale, however the files name it. They are not if one file has elsewhere what another
 * has at the top: after the deletion of the default locale, another one takes its place.
 */
export const haveOneTop = (files: readonly FileVersions[]): boolean =>
  !files.some(({ top, versions }) => files.some((other) => other.top !== top && versions.has(other.top)));

/** With another name of the locale at the top. */
export const withTop = (file: FileVersions, top: string): FileVersions => ({
  ...file,
  top,
  versions: new Map([...file.versions].map(([locale, version]) => [locale === file.top ? top : locale, version])),
});

/** Whether two values are the same JSON, in whatever order their keys are. */
export const equalValues = (one: unknown, other: unknown): boolean => Bun.deepEquals(one, other, true);

/** Equal but for the time of the last change. */
export function equalVersions(one: LocaleVersion, other: LocaleVersion): boolean {
  const comparable = (fields: Fields) => Object.fromEntries([...fields].filter(([key]) => key !== "$updatedAt"));
  const toState = ({ draft, published }: LocaleVersion) => [
    comparable(draft),
    published ? comparable(published) : null,
  ];
  return equalValues(toState(one), toState(other));
}

/** Equal but for the times of the last changes. */
export function equalDocuments(one: FileVersions, other: FileVersions): boolean {
  if (one.id !== other.id || one.top !== other.top || one.versions.size !== other.versions.size) return false;
  return [...one.versions].every(([locale, version]) => {
    const compared = other.versions.get(locale);
    return compared !== undefined && equalVersions(version, compared);
  });
}
