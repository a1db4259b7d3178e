/** Validates the bodies of the requests that change one attribute in many documents. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { writtenLocale } from "../../engine/documents/document-reads.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import type { Shape } from "../../lib/shape.ts";
import { exactly, type Fields, listOf, maxItems, requiredNumber, requiredText } from "../body.ts";
import { type CollectionInput, readCollectionInput } from "../collection-input.ts";
import { checkLocale } from "../content-manager/input.ts";
import {
  CHANGES,
  type Change,
  type ChangedAttribute,
  changedAttribute,
  readChange,
  type ValueFor,
} from "./field-change.ts";

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
