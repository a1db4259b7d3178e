/** The pasted rows, with the attribute of each column and validation errors. */
import { type ContentType, formatLabel } from "../../model.ts";
import { Select } from "../../widgets/select.tsx";
import type { RefusedRow } from "./paste-requests.ts";
import { cellAttributes, type PastedTable } from "./pasted-table.ts";

/** Rows that are shown; what is wrong with others is listed. */
const SHOWN = 30;
const SHOWN_PROBLEMS = 20;

interface PastePreviewProps {
  readonly type: ContentType;
  readonly table: PastedTable;
  readonly columns: readonly (string | undefined)[];
  readonly onColumns: (columns: readonly (string | undefined)[]) => void;
  readonly refused: readonly RefusedRow[];
}

/** As spreadsheets number them: the first row has the names. */
const rowNumber = (row: number): number => row + 2;

function findClass(name: string | undefined, problems: RefusedRow["problems"] | undefined): string | undefined {
  if (name === undefined) return "muted";
  return problems?.some(({ column }) => column === name) ? "paste-wrong" : undefined;
}

export function PastePreview({ type, table, columns, onColumns, refused }: PastePreviewProps) {
  const names = cellAttributes(type);
  const problems = new Map(refused.map((item) => [item.row, item.problems]));
  const messages = refused.flatMap(({ row, problems: own }) =>
    own.map(({ column, message }) => `Row ${rowNumber(row)}${column ? `, ${formatLabel(column)}` : ""}: ${message}`),
  );
  const titles = table.header.map((title, at) => ({ at, title, key: `${at} ${title}` }));
  const shown = table.rows
    .slice(0, SHOWN)
    .map((row, index) => ({ row, number: rowNumber(index), own: problems.get(index) }));
  const choose = (at: number, name: string): void =>
    onColumns(columns.map((own, index) => (index === at ? name || undefined : own === name ? undefined : own)));
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls is reached with keys */}
      <section class="paste-table" tabIndex={0} aria-label="Pasted rows">
        <table>
          <thead>
            <tr>
              <th scope="col">Row</th>
              {titles.map(({ key, at, title }) => (
                <th key={key} scope="col">
                  <span class="paste-title">{title || "–"}</span>
                  <Select
                    class="input input-small"
                    label={`Attribute for ${title || `column ${at + 1}`}`}
                    value={columns[at] ?? ""}
                    options={[["", "Leave out"], ...names.map((name) => [name, formatLabel(name)] as const)]}
                    onChoose={(name) => choose(at, name)}
                  />
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ row, number, own }) => (
              <tr key={number} class={own ? "paste-refused" : undefined}>
                <th scope="row">{number}</th>
                {titles.map(({ key, at }) => (
                  <td key={key} class={findClass(columns[at], own)}>
                    {row[at] ?? ""}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
      {table.rows.length > SHOWN ? (
        <p class="hint">And {(table.rows.length - SHOWN).toLocaleString()} more rows.</p>
      ) : null}
      {messages.length > 0 ? (
        <ul class="problem-list">
          {messages.slice(0, SHOWN_PROBLEMS).map((message) => (
            <li key={message}>{message}</li>
          ))}
          {messages.length > SHOWN_PROBLEMS ? (
            <li>And {(messages.length - SHOWN_PROBLEMS).toLocaleString()} more.</li>
          ) : null}
        </ul>
      ) : null}
    </>
  );
}
