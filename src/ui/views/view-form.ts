/** The configuration of a view as a form: from the server's answer, and back. */
interface Metadata {
  readonly edit: Readonly<Record<string, unknown>>;
  readonly list: Readonly<Record<string, unknown>>;
}

interface Cell {
  readonly name: string;
  readonly size: number;
}

export interface Configuration {
  readonly settings: Readonly<Record<string, unknown>>;
  readonly metadatas: Readonly<Record<string, Metadata>>;
  readonly layouts: { readonly list: readonly string[]; readonly edit: readonly (readonly Cell[])[] };
}

export interface FieldView {
  readonly name: string;
  /** Empty: made from the name. */
  readonly label: string;
  readonly hint: string;
  /** Of twelve columns. */
  readonly size: number;
  readonly isShown: boolean;
}

export interface ViewForm {
  readonly mainField: string;
  readonly fields: readonly FieldView[];
}

const COLUMNS = 12;

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

/**
 * `names`: the attributes that a form can show. `isArranged`: whether the layout is shown; otherwise each field has a row of its own,
 * in the order of the attributes.
 */
export function readView(
  { settings, metadatas, layouts }: Configuration,
  names: readonly string[],
  isArranged: boolean,
): ViewForm {
  const cells = isArranged
    ? layouts.edit.flat().filter(({ name }) => names.includes(name))
    : names.map((name) => ({ name, size: COLUMNS }));
  const placed = new Set(cells.map(({ name }) => name));
  const hidden = names.filter((name) => !placed.has(name)).map((name) => ({ name, size: COLUMNS }));
  const toField = ({ name, size }: Cell): FieldView => {
    const { label, description } = metadatas[name]?.edit ?? {};
    return {
      name,
      label: label === name ? "" : textOf(label),
      hint: textOf(description),
      size,
      isShown: placed.has(name),
    };
  };
  return { mainField: String(settings.mainField), fields: [...cells, ...hidden].map(toField) };
}

/** Cells in rows of at most twelve columns. */
function toRows(cells: readonly Cell[]): Cell[][] {
  const rows: Cell[][] = [];
  let used = COLUMNS;
  for (const cell of cells) {
    if (used + cell.size > COLUMNS) {
      rows.push([]);
      used = 0;
    }
    rows.at(-1)!.push(cell);
    used += cell.size;
  }
  return rows;
}

const listCells = ({ fields }: ViewForm): Cell[] =>
  fields.filter(({ isShown }) => isShown).map(({ name, size }) => ({ name, size }));

/** The body of the request that stores it. `before`: what was read. */
export function writeView(
  { settings, metadatas, layouts }: Configuration,
  form: ViewForm,
  before: ViewForm,
): Configuration {
  const views = new Map(form.fields.map((field) => [field.name, field]));
  const own = Object.entries(metadatas).filter(([name]) => name !== "documentId");
  const metadata = ([name, { edit, list }]: [string, Metadata]): [string, Metadata] => {
    const { mainField: _, ...listed } = list;
    const view = views.get(name);
    const changed = view ? { ...edit, label: view.label.trim() || name, description: view.hint.trim() } : edit;
    return [name, { edit: changed, list: listed }];
  };
  const cells = listCells(form);
  const isArranged = JSON.stringify(cells) !== JSON.stringify(listCells(before));
  return {
    settings: { ...settings, mainField: form.mainField },
    metadatas: Object.fromEntries(own.map(metadata)),
    layouts: isArranged ? { list: layouts.list, edit: toRows(cells) } : layouts,
  };
}

export const changeField = (form: ViewForm, name: string, change: Partial<FieldView>): ViewForm => ({
  ...form,
  fields: form.fields.map((field) => (field.name === name ? { ...field, ...change } : field)),
});
