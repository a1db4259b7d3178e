/** Literal parameterization: texts that differ only in number and string literals, and in comments, share a cache key. */
import { parseValue, type StringValueNode, TokenKind } from "graphql";

/** A number or string written in a text; `start` is its offset. */
export interface Literal {
  readonly kind: TokenKind.INT | TokenKind.STRING | TokenKind.BLOCK_STRING;
  readonly value: string;
  readonly start: number;
}

export interface ParameterizedText {
  /** The text without comments, with literals replaced by numbers: the same number for equal literals. */
  readonly key: string;
  /** In order. */
  readonly literals: readonly Literal[];
}

/**
 * Comments, strings and numbers where graphql-js finds them in a valid text; elsewhere, `"` and `#` are not in what is matched, and the
 * key is that of no valid text. What is no number, such as 1.2.3, is one match, too.
 */
const PARTS =
  /#[^\n\r\ud800-\udfff]*|"""(?:\\"""|[^\ud800-\udfff])*?"""|"(?!"")(?:[^"\\\n\r\ud800-\udfff]|\\.)*"|-?(?<!\w)\d(?:[eE][+-]|[\w.])*/gu;

/** Integers of up to nine digits are valid for every integer type. */
const SHORT_NUMBER = /^-?(?:0|[1-9]\d{0,8})$/;

/** Throws a GraphQLError for an invalid string. */
function readLiteral(part: string, start: number): Literal | undefined {
  if (!part.startsWith('"')) return SHORT_NUMBER.test(part) ? { kind: TokenKind.INT, value: part, start } : undefined;
  const isBlock = part.startsWith('"""');
  const isPlain = !isBlock && !part.includes("\\");
  const value = isPlain ? part.slice(1, -1) : (parseValue(part) as StringValueNode).value;
  return { kind: isBlock ? TokenKind.BLOCK_STRING : TokenKind.STRING, value, start };
}

/** Throws a GraphQLError for a text with an invalid string. */
export function parameterize(text: string): ParameterizedText {
  const literals: Literal[] = [];
  const numbers = new Map<string, number>();
  const key = text.replace(PARTS, (part, start: number) => {
    if (part.startsWith("#")) return "";
    const literal = readLiteral(part, start);
    if (!literal) return part;
    literals.push(literal);
    // validation compares the arguments of fields with the same name, so equal literals must have equal keys
    const { kind, value } = literal;
    return `#${kind}${numbers.getOrInsertComputed(`${kind} ${value}`, () => numbers.size)}#`;
  });
  return { key, literals };
}
