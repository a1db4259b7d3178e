/** How an answer is held against Strapi's: status, content type, named headers, and the body value by value. */
import type { Answer, Json } from "./scenario.ts";

export interface Difference {
  readonly at: string;
  readonly expected: Json | undefined;
  readonly got: Json | undefined;
}

/** The record of a PNG file, or of a copy of one. */
const isPng = ({ ext, mime, url, name }: { readonly [key: string]: Json }): boolean =>
  [ext, mime, url, name].some((value) => typeof value === "string" && /png(<source map|$)/.test(value));

/** How many bytes a re-encoded PNG has depends on the encoder: any positive number counts. */
const isEncodedSize = (key: string, expected: Json | undefined, got: Json | undefined): boolean =>
  (key === "size" || key === "sizeInBytes") && typeof expected === "number" && typeof got === "number" && got > 0;

/** Every place where two normalised values differ; key order does not count, array order does. */
export function compareValues(expected: Json | undefined, got: Json | undefined, at = "body"): Difference[] {
  if (Array.isArray(expected) && Array.isArray(got)) {
    if (expected.length !== got.length) return [{ at: `${at}.length`, expected: expected.length, got: got.length }];
    return expected.flatMap((value, index) => compareValues(value, got[index], `${at}[${index}]`));
  }
  const objects = expected && got && typeof expected === "object" && typeof got === "object";
  if (objects && !Array.isArray(expected) && !Array.isArray(got)) {
    const keys = new Set([...Object.keys(expected), ...Object.keys(got)]);
    const png = isPng(expected);
    return [...keys].flatMap((key) =>
      png && isEncodedSize(key, expected[key], got[key]) ? [] : compareValues(expected[key], got[key], `${at}.${key}`),
    );
  }
  return expected === got ? [] : [{ at, expected, got }];
}

/** Headers that may be sent where Strapi sends none: caching and compression only help clients. */
const MAY_ADD = new Set(["etag", "last-modified", "cache-control", "content-encoding", "x-response-time"]);

const bare = (type = ""): string => type.replace(/;.*$/, "").trim();

function compareHeaders(expected: Answer["headers"], got: Answer["headers"]): Difference[] {
  return Object.entries(expected).flatMap(([name, value]) => {
    const other = got[name];
    if (value === "<absent>" && MAY_ADD.has(name)) return [];
    const same = name === "content-type" ? bare(value) === bare(other) : value === other;
    return same ? [] : [{ at: `header ${name}`, expected: value, got: other }];
  });
}

/** Every difference of two answers, also where Strapi failed. */
export function compareExactly(expected: Answer, got: Answer): Difference[] {
  const status = expected.status === got.status ? [] : [{ at: "status", expected: expected.status, got: got.status }];
  return [...status, ...compareHeaders(expected.headers, got.headers), ...compareValues(expected.body, got.body)];
}

/** Where Strapi failed with a 500 it is not imitated: any refusal with an error message counts. */
export function compareAnswers(expected: Answer, got: Answer): Difference[] {
  const message = (got.body as { error?: { message?: unknown } } | null)?.error?.message;
  if (expected.status === 500 && got.status >= 400 && got.status < 500 && typeof message === "string") return [];
  return compareExactly(expected, got);
}
