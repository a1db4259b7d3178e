/** What a source could not read or does not have. An import keeps such content of the project, since it may exist at the source. */
import { apiTypes, type Model, type Schema } from "../../engine/schema/model.ts";
import type { ArchiveSchema } from "../archive/shapes.ts";
import type { Survey } from "../archive/survey.ts";
import type { Selection } from "../selection.ts";

export const unreadReasons = {
  refused: "which the token may not read",
  unanswered: "which REST does not answer",
  absent: "which the source does not have",
  noContent: "since the archive has no content",
  unselected: "which was not to be transferred",
} as const;

export type UnreadReason = keyof typeof unreadReasons;

export interface Unread {
  /** By content-type uid. */
  readonly types: ReadonlyMap<string, UnreadReason>;
  /** By "uid.attribute". */
  readonly attributes: ReadonlyMap<string, UnreadReason>;
}

/** Content of a project that an import has not replaced. */
export interface Kept {
  readonly name: string;
  readonly reason: UnreadReason;
  readonly count: number;
  /** Rows of a type, or values of an attribute. */
  readonly unit: "rows" | "values";
}

export const NOTHING_UNREAD: Unread = { types: new Map(), attributes: new Map() };

/** Attributes with values of their own. */
const storedAttributes = ({ attributes }: Schema): string[] =>
  [...attributes.values()]
    .filter((attribute) => !attribute.system && !(attribute.kind === "relation" && attribute.virtual))
    .map(({ name }) => name);

/** Adds the types that are not transferred. */
export const withUnselected = ({ types, attributes }: Unread, selection: Selection, model: Model): Unread => ({
  types: new Map([
    ...types,
    ...[...model.types.keys()].flatMap((uid) => (selection.hasType(uid) ? [] : [[uid, "unselected"] as const])),
  ]),
  attributes,
});

/** What the schemas of an archive show that it cannot contain. */
export function unreadBySurvey({ schemas, stages }: Survey, model: Model): Unread {
  if (schemas.size === 0) return NOTHING_UNREAD;
  if (!stages.has("entities"))
    return {
      types: new Map([...model.types.keys()].map((uid) => [uid, "noContent" as const])),
      attributes: new Map(),
    };
  const types = apiTypes(model).filter(({ uid }) => !schemas.has(uid));
  const present = [...model.types.values(), ...model.components.values()].flatMap((schema) => {
    const theirs = schemas.get(schema.uid);
    return theirs ? [[schema, theirs] as const] : [];
  });
  return {
    types: new Map(types.map(({ uid }) => [uid, "absent" as const])),
    attributes: new Map(present.flatMap(([schema, theirs]) => missingAttributes(schema, theirs))),
  };
}

const missingAttributes = (schema: Schema, { attributes }: ArchiveSchema): [string, UnreadReason][] =>
  storedAttributes(schema)
    .filter((name) => !Object.hasOwn(attributes, name))
    .map((name) => [`${schema.uid}.${name}`, "absent"]);
