/** The attributes of a type, in the order of its file. */
import { useId, useRef, useState } from "preact/hooks";
import { Announcer } from "../../widgets/announce.tsx";
import { Button, IconButton } from "../../widgets/button.tsx";
import { DragHandle } from "../../widgets/drag-handle.tsx";
import { moved, type Sortable, useSortable } from "../../widgets/sortable.ts";
import { showDone } from "../../widgets/toasts.tsx";
import { AttributeDialog } from "./attribute-dialog.tsx";
import { attributeKinds, formatSummary } from "./attribute-options.ts";
import { type Draft, type DraftAttribute, withAttribute } from "./draft.ts";
import type { Schemas } from "./schemas.ts";
import { TypeIcon } from "./type-icon.tsx";

export interface AttributeTableProps {
  readonly draft: Draft;
  readonly schemas: Schemas;
  readonly isReadOnly: boolean;
  readonly onChange: (attributes: readonly DraftAttribute[]) => void;
}

interface AttributeRowProps {
  readonly attribute: DraftAttribute;
  readonly place: Sortable;
  readonly edit: () => void;
  readonly remove: () => void;
}

function AttributeRow({ attribute, place, edit, remove }: AttributeRowProps) {
  const { name, original, definition } = attribute;
  const { index, count, isDisabled: isFixed, move } = place;
  const sortable = useSortable<HTMLTableRowElement>(place);
  const steps = [
    { label: "up", icon: "up", to: index - 1 },
    { label: "down", icon: "down", to: index + 1 },
  ] as const;
  const step = (button: HTMLButtonElement, to: number): void => {
    move(index, to);
    // it has moved along, and may be the one that leads no further
    requestAnimationFrame(() => {
      const other = button.previousElementSibling ?? button.nextElementSibling;
      (button.disabled ? (other as HTMLElement | null) : button)?.focus();
    });
  };
  return (
    <tr ref={sortable.item}>
      <th scope="row">
        <DragHandle sortable={sortable} name={name} />
        <code>{name}</code>
        {original === undefined ? <span class="badge">new</span> : null}
        {original !== undefined && original !== name ? <span class="badge">was {original}</span> : null}
      </th>
      <td>
        <span class="kind-cell">
          <TypeIcon type={definition.type} />
          {attributeKinds[definition.type]?.label ?? definition.type}
        </span>
      </td>
      <td class="muted">{formatSummary(definition)}</td>
      <td>
        {isFixed ? null : (
          <div class="type-row-actions">
            {steps.map(({ label, icon, to }) => (
              <IconButton
                key={label}
                icon={icon}
                label={`Move ${name} ${label}`}
                disabled={to < 0 || to >= count}
                onClick={({ currentTarget }) => step(currentTarget, to)}
              />
            ))}
            <IconButton icon="edit" label={`Edit ${name}`} aria-haspopup="dialog" onClick={edit} />
            <IconButton icon="trash" label={`Remove ${name}`} onClick={remove} />
          </div>
        )}
      </td>
    </tr>
  );
}

export function AttributeTable({ draft, schemas, isReadOnly, onChange }: AttributeTableProps) {
  const { attributes } = draft;
  const [opened, setOpened] = useState<DraftAttribute | "new">();
  const listId = useId();
  const latest = useRef(attributes);
  latest.current = attributes;
  const remove = (attribute: DraftAttribute, index: number): void => {
    onChange(attributes.filter(({ key }) => key !== attribute.key));
    const run = (): void => {
      if (!latest.current.some(({ key }) => key === attribute.key))
        onChange(latest.current.toSpliced(index, 0, attribute));
    };
    showDone(`${attribute.name} was removed`, { label: "Undo", run });
  };
  const done = (attribute: DraftAttribute, isLast: boolean): void => {
    onChange(withAttribute(attributes, attribute));
    if (isLast) setOpened(undefined);
  };
  return (
    <section class="type-attributes" aria-label="Attributes">
      <div class="type-table-frame">
        <table class="type-table">
          <thead>
            <tr>
              <th scope="col">Attribute</th>
              <th scope="col">Type</th>
              <th scope="col">Options</th>
              <th scope="col">
                <span class="visually-hidden">Actions</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {attributes.map((attribute, index) => (
              <AttributeRow
                key={attribute.key}
                attribute={attribute}
                place={{
                  listId,
                  index,
                  count: attributes.length,
                  isDisabled: isReadOnly || attribute.definition.configurable === false,
                  move: (from, to) => onChange(moved(attributes, from, to)),
                }}
                edit={() => setOpened(attribute)}
                remove={() => remove(attribute, index)}
              />
            ))}
          </tbody>
        </table>
      </div>
      {attributes.length === 0 ? (
        <p class="muted">No attributes yet: a document consists of them. Add a title first.</p>
      ) : null}
      {isReadOnly ? null : (
        <Button icon="add" text="Add an attribute" aria-haspopup="dialog" onClick={() => setOpened("new")} />
      )}
      <Announcer />
      {opened ? (
        <AttributeDialog
          draft={draft}
          attribute={opened === "new" ? undefined : opened}
          schemas={schemas}
          onDone={done}
          onClose={() => setOpened(undefined)}
        />
      ) : null}
    </section>
  );
}
