/** A field with its label and its validation error. */
import { useComputed } from "@preact/signals";
import type { ComponentChildren, ComponentType } from "preact";
import { start, type View } from "../model.ts";
import { Icon } from "../widgets/icon.tsx";
import { EditProvider, useEdit } from "./edit-context.ts";
import { EntriesField } from "./fields/entries-field.tsx";
import type { FieldProps } from "./fields/field-props.ts";
import { findField } from "./fields/fields.ts";
import { isConditional } from "./form/conditions.ts";
import { type Group, isVisibleIn, type Leaf, type Node } from "./form/tree.ts";
import { isFixed, isLocalizedAttribute } from "./form/values.ts";
import { labelOf, shownFields, viewOf } from "./form/view.ts";

interface LabelProps {
  readonly node: Node;
  readonly isGroup: boolean;
  /** Inside an entry of a component: only the component as a whole is localized. */
  readonly isInner: boolean;
  readonly view: View | undefined;
}

function Label({ node, isGroup, isInner, view }: LabelProps) {
  const { document, isReadOnly, source } = useEdit();
  const { attribute, id, name } = node;
  const hasLocales = (start.value?.locales.length ?? 0) > 1;
  const hints = [
    view?.hints[name],
    attribute.private === true ? "private" : undefined,
    isFixed(attribute) ? "read-only: its schema says that it is not editable" : undefined,
  ].filter(Boolean);
  const isShared = !isInner && hasLocales && document.locale !== undefined && !isLocalizedAttribute(attribute);
  const content = (
    <>
      {labelOf(view, name)}
      {source ? <span class="hint field-note"> {source.name}</span> : null}
      {attribute.required === true && !isReadOnly ? (
        <span class="required" title="Required" aria-hidden="true">
          *
        </span>
      ) : null}
    </>
  );
  return (
    <div class="field-head">
      {isGroup ? (
        <div class="field-label" id={`${id}-label`}>
          {content}
        </div>
      ) : (
        <label class="field-label" id={`${id}-label`} for={id}>
          {content}
        </label>
      )}
      {hints.length > 0 ? <span class="hint field-note">{hints.join(", ")}</span> : null}
      {isShared ? (
        <span class="hint field-note field-shared" title="The same in all locales">
          <Icon name="globe" />
          <span class="visually-hidden">the same in all locales</span>
        </span>
      ) : null}
    </div>
  );
}

function Problem({ node }: { readonly node: Node }) {
  return (
    <p class="field-problem" id={`${node.id}-problem`}>
      {node.problem.value}
    </p>
  );
}

const ignoreEnter = (event: SubmitEvent): void => event.preventDefault();

interface OwnFormProps {
  readonly class: string;
  readonly children: ComponentChildren;
}

/**
 * A form of one field. To fill in fields, browsers read all those of its form after each key, or all that are outside of any
 * form: in a long document half a millisecond.
 */
const OwnForm = (props: OwnFormProps) => <form {...props} autocomplete="off" noValidate onSubmit={ignoreEnter} />;

interface LeafFrameProps {
  readonly node: Leaf;
  readonly group: Group;
  /** Instead of the field of the attribute's type. */
  readonly field?: { readonly Field: ComponentType<FieldProps>; readonly className: string };
}

export function LeafFrame({ node, group, field }: LeafFrameProps) {
  const edit = useEdit();
  const { isInForm } = edit;
  const isReadOnly = edit.isReadOnly || isFixed(node.attribute);
  const { width, isGroup, ...own } = findField(node.attribute);
  const Field = edit.marked?.get(node) ?? (field ?? own).Field;
  const content = (
    <>
      <Label
        node={node}
        isGroup={isGroup === true}
        isInner={group.component !== undefined}
        view={viewOf(edit.document.type, group)}
      />
      <Field
        node={node}
        group={group}
        lang={edit.source?.locale ?? edit.document.locale}
        isReadOnly={isReadOnly}
        describedBy={`${node.id}-problem`}
      />
      <Problem node={node} />
    </>
  );
  const className = field?.className ?? (width ? `field field-${width}` : "field");
  if (!isGroup && (isReadOnly || isInForm)) return <div class={className}>{content}</div>;
  if (!isGroup) return <OwnForm class={className}>{content}</OwnForm>;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid everywhere
    <div class={className} role="group" aria-labelledby={`${node.id}-label`}>
      {content}
    </div>
  );
}

interface FrameProps {
  readonly node: Node;
  readonly group: Group;
}

/** Rendered again only when the field appears or disappears. */
function ConditionalFrame({ node, group }: FrameProps) {
  const isShown = useComputed(() => isVisibleIn(group, node));
  return isShown.value ? <Frame node={node} group={group} /> : null;
}

export const FieldFrame = ({ node, group }: FrameProps) =>
  isConditional(node.attribute) ? <ConditionalFrame node={node} group={group} /> : <Frame node={node} group={group} />;

function Frame({ node, group }: FrameProps) {
  const edit = useEdit();
  if (node.kind === "leaf") return <LeafFrame node={node} group={group} />;
  const entries = <EntriesField node={node} />;
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out as a grid everywhere
    <div class="field field-wide" role="group" aria-labelledby={`${node.id}-label`}>
      <Label node={node} isGroup isInner={group.component !== undefined} view={viewOf(edit.document.type, group)} />
      {isFixed(node.attribute) ? <EditProvider value={{ ...edit, isReadOnly: true }}>{entries}</EditProvider> : entries}
      <Problem node={node} />
    </div>
  );
}

interface BesideSourceProps extends FrameProps {
  readonly children: ComponentChildren;
}

/** A field of the document, and what it says in another locale while that is shown. */
export function BesideSource({ node, group, children }: BesideSourceProps) {
  const edit = useEdit();
  if (edit.isReadOnly || group.component !== undefined) return children;
  const { beside: source } = edit;
  const other = source?.group.nodes.get(node.name);
  return (
    // the same elements in both cases: somebody may write in the field when the other locale arrives
    <div class={other && "compare"}>
      <div>{children}</div>
      {source && other ? (
        <div class="read">
          <EditProvider value={{ ...edit, isReadOnly: true, source }}>
            <Frame node={other} group={source.group} />
          </EditProvider>
        </div>
      ) : null}
    </div>
  );
}

interface GroupFieldsProps {
  readonly group: Group;
  /** A field that is shown elsewhere. */
  readonly without?: Node | undefined;
}

/** Widths that a form has; those of Strapi's configurations may be any number of columns. */
const SPANS = [3, 4, 6, 8, 12];

export function GroupFields({ group, without }: GroupFieldsProps) {
  const { document: open, beside } = useEdit();
  const view = viewOf(open.type, group);
  const fields = shownFields(group, view).filter(({ node }) => node !== without);
  if (!view?.cells)
    return (
      <div class="stack fields">
        {fields.map(({ node }) => (
          <BesideSource key={node.name} node={node} group={group}>
            <FieldFrame node={node} group={group} />
          </BesideSource>
        ))}
      </div>
    );
  return (
    <div class="stack fields fields-sized">
      {fields.map(({ node, size = 12 }) => (
        <div
          key={node.name}
          class="cell"
          // two texts need the room of a row
          style={{ "--columns": (!beside && SPANS.find((span) => size <= span)) || 12 }}
        >
          <BesideSource node={node} group={group}>
            <FieldFrame node={node} group={group} />
          </BesideSource>
        </div>
      ))}
    </div>
  );
}
