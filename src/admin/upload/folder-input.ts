/** Validates requests about folders, with Strapi's messages. */

import { type Folders, isBelow } from "../../engine/media/folders.ts";
import { rowId } from "../../engine/media/row-id.ts";
import { ApiError, type Problem, problemsError } from "../../lib/errors.ts";
import { checkBody, checkShape, notEmpty, type Shape } from "../../lib/shape.ts";
import { exactly, ids, text } from "../body.ts";
import type { Body } from "../call.ts";

const matches =
  (pattern: RegExp, message: string) =>
  (value: string): string | undefined =>
    pattern.test(value) ? undefined : message;

const name: Shape = {
  ...text,
  tests: [
    notEmpty,
    matches(/^[^/]+$/, "name cannot contain slashes"),
    matches(/^(?! ).+(?<! )$/, "name cannot start or end with a whitespace"),
  ],
};
const parent: Shape = { type: "strapiID", strict: true, nullable: true };

const NAME_TAKEN = "A folder with this name already exists";
const INSIDE_ITSELF = "folder cannot be moved inside itself";

export interface FolderInput {
  /** Undefined: unchanged. */
  readonly name: string | undefined;
  /** Undefined: unchanged; null: the root. */
  readonly parent: number | null | undefined;
}

/** The id of a folder; undefined for an invalid one. */
const parseId = (value: unknown): number | null | undefined => (value === null ? null : rowId(value));

/** `id`: the folder to change; undefined for a new one. Throws a ValidationError with all problems. */
export function readFolder(folders: Folders, input: Body, id?: number): FolderInput {
  const before = id === undefined ? undefined : folders.find(id);
  const problems: Problem[] = [];
  const fields = { name: { ...name, required: id === undefined }, parent };
  checkShape(exactly(fields), input, "", problems);
  const unknownKeys = problems.filter(({ path }) => path === "");
  const hasProblem = (path: string) => problems.some((problem) => problem.path === path);
  const parentId = input.parent === undefined ? undefined : parseId(input.parent);
  const target = typeof parentId === "number" ? folders.find(parentId) : undefined;
  const finalName = input.name ?? before?.name;
  if (typeof finalName === "string" && !hasProblem("name")) {
    // as in Strapi: without a parent in the request, the name must be free in the root
    const isUnknownParent = parentId === undefined && input.parent !== undefined && input.parent !== "";
    const siblings = isUnknownParent ? [] : folders.listChildren(parentId ?? null);
    const taken = siblings.some((folder) => folder.name === finalName && folder.id !== id);
    if (taken) problems.push({ path: "name", message: NAME_TAKEN, value: input.name });
  }
  const hasParent = input.parent !== undefined && input.parent !== null;
  if (hasParent && !hasProblem("parent")) {
    if (!target) problems.push({ path: "parent", message: "parent folder does not exist", value: input.parent });
    else if (before && isBelow(target.path, before.path))
      problems.push({ path: "parent", message: INSIDE_ITSELF, value: input.parent });
  }
  if (problems.length > 0) {
    const ofFields = problems.filter((problem) => !unknownKeys.includes(problem));
    throw problemsError([...ofFields, ...unknownKeys]);
  }
  return { name: input.name as string | undefined, parent: parentId };
}

const many = { fileIds: ids, folderIds: ids };
/** Files and folders in a request. */
const MAX_SELECTED = 1000;

export interface Selection {
  readonly fileIds: readonly number[];
  readonly folderIds: readonly number[];
}

const parseIds = (list: unknown): number[] =>
  Array.isArray(list) ? [...new Set(list.map(rowId).filter((id) => id !== undefined))] : [];

function parseSelection(input: Body): Selection {
  const fileIds = parseIds(input.fileIds);
  const folderIds = parseIds(input.folderIds);
  if (fileIds.length + folderIds.length > MAX_SELECTED)
    throw new ApiError("ValidationError", `At most ${MAX_SELECTED} files and folders can be selected at once`);
  return { fileIds, folderIds };
}

/** Throws a ValidationError. */
export function readSelection(input: Body): Selection {
  checkBody(exactly(many), input);
  return parseSelection(input);
}

const refused = (message: string, value: Body): ApiError => problemsError([{ path: "", message, value }]);

/** Throws a ValidationError for an invalid body, then for taken names, then for folders moved into themselves. */
export function readMove(
  folders: Folders,
  input: Body,
): Selection & { readonly destination: number | null; readonly path: string } {
  const problems: Problem[] = [];
  const { destinationFolderId: destinationId } = input;
  if (destinationId === undefined)
    problems.push({ path: "destinationFolderId", message: "destinationFolderId must be defined" });
  checkShape(exactly({ destinationFolderId: parent, ...many }), input, "", problems);
  const destination = parseId(destinationId);
  const target = typeof destination === "number" ? folders.find(destination) : undefined;
  if (destinationId !== null && !target && problems.every(({ path }) => path !== "destinationFolderId"))
    problems.unshift({
      path: "destinationFolderId",
      message: "destination folder does not exist",
      value: destinationId,
    });
  if (problems.length > 0) throw problemsError(problems);
  const selection = parseSelection(input);
  const moved = folders.list(selection.folderIds);
  const existingNames = new Set(folders.listChildren(destination ?? null).map((folder) => folder.name));
  const taken = [...new Set(moved.map((folder) => folder.name))].filter((item) => existingNames.has(item));
  if (taken.length > 0) throw refused(`some folders already exists: ${taken.join(", ")}`, input);
  const inside = target ? moved.filter(({ path }) => isBelow(target.path, path)) : [];
  if (inside.length > 0) {
    const names = inside.map((folder) => folder.name).join(", ");
    throw refused(`folders cannot be moved inside themselves or one of its children: ${names}`, input);
  }
  return { ...selection, destination: destination ?? null, path: target?.path ?? "/" };
}
