/** Describes why a text is not JSON, with the words of Strapi's engine (V8). */

/** Characters of the text that are shown around an unexpected one. */
const CONTEXT = 10;
/** Texts that are shown alone. */
const SPECIAL: ReadonlySet<string> = new Set(["undefined", "NaN", "Infinity", "[object Object]"]);
const ESCAPED = '"\\/bfnrt';

// texts may be as large as a project allows: characters are compared as numbers, and nothing is made of them
const TAB = 0x09;
const LINE_FEED = 0x0a;
const RETURN = 0x0d;
const SPACE = 0x20;
const QUOTE = 0x22;
const PLUS = 0x2b;
const COMMA = 0x2c;
const MINUS = 0x2d;
const POINT = 0x2e;
const ZERO = 0x30;
const NINE = 0x39;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPENS_LIST = 0x5b;
const CLOSES_LIST = 0x5d;
const OPENS_OBJECT = 0x7b;
const CLOSES_OBJECT = 0x7d;
/** Sets the bit in which `e` and `E` differ. */
const LOWER_CASE = 0x20;
const E = 0x65;
const LITERALS: ReadonlyMap<number, string> = new Map(
  ["true", "false", "null"].map((literal) => [literal.charCodeAt(0), literal]),
);

type Closing = typeof CLOSES_LIST | typeof CLOSES_OBJECT;

/** Of the code of a character; false at the end of the text, where it is NaN. */
const isDigit = (code: number): boolean => code >= ZERO && code <= NINE;

class Problem {
  readonly message: string;
  constructor(message: string) {
    this.message = message;
  }
}

/** Finds the first problem, without building values. */
class Scanner {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  scan(): void {
    // the open lists and objects, by their closing characters
    const open: Closing[] = [];
    for (;;) {
      const begun = this.#beginValue();
      if (begun && !this.#closes(begun)) {
        open.push(begun);
        if (begun === CLOSES_OBJECT) this.#name("Expected property name or '}' in JSON", true);
        continue;
      }
      if (!this.#continueList(open)) return;
    }
  }

  /** The code of the current character; NaN at the end. */
  #code(): number {
    return this.#text.charCodeAt(this.#at);
  }

  /** The same, after spaces. */
  #next(): number {
    for (; ; this.#at++) {
      const code = this.#code();
      if (code !== SPACE && code !== LINE_FEED && code !== RETURN && code !== TAB) return code;
    }
  }

  #closes(closing: number): boolean {
    if (this.#next() !== closing) return false;
    this.#at++;
    return true;
  }

  /** Reads a value, or the begin of a list or object, whose closing character is returned. */
  #beginValue(): Closing | undefined {
    const first = this.#next();
    if (first === OPENS_LIST || first === OPENS_OBJECT) {
      this.#at++;
      return first === OPENS_LIST ? CLOSES_LIST : CLOSES_OBJECT;
    }
    if (first === QUOTE) this.#string();
    else if (first === MINUS || isDigit(first)) this.#number(first);
    else this.#literal(first);
    return undefined;
  }

  /** Closes lists and objects until another value follows; false at the end of the text. */
  #continueList(open: Closing[]): boolean {
    for (;;) {
      const closing = open.at(-1);
      const next = this.#next();
      if (closing === undefined) {
        if (!Number.isNaN(next)) throw this.#problem("Unexpected non-whitespace character after JSON");
        return false;
      }
      if (next === COMMA) {
        this.#at++;
        if (closing === CLOSES_OBJECT) this.#name("Expected double-quoted property name in JSON", false);
        return true;
      }
      if (next !== closing)
        throw this.#problem(
          closing === CLOSES_LIST
            ? "Expected ',' or ']' after array element in JSON"
            : "Expected ',' or '}' after property value in JSON",
        );
      this.#at++;
      open.pop();
    }
  }

  #name(expected: string, isFirst: boolean): void {
    if (this.#next() !== QUOTE) throw this.#problem(expected);
    this.#string();
    if (this.#closes(COLON)) return;
    // the engine words the end after the first name of an object differently
    const isEnd = !isFirst && this.#at >= this.#text.length;
    throw isEnd ? this.#unexpected() : this.#problem("Expected ':' after property name in JSON");
  }

  #string(): void {
    for (this.#at++; ; this.#at++) {
      const code = this.#code();
      if (Number.isNaN(code)) throw this.#problem("Unterminated string in JSON");
      if (code < SPACE) throw this.#problem("Bad control character in string literal in JSON");
      if (code === QUOTE) {
        this.#at++;
        return;
      }
      if (code === BACKSLASH) this.#escape();
    }
  }

  #escape(): void {
    const escaped = this.#text[++this.#at];
    if (escaped === undefined) throw this.#unexpected();
    if (escaped !== "u") {
      if (!ESCAPED.includes(escaped)) throw this.#problem("Bad escaped character in JSON");
      return;
    }
    for (let digit = 0; digit < 4; digit++) {
      this.#at++;
      if (!/^[0-9a-f]$/i.test(this.#text[this.#at] ?? "")) throw this.#problem("Bad Unicode escape in JSON");
    }
  }

  #digits(): boolean {
    const start = this.#at;
    while (isDigit(this.#code())) this.#at++;
    return this.#at > start;
  }

  #number(sign: number): void {
    if (sign === MINUS) this.#at++;
    if (this.#code() === ZERO) {
      this.#at++;
      if (isDigit(this.#code())) throw this.#problem("Unexpected number in JSON");
    } else if (!this.#digits()) throw this.#problem("No number after minus sign in JSON");
    if (this.#code() === POINT) {
      this.#at++;
      if (!this.#digits()) throw this.#problem("Unterminated fractional number in JSON");
    }
    if ((this.#code() | LOWER_CASE) !== E) return;
    this.#at++;
    if (this.#code() === PLUS || this.#code() === MINUS) this.#at++;
    if (!this.#digits()) throw this.#problem("Exponent part is missing a number in JSON");
  }

  #literal(first: number): void {
    const literal = LITERALS.get(first);
    if (literal === undefined) throw this.#unexpected();
    for (let index = 0; index < literal.length; index++, this.#at++)
      if (this.#code() !== literal.charCodeAt(index)) throw this.#unexpected();
  }

  #problem(message: string): Problem {
    return new Problem(`${message} at position ${this.#at}`);
  }

  #unexpected(): Problem {
    const text = this.#text;
    const at = this.#at;
    const character = text[at];
    if (character === undefined) return new Problem("Unexpected end of JSON input");
    if (SPECIAL.has(text)) return new Problem(`"${text}" is not valid JSON`);
    if (character === '"') return new Problem(`Unexpected string in JSON at position ${at}`);
    if (/^[-0-9]$/.test(character)) return new Problem(`Unexpected number in JSON at position ${at}`);
    const isLong = text.length > 2 * CONTEXT;
    const start = isLong && at >= CONTEXT ? at - CONTEXT : 0;
    const end = isLong && at < text.length - CONTEXT ? at + CONTEXT : text.length;
    const shown = `${start > 0 || (isLong && at >= CONTEXT) ? "..." : ""}"${text.slice(start, end)}"${end < text.length ? "..." : ""}`;
    return new Problem(`Unexpected token '${character}', ${shown} is not valid JSON`);
  }
}

/** The message for a text that is not JSON; undefined for JSON. */
export function jsonProblem(text: string): string | undefined {
  try {
    new Scanner(text).scan();
  } catch (error) {
    if (error instanceof Problem) return error.message;
    throw error;
  }
  return undefined;
}
