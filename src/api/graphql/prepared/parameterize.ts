/** Literal parameterization: texts that differ only in number and string literals share a cache key. */
import { type Token, TokenKind } from "graphql";
import { checkText } from "../limits/text.ts";

/** Integers of up to this many digits are valid for every integer type. */
const MAX_DIGITS = 9;

/** A number or string written in a text; `start` is its offset. */
export interface Literal {
  readonly kind: TokenKind;
  readonly value: string;
  readonly start: number;
}

const isString = (kind: TokenKind): boolean => kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
const isShortNumber = ({ kind, value }: Token): boolean => kind === TokenKind.INT && value.length <= MAX_DIGITS;

/**
 * Returns the literals in order, and the tokens with numbers instead of literals: the same number for equal literals. Throws a
 * GraphQLError for a text that exceeds the limits of `limits/text.ts`.
 */
export function parameterize(text: string) {
  const parts: string[] = [];
  const literals: Literal[] = [];
  const numbers = new Map<string, number>();
  checkText(text, (token) => {
    const { kind, value, start } = token;
    if (!isString(kind) && !isShortNumber(token)) {
      parts.push(value || kind);
      return;
    }
    // validation compares the arguments of fields with the same name, so equal literals must have equal keys
    const literal = `${kind} ${value}`;
    const number = numbers.get(literal) ?? numbers.size;
    numbers.set(literal, number);
    parts.push(`${kind}:${number}`);
    literals.push({ kind, value, start });
  });
  return { key: parts.join(" "), literals };
}

export type ParameterizedText = Readonly<ReturnType<typeof parameterize>>;
