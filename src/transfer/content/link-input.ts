/** Converts the attributes of a file to input of the document service: names of files become document ids and ids of media. */
import type { Data } from "../../engine/documents/documents.ts";
import { USER } from "../../engine/schema/builtin/index.ts";
import {
  type Attribute,
  component,
  type MediaAttribute,
  type Model,
  type RelationAttribute,
  type Schema,
} from "../../engine/schema/model.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Json } from "../archive/shapes.ts";
import type { ContentLink } from "./content-file.ts";
import { folderOf } from "./file-paths.ts";
import { isUserName, userName } from "./users.ts";

/** An invalid value, with its path in the file. */
export class ContentProblem extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], reason: string) {
    super(reason);
    this.path = path;
  }
}

export interface LinkTarget {
  readonly uid: string;
  readonly documentId: string;
  /** Its file is not valid, so that it cannot be written; links to it are no problems of their own. */
  readonly isAbsent?: true;
}

/** Whether the version that is linked may exist yet. Otherwise, the value of the attribute is of no use. */
export type CanWrite = (link: LinkTarget & ContentLink, path: Path) => boolean;

/** What the names in files stand for. */
export interface LinkTargets {
  /** A document by the name of its file, or a user. */
  readonly document: (name: string) => LinkTarget | undefined;
  /** The row id of a media file. */
  readonly media: (path: string) => number | undefined;
}

type Path = readonly (string | number)[];

function listItems(attribute: Exclude<Attribute, { kind: "scalar" }>, value: unknown, path: Path): readonly unknown[] {
  if (!attribute.many) return [value];
  if (Array.isArray(value)) return value;
  throw new ContentProblem(path, "must be a list");
}

function findZoneComponent(components: readonly string[], item: unknown, path: Path): string {
  const uid = isRecord(item) ? item.__component : undefined;
  if (typeof uid === "string" && components.includes(uid)) return uid;
  throw new ContentProblem([...path, "__component"], `must be one of ${components.join(", ")}`);
}

function readLink(item: unknown, path: Path): ContentLink {
  const link: Json = isRecord(item) ? item : { document: item };
  const isText = (key: string): boolean => link[key] === undefined || typeof link[key] === "string";
  if (typeof link.document !== "string" || !["locale", "field"].every(isText))
    throw new ContentProblem(path, 'must be the name of a file, as in "authors/ada"');
  if (![undefined, "draft", "published"].includes(link.status as string | undefined))
    throw new ContentProblem([...path, "status"], "must be draft or published");
  return link as unknown as ContentLink;
}

/**
 * Reads the attributes of a level. Unknown keys, those that cannot be written, and links to users that are missing, since users are in no
 * file, are left out and reported.
 * `findRow`: for owners with locales, whose links the service leads to their own locale: the row to link instead.
 */
export function createLinkInput(
  model: Model,
  targets: LinkTargets,
  leaveOut: (path: Path, reason: string) => void,
  findRow?: (target: LinkTarget, locale: string) => number | undefined,
) {
  /** Throws a ContentProblem for a value of the wrong shape and an unknown name. */
  function read(schema: Schema, data: Json, path: Path, canWrite: CanWrite): Data {
    const out: Data = {};
    for (const [key, value] of Object.entries(data)) {
      const attribute = schema.attributes.get(key);
      if (key === "__component") out[key] = value;
      else if (!attribute) leaveOut([...path, key], `${schema.uid} has no such attribute`);
      else if (attribute.system || !attribute.writable) leaveOut([...path, key], "cannot be written");
      else out[key] = value === null ? null : readValue(attribute, value, [...path, key], canWrite);
    }
    return out;
  }

  function readValue(attribute: Attribute, value: unknown, path: Path, canWrite: CanWrite): unknown {
    if (attribute.kind === "scalar") return value;
    const items = listItems(attribute, value, path);
    const found = items.map((item, index) => {
      const itemPath = attribute.many ? [...path, index] : path;
      if (attribute.kind === "media") return media(attribute, item, itemPath);
      if (attribute.kind === "relation") return link(attribute, item, itemPath, canWrite);
      const uid =
        attribute.kind === "component" ? attribute.component : findZoneComponent(attribute.components, item, itemPath);
      if (!isRecord(item)) throw new ContentProblem(itemPath, "must be a mapping of attributes");
      return read(component(model, uid), item, itemPath, canWrite);
    });
    return attribute.many ? found.filter((item) => item !== undefined) : (found[0] ?? null);
  }

  function media({ target }: MediaAttribute, name: unknown, path: Path): number {
    const id = typeof name === "string" && target !== "" ? targets.media(name) : undefined;
    if (id !== undefined) return id;
    throw new ContentProblem(
      path,
      typeof name === "string" ? `there is no file media/${name}` : 'must be a path below media, as in "cover.jpg"',
    );
  }

  function link(attribute: RelationAttribute, item: unknown, path: Path, canWrite: CanWrite): Json | undefined {
    const { document: name, locale, status, field } = readLink(item, path);
    const target = targets.document(name);
    if (!target && isUserName(name) && (attribute.target ?? USER) === USER) {
      leaveOut(path, `there is no user "${userName(name)}"`);
      return undefined;
    }
    if (!target) throw new ContentProblem(path, `there is no document "${name}"${hintAt(attribute, name)}`);
    if (attribute.target !== undefined && attribute.target !== target.uid)
      throw new ContentProblem(path, `"${name}" is not of the type ${attribute.target}`);
    if (!canWrite({ document: name, ...target, locale, status, field }, path)) return {};
    const type = attribute.target === undefined ? { __type: target.uid } : {};
    if (locale !== undefined && findRow) {
      const id = findRow(target, locale);
      if (id === undefined) throw new ContentProblem(path, `there is no document "${name}" in the locale "${locale}"`);
      return { id, ...type };
    }
    return { documentId: target.documentId, ...(locale && { locale }), ...(status && { status }), ...type };
  }

  /** For a name without the folder of its type. */
  function hintAt({ target }: RelationAttribute, name: string): string {
    const type = target === undefined ? undefined : model.types.get(target);
    const whole = type && `${folderOf(type)}/${name}`;
    return whole && targets.document(whole) ? `; did you mean ${whole}?` : "";
  }

  return read;
}
