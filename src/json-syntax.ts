/** Describes why a text is not JSON, with the words of the reference's engine (V8). */

/** Characters of the text that are shown around an unexpected one. */
const CONTEXT = 10;
/** Texts that are shown alone. */
const SPECIAL: ReadonlySet<string> = new Set(["undefined", "NaN", "Infinity", "[object Object]"]);
const LITERALS = ["true", "false", "null"] as const;
const ESCAPED = '"\\/bfnrt';

// whole runs at once, since texts may be as large as a project allows
const SPACES = /[ \t\r\n]*/y;
const DIGITS = /\d*/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: strings must not have any
const PLAIN = /[^"\\\u0000-\u001f]*/y;

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
    const open: ("]" | "}")[] = [];
    for (;;) {
      const begun = this.#beginValue();
      if (begun) open.push(begun);
      if (begun && !this.#closes(begun)) {
        if (begun === "}") this.#name("Expected property name or '}' in JSON", true);
        continue;
      }
      if (begun) open.pop();
      if (!this.#continueList(open)) return;
    }
  }

  /** The character at the current position, after spaces; undefined at the end. */
  #next(): string | undefined {
    this.#skip(SPACES);
    return this.#text[this.#at];
  }

  #skip(run: RegExp): void {
    run.lastIndex = this.#at;
    run.test(this.#text);
    this.#at = run.lastIndex;
  }

  #closes(closing: string): boolean {
    if (this.#next() !== closing) return false;
    this.#at++;
    return true;
  }

  /** Reads a value, or the begin of a list or object, whose closing character is returned. */
  #beginValue(): "]" | "}" | undefined {
    const first = this.#next();
    if (first === "[" || first === "{") {
      this.#at++;
      return first === "[" ? "]" : "}";
    }
    if (first === '"') this.#string();
    else if (first !== undefined && /[-0-9]/.test(first)) this.#number();
    else this.#literal(first);
    return undefined;
  }

  /** Closes lists and objects until another value follows; false at the end of the text. */
  #continueList(open: ("]" | "}")[]): boolean {
    for (;;) {
      const closing = open.at(-1);
      const next = this.#next();
      if (closing === undefined) {
        if (next !== undefined) throw this.#problem("Unexpected non-whitespace character after JSON");
        return false;
      }
      if (next === ",") {
        this.#at++;
        if (closing === "}") this.#name("Expected double-quoted property name in JSON", false);
        return true;
      }
      if (next !== closing)
        throw this.#problem(
          closing === "]"
            ? "Expected ',' or ']' after array element in JSON"
            : "Expected ',' or '}' after property value in JSON",
        );
      this.#at++;
      open.pop();
    }
  }

  #name(expected: string, isFirst: boolean): void {
    if (this.#next() !== '"') throw this.#problem(expected);
    this.#string();
    if (this.#closes(":")) return;
    // the engine words the end after the first name of an object differently
    const isEnd = !isFirst && this.#text[this.#at] === undefined;
    throw isEnd ? this.#unexpected() : this.#problem("Expected ':' after property name in JSON");
  }

  #string(): void {
    for (this.#at++; ; this.#at++) {
      this.#skip(PLAIN);
      const character = this.#text[this.#at];
      if (character === undefined) throw this.#problem("Unterminated string in JSON");
      if (character < " ") throw this.#problem("Bad control character in string literal in JSON");
      if (character === '"') {
        this.#at++;
        return;
      }
      if (character === "\\") this.#escape();
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
      if (!/^[0-9a-f]$/i.test(this.#text[++this.#at] ?? "")) throw this.#problem("Bad Unicode escape in JSON");
    }
  }

  #digits(): boolean {
    const start = this.#at;
    this.#skip(DIGITS);
    return this.#at > start;
  }

  #number(): void {
    const { [this.#at]: sign } = this.#text;
    if (sign === "-") this.#at++;
    if (this.#text[this.#at] === "0") {
      this.#at++;
      if (/^\d$/.test(this.#text[this.#at] ?? "")) throw this.#problem("Unexpected number in JSON");
    } else if (!this.#digits()) throw this.#problem("No number after minus sign in JSON");
    if (this.#text[this.#at] === ".") {
      this.#at++;
      if (!this.#digits()) throw this.#problem("Unterminated fractional number in JSON");
    }
    if (!/^e$/i.test(this.#text[this.#at] ?? "")) return;
    this.#at++;
    if (/^[-+]$/.test(this.#text[this.#at] ?? "")) this.#at++;
    if (!this.#digits()) throw this.#problem("Exponent part is missing a number in JSON");
  }

  #literal(first: string | undefined): void {
    const literal = LITERALS.find((name) => name[0] === first);
    if (!literal) throw this.#unexpected();
    for (const character of literal) {
      if (this.#text[this.#at] !== character) throw this.#unexpected();
      this.#at++;
    }
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
