/**
 * Operations that differ in nothing but the values written in them are valid together. Clients that spell values out
 * rather than sending variables are so validated once, which takes longer than answering many an operation.
 */
import {
  type ASTNode,
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
 * Tells the places of values in whose stead others of their kind might not be as valid. Those are the defaults of
 * variables, too: nothing can be put in their places later.
 */
const mattersRule =
  (tell: (start: number) => void): ValidationRule =>
  (context: ValidationContext) => {
    let isDefault = false;
    const check = (types: ReadonlySet<string>) => (node: ASTNode) => {
      const type = context.getInputType();
      if (isDefault || !type || !types.has(getNamedType(type).name)) tell(node.loc?.start ?? -1);
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

/** What is known of valid texts with one shape and the same values where they matter. */
export class Known<T> {
  readonly #matters: ReadonlySet<number>;
  /** Whatever else is to be kept as long as this is known. */
  kept: T | undefined;

  constructor(matters: ReadonlySet<number>) {
    this.#matters = matters;
  }

  /** The values that others may take the places of. */
  free({ literals }: Shape): Literal[] {
    return literals.filter((_, number) => !this.#matters.has(number));
  }
}

const keyOf = ({ key, literals }: Shape, matters: ReadonlySet<number>): string =>
  matters.size === 0 ? key : `${key} ${JSON.stringify([...matters].map((number) => literals[number]?.value))}`;

/** Texts that are known to be valid, by their shapes. */
export class ValidShapes<T> {
  /** By shape: which of its values matter, by their numbers. */
  readonly #matters: LRUCache<string, ReadonlySet<number>>;
  /** By shape and those values. */
  readonly #known: LRUCache<string, Known<T>>;
  /** Of the text that was looked at last, which is mostly the one that is asked for next. */
  #last: { readonly text: string; readonly shape: Shape } | undefined;
  readonly #texts = new WeakMap<DocumentNode, string>();

  /** `maxSize`: characters of all that are kept. */
  constructor(maxSize: number) {
    const sizeCalculation = (_value: unknown, key: string): number => key.length + 1;
    this.#matters = new LRUCache<string, ReadonlySet<number>>({ maxSize, sizeCalculation });
    this.#known = new LRUCache<string, Known<T>>({ maxSize, sizeCalculation });
  }

  /** Throws a GraphQLError for a text that is too long or too deep. */
  shapeOf(text: string): Shape {
    if (this.#last?.text !== text) this.#last = { text, shape: readShape(text) };
    return this.#last.shape;
  }

  /** Throws as `shapeOf` does. */
  find(text: string): Known<T> | undefined {
    const shape = this.shapeOf(text);
    const matters = this.#matters.get(shape.key);
    return matters && this.#known.get(keyOf(shape, matters));
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
   * A rule that finds out which of the document's values matter, and what keeps them once the document is found valid.
   * Without the rule, as when the result was known from before, nothing is kept.
   */
  keeper(document: DocumentNode): { readonly rule: ValidationRule; readonly keep: () => void } {
    const starts = new Set<number>();
    let isRun = false;
    const text = this.#texts.get(document);
    const rule = mattersRule((start) => starts.add(start));
    return {
      rule: (context) => {
        isRun = true;
        return rule(context);
      },
      keep: () => {
        if (text === undefined || !isRun) return;
        const shape = this.shapeOf(text);
        const matters = new Set(shape.literals.flatMap(({ start }, number) => (starts.has(start) ? [number] : [])));
        this.#matters.set(shape.key, matters);
        this.#known.set(keyOf(shape, matters), new Known(matters));
      },
    };
  }
}
