/** Parses query strings and form bodies in bracket syntax, with qs, which clients encode them with. */
import type { parse as Parse } from "qs";
import { defaultLimits } from "../../budget.ts";
import { validationError } from "../../errors.ts";
import { MAX_LIST } from "../../query/filters.ts";
import type { Params } from "../../query/parse.ts";

const MAX_DEPTH = 20;

let parse: typeof Parse | undefined;

/** Query strings without brackets, escapes or other special characters. */
const FLAT = /^[\w\-:,*]+=[\w\-:,*]*(&[\w\-:,*]+=[\w\-:,*]*)*$/;
const MAX_FLAT = 500;

/** The fast path for simple query strings; undefined for others, and for repeated keys. */
function parseFlat(text: string): Params | undefined {
  if (text.length > MAX_FLAT || !FLAT.test(text)) return undefined;
  const params: Record<string, unknown> = {};
  for (const part of text.split("&")) {
    const equals = part.indexOf("=");
    const key = part.slice(0, equals);
    // qs ignores names of Object.prototype
    if (key in params) return undefined;
    params[key] = part.slice(equals + 1);
  }
  return params;
}

/**
 * `form`: a url-encoded body, in which `a.b=x` means `a[b]=x` and `a` alone is an empty string. Throws a ValidationError for
 * more than `most` parameters, or too long lists.
 */
export function parseQueryString(
  text: string,
  { form = false, maxParameters = defaultLimits.parameters } = {},
): Params {
  if (text === "") return {};
  const flat = parseFlat(text);
  if (flat) return flat;
  parse ??= (require("qs") as { parse: typeof Parse }).parse;
  try {
    return parse(text, {
      allowDots: form,
      depth: MAX_DEPTH,
      arrayLimit: MAX_LIST,
      parameterLimit: maxParameters,
      throwOnLimitExceeded: true,
      strictNullHandling: !form,
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw validationError(`The query string is too large: ${cause.message}`);
    throw cause;
  }
}
