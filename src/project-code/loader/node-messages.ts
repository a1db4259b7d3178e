/**
 * Messages of errors that the engine throws, in the words of Node's engine: code shows them to clients
 * (`ctx.badRequest(error.message)`), and compares them.
 */
import { existsSync, readFileSync } from "node:fs";

/** Returns undefined where the error needs another wording than this rule's. */
type Reword = (match: readonly string[], error: Error) => string | undefined;

/** `ctx.state.user.id` is read of `ctx.state.user`: what comes last, and is it written. */
function accessOf(expression: string, value: string): string | undefined {
  const [target = "", written] = expression.split(/ [-+*/]?= /, 2);
  const found = /(?:\.([\w$]+)|\[(?:"([^"]*)"|'([^']*)'|([\w$.]+))\])$/.exec(target);
  const name = found?.slice(1).find((part) => part !== undefined);
  if (name === undefined) return undefined;
  return written === undefined
    ? `Cannot read properties of ${value} (reading '${name}')`
    : `Cannot set properties of ${value} (setting '${name}')`;
}

/** An expression as it is shown: without the arguments of calls, and with the global `strapi` under its name. */
function shown(expression: string): string {
  let text = expression;
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(/([\w$\])])\((?!\.\.\.\))[^()]*(?:\(\.\.\.\)[^()]*)*\)/g, "$1(...)");
  }
  return text.replace(/^strapi\d+\b|^__galley_strapi_\d+__\b/, "strapi");
}

/** What a destructuring takes a name from, in the source: the engine does not say. */
function destructured(name: string, { stack }: Error): string | undefined {
  const [, file = "", line = "0"] = /\(?((?:\/|[A-Z]:\\)[^()\n]+?):(\d+):\d+\)?/.exec(stack ?? "") ?? [];
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, "utf8").split("\n");
  // a pattern may have a line for each of its names
  const text = lines.slice(Math.max(0, Number(line) - 20), Number(line) + 20).join("\n");
  const found = [...text.matchAll(/\{([^{}]*(?:\{[^{}]*\}[^{}]*)*)\}(?::[^=\n]+)?\s*=\s*([^;\n]+)/g)].find(
    ([, names = ""]) => new RegExp(`(?:^|[\\s,])${name}(?:$|[\\s,:=])`).test(names),
  );
  if (!found) return undefined;
  const [, names = "", source = ""] = found;
  if (new RegExp(`(?:^|[\\s,])${name}\\s*(?:=|:\\s*\\{)`).test(names))
    return `Cannot read properties of undefined (reading '${name}')`;
  const value = source.replace(/\s+as\s.*$/, "").trim();
  const origin = value.startsWith("await ") ? "(intermediate value)" : shown(value);
  return `Cannot destructure property '${name}' of '${origin}' as it is undefined.`;
}

const rules: readonly (readonly [pattern: RegExp, reword: Reword])[] = [
  [
    /^(undefined|null) is not an object \(evaluating '\w+ of (.*)'\)$/s,
    ([, , source = ""]) => `${shown(source)} is not iterable`,
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
  [/^(.*) is not a function\. \(In .*\)$/s, ([, callee = ""]) => `${shown(callee)} is not a function`],
  [
    /^\w+ is not a constructor \(evaluating 'new ([\w$.]+).*'\)$/s,
    ([, name = ""]) => `${shown(name)} is not a constructor`,
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

/** Changes the message of an error of the engine; everything else that may be thrown is left as it is. */
export function inNodeWords<T>(thrown: T): T {
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

/** Where bundles find `inNodeWords`. */
export const NODE_WORDS = "__galley_node_words__";

/** Lets each `catch` of a bundle see errors in those words, in the same lines. */
export const withNodeMessages = (bundle: string): string =>
  bundle.replace(/^(\s*\} catch \(([\w$]+)\) \{)$/gm, `$1 $2 = globalThis.${NODE_WORDS}($2);`);
