/**
 * Converts error messages of JavaScriptCore to those of V8: code sends them to clients (`ctx.badRequest(error.message)`), and
 * compares them.
 */

import { existsSync, readFileSync } from "node:fs";
import { isFetchError, nodeFetchError } from "./node-fetch.ts";

/** Returns the new message; undefined if the rule does not apply. */
type Reword = (match: readonly string[], error: Error) => string | undefined;

/** The message for accessing the last property of an expression, such as `id` in `ctx.state.user.id`. */
function accessOf(expression: string, value: string): string | undefined {
  const [target = "", written] = expression.split(/ [-+*/]?= /, 2);
  const found = /(?:\.([\w$]+)|\[(?:"([^"]*)"|'([^']*)'|([\w$.]+))\])$/.exec(target);
  const name = found?.slice(1).find((part) => part !== undefined);
  if (name === undefined) return undefined;
  return written === undefined
    ? `Cannot read properties of ${value} (reading '${name}')`
    : `Cannot set properties of ${value} (setting '${name}')`;
}

/** An expression as V8 displays it: without arguments of calls, and with the original name of `strapi`. */
function displayed(expression: string): string {
  let text = expression;
  for (let previous = ""; previous !== text; ) {
    previous = text;
    text = text.replace(/([\w$\])])\((?!\.\.\.\))[^()]*(?:\(\.\.\.\)[^()]*)*\)/g, "$1(...)");
  }
  return text.replace(/^strapi\d+\b|^__galley_strapi_\d+__\b/, "strapi");
}

/** The message for destructuring undefined. The destructured expression is read from the source, since the engine does not report it. */
function destructured(name: string, { stack }: Error): string | undefined {
  const [, file = "", line = "0"] = /\(?((?:\/|[A-Z]:\\)[^()\n]+?):(\d+):\d+\)?/.exec(stack ?? "") ?? [];
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  // a pattern may span several lines
  const text = lines.slice(Math.max(0, Number(line) - 20), Number(line) + 20).join("\n");
  const found = [...text.matchAll(/\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}(?::[^=\n]+)?\s*=\s*([^;\n]+)/g)].find(
    ([, names = ""]) => new RegExp(`(?:^|[\\s,])${name}(?:$|[\\s,:=])`).test(names),
  );
  if (!found) return undefined;
  const [, names = "", source = ""] = found;
  if (new RegExp(`(?:^|[\\s,])${name}\\s*(?:=|:\\s*\\{)`).test(names))
    return `Cannot read properties of undefined (reading '${name}')`;
  const value = source.replace(/\s+as\s.*$/, "").trim();
  const origin = value.startsWith("await ") ? "(intermediate value)" : displayed(value);
  return `Cannot destructure property '${name}' of '${origin}' as it is undefined.`;
}

const rules: readonly (readonly [pattern: RegExp, reword: Reword])[] = [
  [
    /^(undefined|null) is not an object \(evaluating '\w+ of (.*)'\)$/s,
    ([, , source = ""]) => `${displayed(source)} is not iterable`,
  ],
  [
    /^(undefined|null) is not an object \(evaluating 'Object\.\w+\(.*\)'\)$/s,
    () => "Cannot convert undefined or null to object",
  ],
  [
    /^(undefined|null) is not an object \(evaluating '(.*)'\)$/s,
    ([, value = "", expression = ""]) => accessOf(expression, value),
  ],
  [
    /^Cannot destructure property '(.*)' from null or undefined value$/,
    ([, name = ""], error) => destructured(name, error),
  ],
  [/^(.*) is not a function\. \(In .*\)$/s, ([, callee = ""]) => `${displayed(callee)} is not a function`],
  [
    /^\w+ is not a constructor \(evaluating 'new ([\w$.]+).*'\)$/s,
    ([, name = ""]) => `${displayed(name)} is not a constructor`,
  ],
  [/^Can't find variable: (.*)$/, ([, name = ""]) => `${name} is not defined`],
  [
    /^Object\.\w+ requires that input parameter not be null or undefined$/,
    () => "Cannot convert undefined or null to object",
  ],
  [/^JSON Parse error: Unexpected EOF$/, () => "Unexpected end of JSON input"],
  [
    /^JSON Parse error: Unexpected identifier "(.)(.*)"$/,
    ([, first = "", rest = ""]) =>
      first + rest === "undefined"
        ? '"undefined" is not valid JSON'
        : `Unexpected token '${first}', "${first}${rest}" is not valid JSON`,
  ],
  [/^JSON\.stringify cannot serialize cyclic structures\.$/, () => "Converting circular structure to JSON"],
  [/^No default value$/, () => "Cannot convert object to primitive value"],
  [/^Invalid Date$/, () => "Invalid time value"],
  [/^reduce of empty array with no initial value$/, () => "Reduce of empty array with no initial value"],
];

const KINDS = [TypeError, ReferenceError, SyntaxError, RangeError];

/** Changes the message of an error of the engine; replaces one of `fetch`. Other values are returned unchanged. */
export function withNodeMessage<T>(thrown: T): T {
  if (isFetchError(thrown)) return nodeFetchError(thrown, undefined) as T;
  if (!(thrown instanceof Error) || !KINDS.some((kind) => Object.getPrototypeOf(thrown) === kind.prototype))
    return thrown;
  for (const [pattern, reword] of rules) {
    const match = pattern.exec(thrown.message);
    if (!match) continue;
    const message = reword(match, thrown);
    if (message !== undefined) thrown.message = message;
    return thrown;
  }
  return thrown;
}

/** Name of the global with `parseJson`, for bundles. */
export const PARSE = "__galley_json_parse__";

/** Name of the global with `withNodeMessage`, for bundles. */
export const REWORD = "__galley_node_words__";

/** Converts the message in each `catch` of a bundle, without adding lines. */
export const rewordCaughtErrors = (bundle: string): string =>
  bundle.replace(/^(\s*\} catch \(([\w$]+)\) \{)$/gm, `$1 $2 = globalThis.${REWORD}($2);`);
