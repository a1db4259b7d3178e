/**
 * Operations that differ in nothing but the values written in them are valid together. Clients that spell values out
 * rather than sending variables are so validated once, which takes longer than answering many an operation.
 */
import {
  type DocumentNode,
  getNamedType,
  type Token,
  TokenKind,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import { LRUCache } from "lru-cache";

/** Whole numbers of so many digits fit every type that takes whole numbers. */
const MAX_DIGITS = 9;
/** Types that take any such number, and those that take any text. */
const ANY_NUMBER: ReadonlySet<string> = new Set(["Int", "Float", "ID", "Long", "JSON"]);
const ANY_TEXT: ReadonlySet<string> = new Set(["String", "ID", "JSON"]);

const isText = (kind: TokenKind): boolean => kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
const isShortNumber = ({ kind, value }: Token): boolean => kind === TokenKind.INT && value.length <= MAX_DIGITS;

/** Writes the tokens of a text with numbers in the places of its values: the same number where values are equal. */
export class ShapeWriter {
  readonly #parts: string[] = [];
  readonly #values = new Map<string, number>();

  add(token: Token): void {
    this.#parts.push(isText(token.kind) || isShortNumber(token) ? this.#placeholder(token) : token.value || token.kind);
  }

  /** Arguments of fields with one name must be equal, so that equality belongs to the shape. */
  #placeholder({ kind, value }: Token): string {
    const key = `${kind} ${value}`;
    const number = this.#values.get(key) ?? this.#values.size;
    this.#values.set(key, number);
    return `${kind}:${number}`;
  }

  get shape(): string {
    return this.#parts.join(" ");
  }
}

/** Tells whether others of their kind would be as valid in the places of all values: true, until one is met that has none. */
const anyValuesRule =
  (tell: (hasAnyValues: boolean) => void): ValidationRule =>
  (context: ValidationContext) => {
    tell(true);
    const check = (types: ReadonlySet<string>) => () => {
      const type = context.getInputType();
      if (!type || !types.has(getNamedType(type).name)) tell(false);
    };
    return { IntValue: check(ANY_NUMBER), StringValue: check(ANY_TEXT) };
  };

/** The shapes that are known to be valid. */
export class ValidShapes {
  readonly #valid: LRUCache<string, true>;
  readonly #shapes = new WeakMap<DocumentNode, string>();

  /** `maxSize`: characters of all that are kept. */
  constructor(maxSize: number) {
    this.#valid = new LRUCache({ maxSize, sizeCalculation: (_value, shape) => shape.length + 1 });
  }

  note(document: DocumentNode, shape: string): void {
    this.#shapes.set(document, shape);
  }

  has(document: DocumentNode): boolean {
    const shape = this.#shapes.get(document);
    return shape !== undefined && this.#valid.has(shape);
  }

  /**
   * A rule that finds out whether the document's shape may be kept, and what keeps it once the document is found valid.
   * Without the rule, as when the result was known from before, nothing is kept.
   */
  keeper(document: DocumentNode): { readonly rule: ValidationRule; readonly keep: () => void } {
    let hasAnyValues = false;
    const shape = this.#shapes.get(document);
    return {
      rule: anyValuesRule((has) => {
        hasAnyValues = has;
      }),
      keep: () => {
        if (shape !== undefined && hasAnyValues) this.#valid.set(shape, true);
      },
    };
  }
}
