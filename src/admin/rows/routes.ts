/** `POST /admin/api/rows`: creates documents of a type from rows of a table, or only reports what would be refused. */
import type { DocumentsContext } from "../../engine/documents/context.ts";
import { passwordsIn, withoutHashing } from "../../engine/documents/passwords.ts";
import type { Data } from "../../engine/documents/rows.ts";
import type { ContentType } from "../../engine/schema/model.ts";
import { problemsError } from "../../lib/errors.ts";
import { type Fields, listOf, maxItems, requiredFlag, requiredText, text } from "../body.ts";
import { type AdminRoute, ok, route } from "../call.ts";
import { type CollectionInput, readCollectionInput } from "../collection-input.ts";
import { checkLocale } from "../content-manager/input.ts";
import { freeUid } from "../content-manager/uid.ts";
import { Writes } from "../content-manager/writes.ts";
import { listProblems } from "../refusal.ts";
import { API_PATH } from "../session/session.ts";
import { CellProblem, readCell } from "./cells.ts";
import { createLinkReader } from "./targets.ts";

/** Rows per request. Other requests are handled between two of them. */
const MAX_ROWS = 100;
const MAX_COLUMNS = 200;

interface RowsInput extends CollectionInput {
  /** Names of attributes. */
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
  /** Nothing is written. */
  readonly isTrial: boolean;
}

interface RowProblem {
  /** Undefined: the problem is not about one attribute. */
  readonly column: string | undefined;
  readonly message: string;
}

interface RefusedRow {
  readonly row: number;
  readonly problems: readonly RowProblem[];
}

const fields: Fields = {
  columns: listOf(requiredText, { required: true, tests: [maxItems(MAX_COLUMNS)] }),
  rows: listOf(listOf(text, { required: true, tests: [maxItems(MAX_COLUMNS)] }), {
    required: true,
    tests: [maxItems(MAX_ROWS)],
  }),
  isTrial: requiredFlag,
};

function readInput({ model }: DocumentsContext, body: unknown): RowsInput & { readonly type: ContentType } {
  const input = readCollectionInput<RowsInput>(model, fields, body);
  if (new Set(input.columns).size < input.columns.length)
    throw problemsError([{ path: "columns", message: "columns must not name an attribute twice" }]);
  return input;
}

type Reader = (text: string) => unknown;

/** The parser for the cells of a column. Throws a ValidationError for an attribute that cells cannot set. */
function createReader(
  context: DocumentsContext,
  { type, columns, rows, locale }: ReturnType<typeof readInput>,
  index: number,
): Reader {
  const name = columns[index]!;
  const attribute = type.attributes.get(name);
  if (attribute && !attribute.system && attribute.writable) {
    if (attribute.kind === "scalar") return (text) => readCell(text, attribute);
    const isLinked =
      attribute.kind === "media" || (attribute.kind === "relation" && attribute.target && !attribute.virtual);
    if (isLinked) {
      const cells = rows.map((row) => row[index] ?? "");
      return createLinkReader(context, attribute, cells, locale);
    }
  }
  throw problemsError([{ path: "columns", message: `${name} is not filled from cells` }]);
}

/** The problems of a refusal by column. Throws any other error. */
const refusedRow = (row: number, error: unknown): RefusedRow => ({
  row,
  problems: listProblems(error).map(({ path = [], message }) => {
    const [name] = [path].flat();
    return { column: name === undefined ? undefined : String(name).split(/[.[]/)[0], message };
  }),
});

function readRow(columns: readonly string[], readers: readonly Reader[], row: readonly string[]) {
  const data: Record<string, unknown> = {};
  const problems: RowProblem[] = [];
  readers.forEach((read, index) => {
    try {
      const value = read(row[index] ?? "");
      if (value !== undefined) data[columns[index]!] = value;
    } catch (error) {
      if (!(error instanceof CellProblem)) throw error;
      problems.push({ column: columns[index], message: error.message });
    }
  });
  return { data, problems };
}

/** Generates missing uids from their target fields. */
function withUids(context: DocumentsContext, type: ContentType, data: Data, locale: string | undefined): Data {
  const generated: Record<string, unknown> = {};
  for (const attribute of type.attributes.values()) {
    if (attribute.kind !== "scalar" || attribute.definition.type !== "uid" || attribute.name in data) continue;
    if (typeof data[String(attribute.definition.targetField)] === "string")
      generated[attribute.name] = freeUid(context, type, attribute, data, locale);
  }
  return { ...generated, ...data };
}

type Input = ReturnType<typeof readInput>;

const byRow = (refused: readonly RefusedRow[]): RefusedRow[] => refused.toSorted((left, right) => left.row - right.row);

const chooseStatus = ({ publish, type }: Input) => (publish && type.draftAndPublish ? "published" : undefined);

function* readValid(context: DocumentsContext, input: Input, refused: RefusedRow[]) {
  const { columns, rows } = input;
  const readers = columns.map((_, index) => createReader(context, input, index));
  const read = rows.map((row) => readRow(columns, readers, row));
  for (const [row, { data, problems }] of read.entries()) {
    if (problems.length > 0) refused.push({ row, problems });
    else yield { row, data };
  }
}

async function rehearse(context: DocumentsContext, input: Input) {
  const { type, locale } = input;
  const refused: RefusedRow[] = [];
  const documents: Data[] = [];
  const service = context.documents(type);
  const params = { fields: ["documentId"], locale: type.localized ? locale : undefined, status: chooseStatus(input) };
  await context.storage.rehearse(() => {
    for (const { row, data } of readValid(context, input, refused)) {
      const whole = withUids(context, type, data, locale);
      const unhashed = withoutHashing(passwordsIn(context.model, type, whole));
      try {
        service.createSync({ ...params, data: whole }, unhashed);
        documents.push(whole);
      } catch (error) {
        refused.push(refusedRow(row, error));
      }
    }
  });
  return { refused: byRow(refused), documents };
}

/** The documents that rows would become, which nothing has written yet. `body`: as of the route. */
export async function rehearseRows(context: DocumentsContext, body: unknown) {
  const input = readInput(context, body);
  checkLocale(context, input.type, { locale: input.locale });
  return rehearse(context, input);
}

async function writeRows(context: DocumentsContext, body: unknown): Promise<object> {
  const input = readInput(context, body);
  const { type, rows, locale } = input;
  checkLocale(context, type, { locale });
  if (input.isTrial) {
    const { refused, documents } = await rehearse(context, input);
    return { made: documents.length, refused };
  }
  const refused: RefusedRow[] = [];
  const writes = new Writes(context, type);
  for (const { row, data } of readValid(context, input, refused)) {
    try {
      await writes.create({ ...withUids(context, type, data, locale), locale }, chooseStatus(input));
    } catch (error) {
      refused.push(refusedRow(row, error));
    }
  }
  return { made: rows.length - refused.length, refused: byRow(refused) };
}

export const rowsRoutes = (context: DocumentsContext): AdminRoute[] => [
  route("POST", `${API_PATH}/rows`, async ({ body }) => ok({ data: await writeRows(context, await body()) })),
];
