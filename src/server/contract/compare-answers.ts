/**
 * Compares how two servers answer a request, field by field. Ids, document ids, times of the system and names of uploaded files, which each
 * server makes for itself, need not be the same.
 */
import { isRecord } from "../../lib/is-record.ts";
import { printBoth } from "../../lib/print-difference.ts";
import { excerpt } from "../../lib/print-value.ts";
import { formatPath } from "../../transfer/content/paths.ts";

export interface Answer {
  readonly status: number;
  /** Undefined if it is not JSON. */
  readonly body: unknown;
}

/** `gone`: there only; `added`: here only; `null`: null here only. */
export type DifferenceKind = "status" | "gone" | "added" | "null" | "type" | "length" | "value";

export interface AnswerDifference {
  readonly kind: DifferenceKind;
  /** As in "data[].author.name"; empty: the answer as a whole. */
  readonly path: string;
  /** Shortened JSON of the first values that differ; missing: no value. */
  readonly here?: string;
  readonly there?: string;
  /** Number of places with this difference. */
  count: number;
}

/** Different ones in an answer; further ones are not told. */
const MAX_DIFFERENCES = 50;
const MAX_KEY = 100;

const TIMES: ReadonlySet<string> = new Set(["createdAt", "updatedAt", "publishedAt"]);
/** Of files, which each server stores and encodes in its own way. */
const STORED: ReadonlySet<string> = new Set(["size", "sizeInBytes", "provider", "provider_metadata"]);
const DOCUMENT_ID = /^[a-z0-9]{24}$/;
const DOCUMENT_IDS = /\b[a-z0-9]{24}\b/g;
/** The name of an uploaded file before the random part, and its extension. */
const UPLOAD = /([^/?]+)_[0-9a-f]{10}(\.\w+)?(?:\?.*)?$/;
const UPLOADS = /(?<=_)[0-9a-f]{10}(?=\.\w)/g;

const typeName = (value: unknown): string =>
  value === null ? "null" : Array.isArray(value) ? "list" : value === undefined ? "nothing" : typeof value;

const isTime = (value: unknown): boolean => typeof value === "string" && !Number.isNaN(Date.parse(value));

/** Which document ids of two servers are of the same document. */
export class SameDocuments {
  readonly #there = new Map<string, string>();
  readonly #here = new Map<string, string>();

  /** Undefined if one of them is of another document; otherwise, whether this is new. */
  pair(here: string, there: string): boolean | undefined {
    const [known, other] = [this.#there.get(here), this.#here.get(there)];
    if (known === undefined && other === undefined) {
      this.#there.set(here, there);
      this.#here.set(there, here);
      return true;
    }
    return known === there ? false : undefined;
  }

  forget(here: string): void {
    this.#here.delete(this.#there.get(here) ?? "");
    this.#there.delete(here);
  }

  /** A path or a body with the document ids of the other server. */
  translate(text: string): string {
    return text.replace(DOCUMENT_IDS, (id) => this.#there.get(id) ?? id);
  }
}

/** `origins`: of both servers, which texts may begin URLs with. `documents` learns from answers that are alike. */
export function compareAnswers(
  here: Answer,
  there: Answer,
  documents: SameDocuments,
  origins: readonly string[],
): AnswerDifference[] {
  const differences = new Map<string, AnswerDifference>();
  /** Document ids that were paired first. */
  const paired: string[] = [];

  function add(kind: DifferenceKind, path: string, here: unknown, there: unknown): void {
    const key = `${kind} ${path}`;
    const known = differences.get(key);
    if (known) known.count++;
    else if (differences.size < MAX_DIFFERENCES) {
      const [own, other] = printBoth(here, there);
      const values = { ...(own === undefined ? {} : { here: own }), ...(other === undefined ? {} : { there: other }) };
      differences.set(key, { kind, path, ...values, count: 1 });
    }
  }

  function compare(here: unknown, there: unknown, path: string, key: string): void {
    if (Array.isArray(here) && Array.isArray(there)) compareLists(here, there, path);
    else if (isRecord(here) && isRecord(there)) compareRecords(here, there, path);
    else if (!isSame(here, there, key)) {
      const [own, other] = [typeName(here), typeName(there)];
      const kind = own === other || other === "null" ? "value" : own === "null" ? "null" : "type";
      add(kind, path, here, there);
    }
  }

  function compareLists(here: readonly unknown[], there: readonly unknown[], path: string): void {
    if (here.length !== there.length) add("length", path, here.length, there.length);
    const both = Math.min(here.length, there.length);
    for (let index = 0; index < both; index++) compare(here[index], there[index], `${path}[]`, "");
  }

  function compareRecords(here: Record<string, unknown>, there: Record<string, unknown>, path: string): void {
    const isFile = "mime" in here && "mime" in there;
    for (const key of new Set([...Object.keys(here), ...Object.keys(there)])) {
      if (isFile && STORED.has(key)) continue;
      const inner = joinPath(path, key);
      if (!Object.hasOwn(there, key)) add("added", inner, here[key], undefined);
      else if (!Object.hasOwn(here, key)) add("gone", inner, undefined, there[key]);
      else compare(here[key], there[key], inner, key);
    }
  }

  function isSame(here: unknown, there: unknown, key: string): boolean {
    if (here === there) return true;
    if (key === "id") return typeof here === "number" && typeof there === "number";
    if (typeof here !== "string" || typeof there !== "string") return false;
    if (TIMES.has(key)) return isTime(here) && isTime(there);
    if (DOCUMENT_ID.test(here) && DOCUMENT_ID.test(there)) return isSameDocument(here, there);
    const [own, other] = [UPLOAD.exec(here), UPLOAD.exec(there)];
    if ((key === "url" || key === "hash") && own && other) return own[1] === other[1] && own[2] === other[2];
    return normalize(here) === normalize(there);
  }

  function isSameDocument(here: string, there: string): boolean {
    const isNew = documents.pair(here, there);
    if (isNew) paired.push(here);
    return isNew !== undefined;
  }

  /** Texts may have URLs of either server, and of its files. */
  const normalize = (text: string): string =>
    origins.reduce((rest, origin) => rest.replaceAll(origin, ""), text).replace(UPLOADS, "");

  if (here.status !== there.status) add("status", "", here.status, there.status);
  else if (here.body === undefined || there.body === undefined) {
    if (here.body !== there.body) add("type", "", here.body, there.body);
  } else compare(here.body, there.body, "", "");
  // those of lists in another order would be wrong
  if (differences.size > 0) for (const id of paired) documents.forget(id);
  return [...differences.values()];
}

function joinPath(path: string, key: string): string {
  const part = formatPath([excerpt(key, MAX_KEY)]);
  return path === "" || part.startsWith("[") ? path + part : `${path}.${part}`;
}

/** As in "data[].title: here "a", there "b" (3 places)". */
export function describeDifference({ kind, path, here, there, count }: AnswerDifference): string {
  const place = path || (kind === "status" ? "status" : "body");
  const values = `here ${here ?? "nothing"}, there ${there ?? "nothing"}`;
  return `${place}${kind === "length" ? ".length" : ""}: ${values}${count > 1 ? ` (${count} places)` : ""}`;
}
