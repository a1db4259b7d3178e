/** A row of a list's table; its document may not have come yet. */
import { Fragment } from "preact";
import type { Attribute, ContentType } from "../model.ts";
import { findCell, isNumeric, isText, Thumbnail } from "./cells.tsx";
import type { Row } from "./rows.ts";
import type { Selection } from "./selection.ts";
import { StatusBadge } from "./status-badge.tsx";

export interface TableRowProps {
  readonly type: ContentType;
  readonly selection: Selection;
  readonly createHref: (row: Row) => string;
  readonly index: number;
  readonly row: Row | undefined;
  readonly isActive: boolean;
  readonly onFocus: (index: number) => void;
  readonly onToggle: (index: number, isRange: boolean) => void;
  readonly columns: readonly string[];
  /** The attribute whose image is beside the name. */
  readonly thumbnail: string | undefined;
  readonly withStatus: boolean;
}

function cellClass(name: string, attribute: Attribute): string | undefined {
  if (name === "updatedAt") return "cell-when";
  return isNumeric(name, attribute) ? "cell-number" : undefined;
}

/** A click anywhere in a row follows its link, with the keys that open another tab; not one that selects text, or on a control. */
function followRowLink(event: MouseEvent & { readonly currentTarget: HTMLElement }): void {
  const isOnControl = (event.target as Element).closest("a, label, button, input") !== null;
  if (isOnControl || !window.getSelection()?.isCollapsed) return;
  const { ctrlKey, metaKey, shiftKey } = event;
  const click = new MouseEvent("click", { bubbles: true, cancelable: true, ctrlKey, metaKey, shiftKey });
  event.currentTarget.querySelector(".row-link")?.dispatchEvent(click);
}

export function TableRow({
  index,
  row,
  isActive,
  onFocus,
  onToggle,
  type,
  columns,
  thumbnail,
  withStatus,
  selection,
  createHref,
}: TableRowProps) {
  const position = { "aria-rowindex": index + 2, tabIndex: isActive ? 0 : -1, onFocusIn: () => onFocus(index) };
  if (!row)
    return (
      <tr {...position} class="row-loading" aria-busy="true">
        <td colSpan={columns.length + 1 + (withStatus ? 1 : 0)} />
      </tr>
    );
  const isSelected = selection.has(row.documentId);
  const formatName = (name: string): string => String(row[name] ?? row.documentId);
  return (
    // keys are the table's
    <tr {...position} aria-selected={isSelected} onClick={followRowLink}>
      <td>
        <label class="check">
          <input
            type="checkbox"
            tabIndex={-1}
            aria-label={`Select ${formatName(columns[0]!)}`}
            checked={isSelected}
            onClick={({ shiftKey }) => onToggle(index, shiftKey)}
          />
        </label>
      </td>
      {columns.map((name, position) => {
        const value = row[name];
        const attribute = type.attributes[name]!;
        const direction = isText(name, attribute) ? "auto" : undefined;
        const isEmpty = value === null || value === undefined;
        const shown = isEmpty ? <span class="muted">–</span> : findCell(name, attribute).show(value, attribute, row);
        if (position > 0)
          return (
            <td key={name} class={cellClass(name, attribute)} dir={direction}>
              {shown}
            </td>
          );
        return (
          <Fragment key={name}>
            <td class="cell-name">
              {thumbnail ? <Thumbnail value={row[thumbnail]} /> : null}
              <a class="row-link" href={createHref(row)} tabIndex={-1} dir={direction}>
                {String(value ?? "").trim() === "" ? <span class="muted">Without a name</span> : shown}
              </a>
            </td>
            {withStatus ? (
              <td class="cell-status">
                <StatusBadge status={row.status} />
              </td>
            ) : null}
          </Fragment>
        );
      })}
    </tr>
  );
}
