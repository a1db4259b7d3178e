/** Replaces what a pattern finds in JavaScript that a bundler has printed, outside of strings, templates, comments and regular expressions. */

const STRING = /"(?:[^"\\\n]|\\[\s\S])*"|'(?:[^'\\\n]|\\[\s\S])*'/;
const COMMENT = /\/\/[^\n]*|\/\*[\s\S]*?\*\//;
const NEXT = new RegExp(`${STRING.source}|${COMMENT.source}|[\`/{}]`, "g");
const REGULAR_EXPRESSION = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const TEMPLATE_TEXT = /(?:[^`\\$]|\\[\s\S]|\$(?!\{))*(`|\$\{)/y;
/** What a value ends with; after it, a slash divides. */
const VALUE_END = /(?:[)\]}"'`]|[\w$]|\+\+|--)[ \t]*$/;
const OPERATOR_WORD =
  /(?<![.\w$])(?:return|typeof|case|in|of|delete|void|throw|new|instanceof|do|else|yield|await)[ \t]*$/;

/** The longest part of the code before a slash that says what the slash is. */
const LOOK_BEHIND = 16;

function endsRegularExpression(code: string, at: number): number | undefined {
  const before = code.slice(Math.max(0, at - LOOK_BEHIND), at);
  if (VALUE_END.test(before) && !OPERATOR_WORD.test(before)) return undefined;
  REGULAR_EXPRESSION.lastIndex = at;
  return REGULAR_EXPRESSION.test(code) ? REGULAR_EXPRESSION.lastIndex : undefined;
}

/** Start and end of each part that is not code. */
function* textsIn(code: string): Generator<readonly [number, number]> {
  /** For each open template, the open braces of its current expression. */
  const braces: number[] = [];
  NEXT.lastIndex = 0;
  for (let match = NEXT.exec(code); match; match = NEXT.exec(code)) {
    const [found] = match;
    const at = match.index;
    let end = NEXT.lastIndex;
    const depth = braces.at(-1);
    if (found === "{") {
      if (depth !== undefined) braces[braces.length - 1] = depth + 1;
      continue;
    }
    if (found === "}" && depth !== 0) {
      if (depth !== undefined) braces[braces.length - 1] = depth - 1;
      continue;
    }
    if (found === "/") {
      const last = endsRegularExpression(code, at);
      if (last === undefined) continue;
      end = last;
    }
    if (found === "`" || found === "}") {
      if (found === "}") braces.pop();
      TEMPLATE_TEXT.lastIndex = end;
      const text = TEMPLATE_TEXT.exec(code);
      end = text ? TEMPLATE_TEXT.lastIndex : code.length;
      if (text?.[1] === "${") braces.push(0);
    }
    yield [at, end];
    NEXT.lastIndex = end;
  }
}

/** `pattern` is global, and what it finds may contain strings, but begins outside of them. */
export function replaceInCode(code: string, pattern: RegExp, replacement: (match: RegExpExecArray) => string): string {
  const out: string[] = [];
  let copied = 0;
  const replaceUpTo = (end: number): void => {
    while (pattern.lastIndex < end) {
      const match = pattern.exec(code);
      if (!match) {
        pattern.lastIndex = code.length;
        return;
      }
      if (match.index >= end) {
        pattern.lastIndex = match.index;
        return;
      }
      out.push(code.slice(copied, match.index), replacement(match));
      copied = pattern.lastIndex;
    }
  };
  pattern.lastIndex = 0;
  for (const [start, end] of textsIn(code)) {
    replaceUpTo(start);
    pattern.lastIndex = Math.max(pattern.lastIndex, end);
    if (pattern.lastIndex >= code.length) break;
  }
  replaceUpTo(code.length);
  pattern.lastIndex = 0;
  return out.length === 0 ? code : out.join("") + code.slice(copied);
}
