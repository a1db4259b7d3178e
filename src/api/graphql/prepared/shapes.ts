/**
 * Operations that differ in nothing but the values written in them are valid together. Clients that spell values out
 * rather than sending variables are so validated once, which takes longer than answering many an operation.
 */
import {
  type DocumentNode,
  getNamedType,
  Kind,
  type Token,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import { LRUCache } from "lru-cache";
import { checkText } from "../limits/text.ts";

/** Whole numbers of so many digits fit every type that takes whole numbers. */
const MAX_DIGITS = 9;
/** Types that take any such number, and those that take any text. */
const ANY_NUMBER: ReadonlySet<string> = new Set(["Int", "Float", "ID", "Long", "JSON"]);
const ANY_TEXT: ReadonlySet<string> = new Set(["String", "ID", "JSON"]);

/** A value as it is written in a text; `start` is its place. */
export interface Literal {
  readonly kind: TokenKind;
  readonly value: string;
  readonly start: number;
}

/** A text without what does not matter for its validity. */
export interface Shape {
  /** The tokens, with numbers in the places of values: the same number where values are equal. */
  readonly key: string;
  /** The values, in order. */
  readonly literals: readonly Literal[];
}

const isText = (kind: TokenKind): boolean => kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
const isShortNumber = ({ kind, value }: Token): boolean => kind === TokenKind.INT && value.length <= MAX_DIGITS;

/** Throws a GraphQLError for a text that is too long or too deep. */
function readShape(text: string): Shape {
  const parts: string[] = [];
  const literals: Literal[] = [];
  const numbers = new Map<string, number>();
  checkText(text, (token) => {
    const { kind, value, start } = token;
    if (!isText(kind) && !isShortNumber(token)) {
      parts.push(value || kind);
      return;
    }
    // arguments of fields with one name must be equal, so that equality belongs to the shape
    const key = `${kind} ${value}`;
    const number = numbers.get(key) ?? numbers.size;
    numbers.set(key, number);
    parts.push(`${kind}:${number}`);
    literals.push({ kind, value, start });
  });
  return { key: parts.join(" "), literals };
}

/**
 * Tells whether others of their kind would be as valid in the places of all values: true, until one is met that has none.
 * Defaults of variables must stay what they are: nothing can be put in their places later.
 */
const anyValuesRule =
  (tell: (hasAnyValues: boolean) => void): ValidationRule =>
  (context: ValidationContext) => {
    tell(true);
    let isDefault = false;
    const check = (types: ReadonlySet<string>) => () => {
      const type = context.getInputType();
      if (isDefault || !type || !types.has(getNamedType(type).name)) tell(false);
    };
    const within = (is: boolean) => () => {
      isDefault = is;
    };
    return {
      [Kind.INT]: check(ANY_NUMBER),
      [Kind.STRING]: check(ANY_TEXT),
      [Kind.VARIABLE_DEFINITION]: { enter: within(true), leave: within(false) },
    };
  };

/** What is known of texts that are valid. */
export interface Known<T> {
  /** Undefined: only this very text is known, since its values matter. */
  readonly shape: Shape | undefined;
  /** Whatever else is to be kept as long as this is known. */
  kept: T | undefined;
}

/** Texts and shapes that are known to be valid. */
export class ValidShapes<T> {
  readonly #known: LRUCache<string, Known<T>>;
  /** Of the text that was looked at last, which is mostly the one that is asked for next. */
  #last: { readonly text: string; readonly shape: Shape } | undefined;
  readonly #texts = new WeakMap<DocumentNode, string>();

  /** `maxSize`: characters of all that are kept. */
  constructor(maxSize: number) {
    this.#known = new LRUCache({ maxSize, sizeCalculation: (_value, key) => key.length + 1 });
  }

  /** Throws a GraphQLError for a text that is too long or too deep. */
  shapeOf(text: string): Shape {
    if (this.#last?.text !== text) this.#last = { text, shape: readShape(text) };
    return this.#last.shape;
  }

  /** Throws as `shapeOf` does. */
  find(text: string): Known<T> | undefined {
    return this.#known.get(this.shapeOf(text).key) ?? this.#known.get(exactly(text));
  }

  /** Remembers whose document it is. */
  note(document: DocumentNode, text: string): void {
    this.#texts.set(document, text);
  }

  has(document: DocumentNode): boolean {
    const text = this.#texts.get(document);
    return text !== undefined && this.find(text) !== undefined;
  }

  /**
   * A rule that finds out whether the document's values matter, and what keeps it once the document is found valid.
   * Without the rule, as when the result was known from before, nothing is kept.
   */
  keeper(document: DocumentNode): { readonly rule: ValidationRule; readonly keep: () => void } {
    let hasAnyValues: boolean | undefined;
    const text = this.#texts.get(document);
    return {
      rule: anyValuesRule((has) => {
        hasAnyValues = has;
      }),
      keep: () => {
        if (text === undefined || hasAnyValues === undefined) return;
        const shape = this.shapeOf(text);
        if (hasAnyValues) this.#known.set(shape.key, { shape, kept: undefined });
        else this.#known.set(exactly(text), { shape: undefined, kept: undefined });
      },
    };
  }
}

/** No text's shape begins like that. */
const exactly = (text: string): string => `= ${text}`;
