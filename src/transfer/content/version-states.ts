/** The versions of a document, each with all of its attributes, as a file with its shorter form says them. */
import type { ContentType } from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentFile, VersionKeys } from "./content-file.ts";

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

export const isMetaKey = (key: string): boolean => key.startsWith("$");

const attributesIn = (keys: Json): Json =>
  Object.fromEntries(Object.entries(keys).filter(([key, value]) => !isMetaKey(key) && value !== null));

const timesIn = (keys: Json): VersionTimes => {
  const time = (key: string): string | undefined => (typeof keys[key] === "string" ? keys[key] : undefined);
  return { createdAt: time("$createdAt"), updatedAt: time("$updatedAt"), publishedAt: time("$publishedAt") };
};

function localeState(type: ContentType, locale: string | null, keys: VersionKeys, shared: Json): LocaleState {
  const draft = attributesIn({ ...shared, ...keys });
  const draftTimes = timesIn(keys);
  const isPublished = type.draftAndPublish && keys.$published !== undefined;
  if (!isPublished) return { locale, draft, draftTimes, published: undefined, publishedTimes: undefined };
  const overrides: Json = isRecord(keys.$published) ? keys.$published : {};
  return {
    locale,
    draft,
    draftTimes: { ...draftTimes, publishedAt: undefined },
    published: attributesIn({ ...draft, ...overrides }),
    publishedTimes: { ...timesIn(overrides), publishedAt: draftTimes.publishedAt },
  };
}

/** The locales of a document, that of the top level first. */
export function localeStates(type: ContentType, file: ContentFile, defaultLocale: string): LocaleState[] {
  const first = localeState(type, type.localized ? (file.$locale ?? defaultLocale) : null, file, {});
  const shared = Object.fromEntries(
    Object.entries(first.draft).filter(([name]) => type.attributes.get(name)?.localized === false),
  );
  const others = Object.entries(file.$locales ?? {}).map(([locale, keys]) => localeState(type, locale, keys, shared));
  return [first, ...others];
}
