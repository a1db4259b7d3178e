/** The attributes of a type, in the order of its file. */
import { useRef, useState } from "preact/hooks";
import { Icon } from "../../widgets/icon.tsx";
import { AttributeDialog } from "./attribute-dialog.tsx";
import { attributeKinds, summaryOf } from "./attribute-options.ts";
import { type Draft, type DraftAttribute, withAttribute } from "./draft.ts";
import type { Schemas } from "./schemas.ts";

export interface AttributeTableProps {
  readonly draft: Draft;
  readonly schemas: Schemas;
  readonly isReadOnly: boolean;
  readonly onChange: (attributes: readonly DraftAttribute[]) => void;
}

/** The list with an item in another place. */
function moved<T>(items: readonly T[], from: number, to: number): T[] {
  const next = [...items];
  const [item] = next.splice(from, 1);
  next.splice(to, 0, item!);
  return next;
}

export function AttributeTable({ draft, schemas, isReadOnly, onChange }: AttributeTableProps) {
  const { attributes } = draft;
  const [opened, setOpened] = useState<DraftAttribute | "new">();
  const table = useRef<HTMLTableElement>(null);
  const done = (attribute: DraftAttribute): void => {
    onChange(withAttribute(attributes, attribute));
    setOpened(undefined);
  };
  const move = (from: number, to: number): void => {
    onChange(moved(attributes, from, to));
    // the button that was pressed has moved along, and may be the one that leads no further
    const isAtEnd = to === 0 || to === attributes.length - 1;
    const label = to < from === isAtEnd ? "down" : "up";
    requestAnimationFrame(() => {
      const buttons = table.current?.querySelectorAll<HTMLElement>(`[data-move="${label}"]`);
      buttons?.[to]?.focus();
    });
  };
  return (
    <section class="type-attributes" aria-label="Attributes">
      <div class="type-table-frame">
        <table ref={table} class="type-table">
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
            {attributes.map((attribute, index) => {
              const { key, name, original, definition } = attribute;
              const isFixed = isReadOnly || definition.configurable === false;
              return (
                <tr key={key}>
                  <th scope="row">
                    <code>{name}</code>
                    {original === undefined ? <span class="badge">new</span> : null}
                    {original !== undefined && original !== name ? <span class="badge">was {original}</span> : null}
                  </th>
                  <td>{attributeKinds[definition.type]?.label ?? definition.type}</td>
                  <td class="muted">{summaryOf(definition)}</td>
                  <td>
                    {isFixed ? null : (
                      <div class="type-row-actions">
                        <button
                          type="button"
                          class="button-icon"
                          data-move="up"
                          aria-label={`Move ${name} up`}
                          disabled={index === 0}
                          onClick={() => move(index, index - 1)}
                        >
                          <Icon name="up" />
                        </button>
                        <button
                          type="button"
                          class="button-icon"
                          data-move="down"
                          aria-label={`Move ${name} down`}
                          disabled={index === attributes.length - 1}
                          onClick={() => move(index, index + 1)}
                        >
                          <Icon name="down" />
                        </button>
                        <button
                          type="button"
                          class="button-icon"
                          aria-label={`Edit ${name}`}
                          aria-haspopup="dialog"
                          onClick={() => setOpened(attribute)}
                        >
                          <Icon name="edit" />
                        </button>
                        <button
                          type="button"
                          class="button-icon"
                          aria-label={`Remove ${name}`}
                          onClick={() => onChange(attributes.filter((item) => item.key !== key))}
                        >
                          <Icon name="trash" />
                        </button>
                      </div>
                    )}
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </div>
      {attributes.length === 0 ? <p class="empty">No attributes yet.</p> : null}
      {isReadOnly ? null : (
        <button type="button" class="button" aria-haspopup="dialog" onClick={() => setOpened("new")}>
          <Icon name="add" />
          Add an attribute
        </button>
      )}
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
