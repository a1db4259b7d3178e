/** The name of an open document, as its heading: a line without a frame where it can be edited. */
import { useEffect } from "preact/hooks";
import { documentName } from "../document-name.ts";
import { type ContentType, formatLabel } from "../model.ts";
import { LeafFrame } from "./field-frame.tsx";
import type { FieldProps } from "./fields/field-props.ts";
import { wordProps } from "./fields/text-fields.tsx";
import { isConditional } from "./form/conditions.ts";
import { findFieldType } from "./form/field-types.ts";
import type { Group, Leaf } from "./form/tree.ts";
import type { OpenDocument } from "./open-document.ts";

/**
 * The field that is shown as the heading. Undefined where the main attribute is not a line of text that is always there, and for
 * single types, which have a name of their own.
 */
export function headingNode({ nodes }: Group, { kind, mainField }: ContentType): Leaf | undefined {
  const node = kind === "singleType" ? undefined : nodes.get(mainField);
  const isLine = node?.kind === "leaf" && findFieldType(node.attribute) === "string" && !isConditional(node.attribute);
  return isLine ? node : undefined;
}

/** As high as its text, which has no line breaks of its own. */
function TitleField(props: FieldProps) {
  const { node } = props;
  return (
    <textarea
      {...wordProps(props)}
      class="input title-input"
      rows={1}
      placeholder={formatLabel(node.name)}
      value={String(node.value.value ?? "")}
      onKeyDown={(event) => {
        if (event.key === "Enter" && !event.ctrlKey && !event.metaKey) event.preventDefault();
      }}
      onInput={({ currentTarget }) => {
        const text = currentTarget.value.replaceAll(/[\r\n]+/g, " ");
        if (text !== currentTarget.value) currentTarget.value = text;
        node.value.value = text === "" ? null : text;
      }}
    />
  );
}

const title = { Field: TitleField, className: "field title" };

export const TitleFrame = ({ node, group }: { readonly node: Leaf; readonly group: Group }) => (
  <LeafFrame node={node} group={group} field={title} />
);

interface HeadingProps {
  readonly open: OpenDocument;
  /** Whether the document is the page's own, rather than beside another one. */
  readonly isPage: boolean;
}

/** The heading as text. Where a field shows the same, it is for those who do not see the page. */
export function Heading({ open, isPage }: HeadingProps) {
  const { type, form } = open;
  const main = form.value?.nodes.get(type.mainField);
  const text = main?.kind === "leaf" ? main.value.value : undefined;
  const own = typeof text === "string" && text !== "" ? text : undefined;
  const version = open.version.value;
  // as it was saved: not with each key
  useEffect(() => {
    if (isPage) documentName.value = own;
  }, [version]);
  if (type.kind === "singleType") return <h1>{type.info.displayName}</h1>;
  const isStored = version !== undefined || (form.value === undefined && open.documentId !== undefined);
  const isField = form.value && headingNode(form.value, type);
  return (
    <h1 dir="auto" class={isField ? "visually-hidden" : undefined}>
      <span class="text-line">{own ?? (isStored ? type.info.displayName : `New ${type.info.displayName}`)}</span>
    </h1>
  );
}
