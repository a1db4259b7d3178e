/** Validates the bodies of the requests that change one attribute in many documents. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { writtenLocale } from "../../engine/documents/document-reads.ts";
import type { Document } from "../../engine/query/select.ts";
import type {
  Attribute,
  ContentType,
  MediaAttribute,
  RelationAttribute,
  ScalarAttribute,
} from "../../engine/schema/model.ts";
import { problemsError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { Shape } from "../../lib/shape.ts";
import { exactly, type Fields, listOf, maxItems, requiredNumber, requiredText } from "../body.ts";
import { type CollectionInput, readCollectionInput } from "../collection-input.ts";
import { checkLocale } from "../content-manager/input.ts";

/** `add` and `remove`: of links; the others stay. */
const CHANGES = ["set", "add", "remove"] as const;
type Change = (typeof CHANGES)[number];

type ChangedAttribute = ScalarAttribute | MediaAttribute | RelationAttribute;

/** The new value for a document, from its current values. */
type ValueFor = (document: Document) => unknown;

const MAX_LINKS = 500;

const refuse = (path: string, message: string): Error => problemsError([{ path, message }]);

/** A unique value cannot be that of many documents. Passwords are never shown, so that their change could not be checked. */
function isScalarChanged({ type, unique, definition }: ScalarAttribute): boolean {
  return !type.isSecret && !unique && definition.type !== "uid";
}

function isChanged(attribute: Attribute): attribute is ChangedAttribute {
  if (attribute.system || !attribute.writable) return false;
  if (attribute.kind === "scalar") return isScalarChanged(attribute);
  if (attribute.kind === "relation")
    return attribute.target !== undefined && !attribute.virtual && !attribute.link.polymorphic;
  return attribute.kind === "media";
}

/** Throws a ValidationError for an attribute that cannot be changed in many documents. */
function changedAttribute({ attributes }: ContentType, name: string): ChangedAttribute {
  const attribute = attributes.get(name);
  if (attribute && isChanged(attribute)) return attribute;
  throw refuse("attribute", `${name} cannot be changed in many documents`);
}

function readLinks(value: unknown, isLink: (item: unknown) => boolean): readonly unknown[] {
  if (!Array.isArray(value) || !value.every(isLink)) throw refuse("value", "value must be a list of links");
  if (value.length > MAX_LINKS) throw refuse("value", `value must have at most ${MAX_LINKS} links`);
  return value;
}

function changeMedia({ name, many }: MediaAttribute, change: Change, value: unknown): ValueFor {
  const ids = readLinks(value, Number.isSafeInteger) as readonly number[];
  if (!many) return () => ids[0] ?? null;
  if (change === "set") return () => ids;
  return (document) => {
    const current = ((document[name] ?? []) as readonly Document[]).map(({ id }) => id as number);
    return change === "add" ? [...new Set([...current, ...ids])] : current.filter((id) => !ids.includes(id));
  };
}

const OPERATIONS = { set: "set", add: "connect", remove: "disconnect" } as const;

function changeRelation({ name, exclusive }: RelationAttribute, change: Change, value: unknown): ValueFor {
  const isLink = (item: unknown): boolean => isRecord(item) && typeof item.documentId === "string";
  const links = readLinks(value, isLink);
  if (exclusive && change !== "remove" && links.length > 0)
    throw refuse("value", `A document of ${name} can have one link only, so that it cannot be linked from many`);
  return () => ({ [OPERATIONS[change]]: links });
}

/** Throws a ValidationError for a change or a value that does not fit the attribute. */
function readChange(attribute: ChangedAttribute, change: Change, value: unknown): ValueFor {
  if (change !== "set" && (attribute.kind === "scalar" || !attribute.many))
    throw refuse("change", `${attribute.name} has one value, which can only be set`);
  if (attribute.kind === "scalar") return () => value;
  return attribute.kind === "media" ? changeMedia(attribute, change, value) : changeRelation(attribute, change, value);
}

/** Documents per request. Other requests are handled between two of them. */
export const MAX_DOCUMENTS = 100;

/** A version of a document that is to be changed. */
export interface Version {
  readonly documentId: string;
  /** ISO time; a version that was saved later is not changed. */
  readonly updatedAt: string;
}

/** A changed document, with the version of its history that it had before. */
export interface ChangedVersion extends Version {
  readonly previousVersion: number;
}

/** What the documents of a request have in common. */
export interface EditTarget {
  readonly type: ContentType;
  readonly attribute: ChangedAttribute;
  /** Null for types without locales. */
  readonly locale: string | null;
}

interface TargetInput extends CollectionInput {
  readonly attribute: string;
}

interface ChangeInput extends TargetInput {
  readonly change: Change;
  readonly value: unknown;
}

const listShape = (item: Shape): Shape => listOf(item, { required: true, tests: [maxItems(MAX_DOCUMENTS)] });
const versionShape = (fields: Fields = {}): Shape =>
  exactly({ documentId: requiredText, updatedAt: requiredText, ...fields }, { required: true });

const changeFields: Fields = {
  attribute: requiredText,
  change: { ...requiredText, oneOf: CHANGES },
  value: { type: "mixed" },
};

function readTarget<T extends TargetInput>(
  context: DocumentsContext,
  fields: Fields,
  body: unknown,
): { readonly input: T; readonly target: EditTarget } {
  const { type, ...input } = readCollectionInput<T>(context.model, fields, body);
  checkLocale(context, type, input);
  const target = {
    type,
    attribute: changedAttribute(type, input.attribute),
    locale: writtenLocale(context, type, { locale: input.locale }),
  };
  return { input: input as unknown as T, target };
}

export interface ChangeRequest<Item> extends EditTarget {
  readonly valueFor: ValueFor;
  readonly documents: readonly Item[];
}

function readChangeRequest<Item>(context: DocumentsContext, item: Shape, body: unknown): ChangeRequest<Item> {
  const fields = { ...changeFields, documents: listShape(item) };
  const { input, target } = readTarget<ChangeInput & { readonly documents: readonly Item[] }>(context, fields, body);
  const { change, value = null, documents } = input;
  return { ...target, valueFor: readChange(target.attribute, change, value), documents };
}

export const readPreviewRequest = (context: DocumentsContext, body: unknown): ChangeRequest<string> =>
  readChangeRequest(context, requiredText, body);

export const readEditRequest = (context: DocumentsContext, body: unknown): ChangeRequest<Version> =>
  readChangeRequest(context, versionShape(), body);

export interface UndoRequest extends EditTarget {
  readonly documents: readonly ChangedVersion[];
}

export function readUndoRequest(context: DocumentsContext, body: unknown): UndoRequest {
  const item = versionShape({ previousVersion: requiredNumber });
  const fields = { attribute: requiredText, documents: listShape(item) };
  const { input, target } = readTarget<TargetInput & { readonly documents: readonly ChangedVersion[] }>(
    context,
    fields,
    body,
  );
  return { ...target, documents: input.documents };
}
