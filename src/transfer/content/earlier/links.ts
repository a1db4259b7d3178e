/** Links of entries in lists, which either side may name. Content files have them on the side that owns them. */
import { contentType, type Model, type RelationAttribute, type Schema } from "../../../engine/schema/model.ts";
import type { ProjectReport } from "../../../lib/errors.ts";
import { isRecord } from "../../../lib/is-record.ts";
import type { Json } from "../../archive/shapes.ts";
import type { VersionKeys } from "../content-file.ts";
import type { ContentPath } from "../paths.ts";
import { type EarlierDocument, keyIn } from "./earlier-content.ts";

type Path = ContentPath;

/** The names in the relations of a level and its components. */
function* namesIn(
  model: Model,
  schema: Schema,
  data: Json,
  path: Path,
): Generator<readonly [name: string, path: Path]> {
  for (const attribute of schema.attributes.values()) {
    const value = data[attribute.name];
    if (value === undefined || attribute.kind === "scalar" || attribute.kind === "media") continue;
    for (const [index, item] of [value].flat().entries()) {
      const at = [...path, attribute.name, ...(Array.isArray(value) ? [index] : [])];
      if (attribute.kind === "relation" && typeof item === "string") yield [item, at];
      const uid = attribute.kind === "component" ? attribute.component : isRecord(item) ? item.__component : undefined;
      const part = model.components.get(String(uid));
      if (part && isRecord(item)) yield* namesIn(model, part, item, at);
    }
  }
}

/** A link that an entry is to have since its target names it. */
interface JoinedLink {
  readonly attribute: RelationAttribute;
  readonly locale: string | null;
  readonly link: unknown;
}

type ChangeVersion = (keys: VersionKeys, locale: string | null, path: Path) => VersionKeys;

/** The documents, with each link on the side that owns it. Links to locales that are not there are reported. */
export function joinLinks(
  model: Model,
  documents: ReadonlyMap<string, EarlierDocument>,
  defaultLocale: string,
  report: ProjectReport,
): EarlierDocument[] {
  /** By the name of the owner. */
  const joined = new Map<string, JoinedLink[]>();

  function changed(document: EarlierDocument, change: ChangeVersion): EarlierDocument {
    const { type, file } = document;
    const { $locales, ...top } = file;
    const others = Object.entries($locales ?? {}).map(([locale, keys]) => [
      locale,
      change(keys, locale, ["$locales", locale]),
    ]);
    const changed = change(top, type.localized ? (file.$locale ?? defaultLocale) : null, []);
    return {
      ...document,
      file: { ...changed, ...($locales ? { $locales: Object.fromEntries(others) } : {}) },
    };
  }

  function checkLocale({ type, origin }: EarlierDocument, name: string, locale: string | null, path: Path): void {
    const target = documents.get(name);
    if (!target?.type.localized) return;
    const wanted = type.localized ? locale! : defaultLocale;
    const { $locale = defaultLocale, $locales = {} } = target.file;
    if (wanted !== $locale && !Object.hasOwn($locales, wanted))
      report.refuse(origin.file, keyIn(origin, path), `"${name}" has no locale ${wanted}`);
  }

  /** Whether the value of an attribute moves to the documents that it names. What is not valid stays, and is refused later. */
  function moves({ type, name: own }: EarlierDocument, locale: string | null, name: string, value: unknown): boolean {
    const attribute = type.attributes.get(name);
    if (attribute?.kind !== "relation" || attribute.link.side === "owner" || attribute.required) return false;
    const target = attribute.target === undefined ? undefined : contentType(model, attribute.target);
    const owner = target?.attributes.get(attribute.other ?? "");
    const names = attribute.many ? value : [value];
    const isKnown = (item: unknown): boolean => documents.get(String(item))?.type === target;
    if (owner?.kind !== "relation" || !Array.isArray(names) || !names.every(isKnown)) return false;
    const link = owner.target === undefined ? { document: own, field: name } : own;
    for (const item of names)
      joined.getOrInsertComputed(String(item), () => []).push({ attribute: owner, locale, link });
    return true;
  }

  function join({ type, name }: EarlierDocument, keys: VersionKeys, locale: string | null): VersionKeys {
    const changed: Record<string, unknown> = { ...keys };
    for (const { attribute, link, ...from } of joined.get(name) ?? []) {
      if (type.localized && (from.locale ?? defaultLocale) !== locale) continue;
      const value = changed[attribute.name];
      if (!attribute.many) changed[attribute.name] = value ?? link;
      else if (!Array.isArray(value)) changed[attribute.name] = [link];
      else if (!value.some((item) => Bun.deepEquals(item, link))) changed[attribute.name] = [...value, link];
    }
    return changed;
  }

  const separated = [...documents.values()].map((document) =>
    changed(document, (keys, locale, path) => {
      for (const [name, at] of namesIn(model, document.type, keys, path)) checkLocale(document, name, locale, at);
      const isKept = ([name, value]: [string, unknown]): boolean => !moves(document, locale, name, value);
      return Object.fromEntries(Object.entries(keys).filter(isKept));
    }),
  );
  return separated.map((document) => changed(document, (keys, locale) => join(document, keys, locale)));
}
