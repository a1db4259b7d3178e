/** The context that a form provides to its fields. */
import { type ComponentChild, type ComponentType, createContext } from "preact";
import { useContext } from "preact/hooks";
import type { FieldProps } from "./fields/field-props.ts";
import type { Group, Leaf } from "./form/tree.ts";
import type { RelatedDocument } from "./form/values.ts";
import type { OpenDocument } from "./open-document.ts";
import type { Source } from "./source.ts";

/** A document to open beside the one that is edited. */
export interface SideDocument {
  readonly uid: string;
  /** Undefined: a new one. */
  readonly documentId: string | undefined;
  readonly locale?: string | undefined;
  /** Of a new one: the text of its main field. */
  readonly name?: string;
  /** Called when it has been saved. */
  readonly onSaved: (saved: RelatedDocument) => void;
}

export interface EditContext {
  readonly document: OpenDocument;
  readonly isReadOnly: boolean;
  /** Of the version that is shown, where that is not the draft. */
  readonly status?: "published";
  /** Fields of a compared version that are shown in another way than those of a form. */
  readonly marked?: ReadonlyMap<Leaf, ComponentType<FieldProps>>;
  /** The locale that is shown, where that is not the document's. */
  readonly source?: Source;
  /** Shown beside the fields of the document. */
  readonly beside?: Source | undefined;
  /** Whether the fields are in a form, which Enter sends. */
  readonly isInForm?: boolean;
  readonly openBeside: (beside: SideDocument) => void;
  /** A function, since entries contain fields and fields contain entries: an import would be circular. */
  readonly renderGroup: (group: Group) => ComponentChild;
}

const context = createContext<EditContext | undefined>(undefined);

export const EditProvider = context.Provider;

export function useEdit(): EditContext {
  const value = useContext(context);
  if (!value) throw new Error("a field is outside of a form");
  return value;
}
