/** Reads `fileInfo`, the metadata that clients send with files, in all its forms, with Strapi's messages. */
import { tryParseJson } from "../../lib/coerce.ts";
import { MAX_DEPTH, nestsDeeper } from "../../lib/depth.ts";
import { type Problem, problemsError } from "../../lib/errors.ts";
import { isRecord } from "../../lib/is-record.ts";
import { typeMessage } from "../../lib/print-value.ts";
import { checkShape, type Shape } from "../../lib/shape.ts";
import { rowId } from "./row-id.ts";

export interface FileInfo {
  readonly name?: string | null;
  readonly alternativeText?: string | null;
  readonly caption?: string | null;
  readonly focalPoint?: Readonly<Record<string, unknown>> | null;
  /** The id of an existing folder; null: the root. Only the admin can set it. */
  readonly folder?: number | null;
}

const text: Shape = { type: "string", nullable: true };
const folderId: Shape = { type: "strapiID", nullable: true };

/** Whether a folder exists. Undefined: folders are ignored, since only the admin can set them. */
export type FolderExists = (id: number) => boolean;

const inRange = (value: number, path: string): string | undefined => {
  if (value < 0) return `${path} must be greater than or equal to 0`;
  return value > 100 ? `${path} must be less than or equal to 100` : undefined;
};
const percentage: Shape = { type: "number", required: true, tests: [inRange] };

/** Returns `fallback` for invalid JSON, and for JSON that is nested too deep. */
function parse(text: string, fallback: unknown): unknown {
  const value = nestsDeeper(text, MAX_DEPTH) ? undefined : tryParseJson(text);
  return value === undefined ? fallback : value;
}

/** An object, or JSON of one; null for other values. */
const asObject = (value: unknown): Record<string, unknown> | null => {
  const parsed = typeof value === "string" ? parse(value, null) : value;
  return isRecord(parsed) ? parsed : null;
};

function readAxis(value: unknown, path: string, problems: Problem[]): unknown {
  if (typeof value !== "object" && typeof value !== "boolean") return checkShape(percentage, value, path, problems);
  problems.push({ path, message: typeMessage(path, "number", Number.NaN, value), value: Number.NaN });
  return undefined;
}

function readFocalPoint(value: unknown, path: string, problems: Problem[]): FileInfo["focalPoint"] {
  const point = asObject(value);
  if (!point) return null;
  return {
    ...point,
    x: readAxis(point.x, `${path}.x`, problems),
    y: readAxis(point.y, `${path}.y`, problems),
  };
}

/** Undefined: no folder is set. */
function readFolder(value: unknown, path: string, exists: FolderExists, problems: Problem[]): FileInfo["folder"] {
  const problemsBefore = problems.length;
  const input = checkShape(folderId, value, path, problems);
  if (input === undefined || input === null || problems.length > problemsBefore)
    return input === null ? null : undefined;
  const id = rowId(input);
  if (id !== undefined && exists(id)) return id;
  problems.push({ path, message: "the folder does not exist", value });
  return undefined;
}

function readObject(value: unknown, path: string, problems: Problem[], exists?: FolderExists): FileInfo {
  if (value === undefined) return {};
  const info = asObject(value);
  if (!info) {
    problems.push({ path, message: typeMessage(path, "object", null, value), value: null });
    return {};
  }
  const readText = (name: string) => checkShape(text, info[name], `${path}.${name}`, problems) as FileInfo["name"];
  return {
    name: readText("name"),
    alternativeText: readText("alternativeText"),
    caption: readText("caption"),
    focalPoint:
      info.focalPoint === undefined ? undefined : readFocalPoint(info.focalPoint, `${path}.focalPoint`, problems),
    ...(exists ? { folder: readFolder(info.folder, `${path}.folder`, exists, problems) } : {}),
  };
}

/** The metadata for the first `count` files; further entries are ignored. */
function readArray(
  value: unknown,
  path: string,
  count: number,
  problems: Problem[],
  exists?: FolderExists,
): FileInfo[] {
  const list = typeof value === "string" ? parse(value, null) : value;
  if (Array.isArray(list))
    return list.slice(0, count).map((item, index) => readObject(item, `${path}[${index}]`, problems, exists));
  problems.push({ path, message: typeMessage(path, "array", null, value), value: null });
  return [];
}

function collectProblems<T>(read: (problems: Problem[]) => T): T {
  const problems: Problem[] = [];
  const result = read(problems);
  if (problems.length > 0) throw problemsError(problems);
  return result;
}

/** The metadata for one file. `path`: its place in the body. Throws a ValidationError. */
export const readFileInfo = (value: unknown, exists?: FolderExists, path = "fileInfo"): FileInfo =>
  collectProblems((problems) => readObject(value, path, problems, exists));

/** The metadata in the body of an update without files; an empty body changes nothing. Throws a ValidationError. */
export function readBodyInfo(body: unknown, exists?: FolderExists): FileInfo {
  if (body === undefined || isRecord(body)) return readFileInfo(body?.fileInfo, exists);
  throw problemsError([{ path: "", message: typeMessage("this", "object", null, body), value: null }]);
}

/** Parses JSON strings of forms, in the order of Strapi; other strings are returned unchanged. */
function unwrap(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => (typeof item === "string" ? unwrap(item) : item));
  return typeof value === "string" && value !== "" ? parse(value, value) : value;
}

/**
 * The metadata for the files of a form: an object for one file, a list for several. `accepted`: for each file, whether it was
 * accepted; the metadata of others is dropped. Throws a ValidationError.
 */
export function readFileInfos(value: unknown, accepted: readonly boolean[], exists?: FolderExists): FileInfo[] {
  const parsed = unwrap(value);
  const list = Array.isArray(parsed) ? parsed.filter((_, index) => accepted[index] !== false) : undefined;
  // a list with one entry is the entry
  const infos = list ? (list.length === 1 ? list[0] : list) : parsed;
  const count = accepted.filter(Boolean).length;
  if (count === 1) return [readFileInfo(infos, exists)];
  return infos === undefined
    ? []
    : collectProblems((problems) => readArray(infos, "fileInfo", count, problems, exists));
}
