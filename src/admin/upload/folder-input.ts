/** Validates requests about folders, with the reference's messages. */
import { type ApiError, type Problem, problemsError } from "../../errors.ts";
import { type Folders, isBelow } from "../../media/folders.ts";
import { rowId } from "../../media/row-id.ts";
import { checkShape, type Shape } from "../../shape.ts";

type Given = Readonly<Record<string, unknown>>;

const matches =
  (pattern: RegExp, message: string) =>
  (value: string): string | undefined =>
    pattern.test(value) ? undefined : message;

const name: Shape = {
  type: "string",
  strict: true,
  tests: [
    (value: string, path) => (value.length < 1 ? `${path} must be at least 1 characters` : undefined),
    matches(/^[^/]+$/, "name cannot contain slashes"),
    matches(/^(?! ).+(?<! )$/, "name cannot start or end with a whitespace"),
  ],
};
const parent: Shape = { type: "strapiID", strict: true, nullable: true };

const NAME_TAKEN = "A folder with this name already exists";
const INSIDE_ITSELF = "folder cannot be moved inside itself";

export interface FolderInput {
  /** Undefined: it stays. */
  readonly name: string | undefined;
  /** Undefined: it stays; null: the root. */
  readonly parent: number | null | undefined;
}

/** The id of a folder; undefined for an invalid one. */
const idOf = (value: unknown): number | null | undefined => (value === null ? null : rowId(value));

/** `id`: the folder to change; undefined for a new one. Throws a ValidationError with all problems. */
export function readFolder(folders: Folders, given: Given, id?: number): FolderInput {
  const before = id === undefined ? undefined : folders.find(id);
  const problems: Problem[] = [];
  const fields = { name: { ...name, required: id === undefined }, parent };
  checkShape({ type: "object", strict: true, exact: true, fields }, given, "", problems);
  const about = (path: string) => problems.some((problem) => problem.path === path);
  const to = given.parent === undefined ? undefined : idOf(given.parent);
  const target = typeof to === "number" ? folders.find(to) : undefined;
  const known = given.name ?? before?.name;
  if (typeof known === "string" && !about("name")) {
    // as in the reference: without a parent in the request, the name must be free in the root
    const taken = folders.childrenOf(to ?? null).some((folder) => folder.name === known && folder.id !== id);
    if (taken) problems.push({ path: "name", message: NAME_TAKEN, value: given.name });
  }
  const isGiven = given.parent !== undefined && given.parent !== null;
  if (isGiven && !about("parent")) {
    if (!target) problems.push({ path: "parent", message: "parent folder does not exist", value: given.parent });
    else if (before && isBelow(target.path, before.path))
      problems.push({ path: "parent", message: INSIDE_ITSELF, value: given.parent });
  }
  if (problems.length > 0) throw problemsError(problems);
  return { name: given.name as string | undefined, parent: to };
}

const ids: Shape = {
  type: "array",
  strict: true,
  item: () => ({ type: "strapiID", strict: true, required: true }),
};
const many = { fileIds: ids, folderIds: ids };

export interface ManyInput {
  readonly fileIds: readonly number[];
  readonly folderIds: readonly number[];
}

const numbersOf = (list: unknown): number[] =>
  Array.isArray(list) ? [...new Set(list.map(rowId).filter((id) => id !== undefined))] : [];

const manyOf = (given: Given): ManyInput => ({
  fileIds: numbersOf(given.fileIds),
  folderIds: numbersOf(given.folderIds),
});

/** Throws a ValidationError. */
export function readMany(given: Given): ManyInput {
  const problems: Problem[] = [];
  checkShape({ type: "object", strict: true, exact: true, fields: many }, given, "", problems);
  if (problems.length > 0) throw problemsError(problems);
  return manyOf(given);
}

const refused = (message: string, value: Given): ApiError => problemsError([{ path: "", message, value }]);

/** Throws a ValidationError for an invalid body, then for taken names, then for folders moved into themselves. */
export function readMove(
  folders: Folders,
  given: Given,
): ManyInput & { readonly destination: number | null; readonly path: string } {
  const problems: Problem[] = [];
  const { destinationFolderId: to } = given;
  if (to === undefined) problems.push({ path: "destinationFolderId", message: "destinationFolderId must be defined" });
  checkShape(
    { type: "object", strict: true, exact: true, fields: { destinationFolderId: parent, ...many } },
    given,
    "",
    problems,
  );
  const destination = idOf(to);
  const target = typeof destination === "number" ? folders.find(destination) : undefined;
  if (to !== null && !target && problems.every(({ path }) => path !== "destinationFolderId"))
    problems.unshift({ path: "destinationFolderId", message: "destination folder does not exist", value: to });
  if (problems.length > 0) throw problemsError(problems);
  const input = manyOf(given);
  const moved = folders.list(input.folderIds);
  const there = new Set(folders.childrenOf(destination ?? null).map((folder) => folder.name));
  const taken = [...new Set(moved.map((folder) => folder.name))].filter((item) => there.has(item));
  if (taken.length > 0) throw refused(`some folders already exists: ${taken.join(", ")}`, given);
  const inside = target ? moved.filter(({ path }) => isBelow(target.path, path)) : [];
  if (inside.length > 0) {
    const names = inside.map((folder) => folder.name).join(", ");
    throw refused(`folders cannot be moved inside themselves or one of its children: ${names}`, given);
  }
  return { ...input, destination: destination ?? null, path: target?.path ?? "/" };
}
