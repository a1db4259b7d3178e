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

/** Without escapes or other special characters, as in `a=1`, or `a[b]=1`, whose brackets may be escaped. Numbers in brackets make lists. */
const SIMPLE = /^([\w\-:,*]+)(?:(?:\[|%5B)([A-Za-z_]\w*)(?:\]|%5D))?=([\w\-:,*]*)$/i;
const MAX_SIMPLE = 500;

/** The fast path for simple query strings; undefined for others, for repeated keys, and beyond a limit. */
function parseSimple(text: string, maxParameters: number): Params | undefined {
  if (text.length > MAX_SIMPLE) return undefined;
  const parts = text.split("&");
  if (parts.length > maxParameters) return undefined;
  const params: Record<string, unknown> = {};
  const nested = new Set<string>();
  for (const part of parts) {
    const [, name, key, value] = SIMPLE.exec(part) ?? [];
    if (name === undefined) return undefined;
    let object = params;
    if (key !== undefined) {
      if (!nested.has(name)) {
        if (name in params) return undefined;
        params[name] = {};
        nested.add(name);
      }
      object = params[name] as Record<string, unknown>;
    }
    // qs ignores names of Object.prototype
    if ((key ?? name) in object) return undefined;
    object[key ?? name] = value;
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
