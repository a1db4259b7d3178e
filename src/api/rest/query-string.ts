/** Parses query strings and form bodies in bracket syntax, with qs, which clients encode them with. */
import type { parse as Parse } from "qs";
import type { QueryOptions } from "../../engine/config/query-options.ts";
import { MAX_LIST } from "../../engine/query/filters.ts";
import type { Params } from "../../engine/query/parse.ts";
import { defaultLimits } from "../../lib/budget.ts";
import { validationError } from "../../lib/errors.ts";

const MAX_DEPTH = 20;
/** As in Strapi, deeper brackets of url-encoded bodies are part of the name. */
const MAX_FORM_DEPTH = 5;

let parse: typeof Parse | undefined;

/**
 * Without escapes or other special characters, as in `a=1`, or `a[b][$c]=1`, whose brackets may be escaped. Numbers in brackets make
 * lists, and further levels of forms are part of the name.
 */
const SIMPLE = /^([\w\-:,*]+)((?:(?:\[|%5B)[A-Za-z_$]\w*(?:\]|%5D)){0,5})=([\w\-:,*]*)$/i;
const KEYS = /(?<=\[|%5B)[A-Za-z_$]\w*/gi;
const MAX_SIMPLE = 500;

/** The fast path for simple query strings; undefined for others, for repeated keys, and beyond a limit. */
function parseSimple(text: string, maxParameters: number): Params | undefined {
  if (text.length > MAX_SIMPLE) return undefined;
  const parts = text.split("&");
  if (parts.length > maxParameters) return undefined;
  const params: Record<string, unknown> = {};
  for (const part of parts) {
    const [, name, brackets, value] = SIMPLE.exec(part) ?? [];
    if (name === undefined) return undefined;
    let object = params;
    let last = name;
    for (const key of brackets ? (brackets.match(KEYS) ?? []) : []) {
      const child = object[last] ?? {};
      // qs merges other values, and ignores names of Object.prototype
      if (typeof child !== "object" || (last in object && !Object.hasOwn(object, last))) return undefined;
      object[last] = child;
      object = child as Record<string, unknown>;
      last = key;
    }
    if (last in object) return undefined;
    object[last] = value;
  }
  return params;
}

export interface QueryStringOptions {
  /** A url-encoded body, in which `a.b=x` means `a[b]=x` and `a` alone is an empty string. */
  readonly form?: boolean;
  readonly maxParameters?: number;
  /** The project's options of qs. Defaults: those of Strapi, without its limits of lists. */
  readonly options?: QueryOptions | undefined;
}

/**
 * As in Strapi, a project that sets a limit gets what is below it, unless `throwOnLimitExceeded` is set, too. Other limits are
 * never exceeded silently.
 */
function readLimits(text: string, maxParameters: number, options: QueryOptions): object {
  const { arrayLimit, parameterLimit, throwOnLimitExceeded, delimiter = "&" } = options;
  const limits = { arrayLimit: MAX_LIST, parameterLimit: maxParameters, throwOnLimitExceeded: true };
  if (arrayLimit === undefined && parameterLimit === undefined) return limits;
  if (parameterLimit === undefined && text.split(String(delimiter)).length > maxParameters)
    throw new RangeError(`Only ${maxParameters} parameters are allowed`);
  return {
    ...limits,
    ...(arrayLimit === undefined ? {} : { arrayLimit }),
    ...(parameterLimit === undefined ? {} : { parameterLimit }),
    throwOnLimitExceeded: throwOnLimitExceeded ?? false,
  };
}

/** Throws a ValidationError for more than `maxParameters` parameters, or too long lists. */
export function parseQueryString(
  text: string,
  { form = false, maxParameters = defaultLimits.parameters, options }: QueryStringOptions = {},
): Params {
  if (text === "") return {};
  const simple = options ? undefined : parseSimple(text, maxParameters);
  if (simple) return simple;
  parse ??= (require("qs") as { parse: typeof Parse }).parse;
  try {
    return parse(text, {
      allowDots: form,
      depth: form ? MAX_FORM_DEPTH : MAX_DEPTH,
      strictNullHandling: !form,
      ...options,
      ...readLimits(text, maxParameters, options ?? {}),
    });
  } catch (cause) {
    if (cause instanceof RangeError) throw validationError(`The query string is too large: ${cause.message}`);
    throw cause;
  }
}
