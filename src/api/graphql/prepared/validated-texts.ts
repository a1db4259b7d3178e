/**
 * The cache of validated texts. Validation often takes longer than execution, and its result does not depend on most literals,
 * so that it is cached by the parameterized text and the literals that affect it.
 */
import {
  type ASTNode,
  type DocumentNode,
  getNamedType,
  Kind,
  type ValidationContext,
  type ValidationRule,
} from "graphql";
import { LRUCache } from "lru-cache";
import { countFields } from "../limits/selections.ts";
import { type Literal, type ParameterizedText, parameterize } from "./parameterize.ts";

/** Types that accept every short integer, and types that accept every string. */
const ANY_NUMBER: ReadonlySet<string> = new Set(["Int", "Float", "ID", "Long", "JSON"]);
const ANY_STRING: ReadonlySet<string> = new Set(["String", "ID", "JSON"]);

/** The approximate length of a field in a text. Fields of fragments are prepared for every spread. */
const FIELD_SIZE = 10;

/** Finds literals that affect validation. Default values of variables are included: they cannot become variables. */
const createFixedLiteralsRule =
  (onFixed: (start: number) => void): ValidationRule =>
  (context: ValidationContext) => {
    let isDefault = false;
    const check = (types: ReadonlySet<string>) => (node: ASTNode) => {
      const type = context.getInputType();
      if (isDefault || !type || !types.has(getNamedType(type).name)) onFixed(node.loc?.start ?? -1);
    };
    const inDefinition = (is: boolean) => () => {
      isDefault = is;
    };
    return {
      [Kind.INT]: check(ANY_NUMBER),
      [Kind.STRING]: check(ANY_STRING),
      [Kind.VARIABLE_DEFINITION]: { enter: inDefinition(true), leave: inDefinition(false) },
    };
  };

/** The indexes of the literals that affect validation. */
type FixedLiterals = ReadonlySet<number>;

/** A validated text, shared by all texts that differ only in literals that do not affect validation. */
class ValidatedText<T> {
  readonly #fixed: FixedLiterals;
  /** In characters. */
  readonly size: number;
  /** The prepared operations of these texts, evicted together with this entry. */
  prepared: T | undefined;

  constructor(fixed: FixedLiterals, size: number) {
    this.#fixed = fixed;
    this.size = size;
  }

  freeLiterals({ literals }: ParameterizedText): Literal[] {
    return literals.filter((_, index) => !this.#fixed.has(index));
  }
}

const cacheKey = ({ key, literals }: ParameterizedText, fixed: FixedLiterals): string =>
  fixed.size === 0 ? key : `${key} ${JSON.stringify([...fixed].map((index) => literals[index]?.value))}`;

export class ValidatedTexts<T> {
  /** By parameterized text. */
  readonly #fixed: LRUCache<string, FixedLiterals>;
  /** By parameterized text and fixed literals. */
  readonly #validated: LRUCache<string, ValidatedText<T>>;
  /** The last parameterized text, which is usually needed again. */
  #last: { readonly text: string; readonly parameterized: ParameterizedText } | undefined;
  readonly #texts = new WeakMap<DocumentNode, string>();

  /** `maxSize`: characters of all texts, with fragments expanded. */
  constructor(maxSize: number) {
    this.#fixed = new LRUCache({ maxSize, sizeCalculation: (_value, key) => key.length + 1 });
    this.#validated = new LRUCache({ maxSize, sizeCalculation: ({ size }, key) => Math.max(size, key.length) + 1 });
  }

  /** Throws the errors of `parameterize`. */
  parameterized(text: string): ParameterizedText {
    if (this.#last?.text !== text) this.#last = { text, parameterized: parameterize(text) };
    return this.#last.parameterized;
  }

  /** Throws the errors of `parameterize`. */
  find(text: string): ValidatedText<T> | undefined {
    const parameterized = this.parameterized(text);
    const fixed = this.#fixed.get(parameterized.key);
    return fixed && this.#validated.get(cacheKey(parameterized, fixed));
  }

  /** Remembers the text of a document. */
  setText(document: DocumentNode, text: string): void {
    this.#texts.set(document, text);
  }

  has(document: DocumentNode): boolean {
    const text = this.#texts.get(document);
    return text !== undefined && this.find(text) !== undefined;
  }

  /**
   * A validation rule that finds the fixed literals of a document, and the function that caches the text after it was
   * validated. Nothing is cached if the rule did not run.
   */
  createRecorder(document: DocumentNode): { readonly rule: ValidationRule; readonly record: () => void } {
    const starts = new Set<number>();
    let ran = false;
    const rule = createFixedLiteralsRule((start) => starts.add(start));
    return {
      rule: (context) => {
        ran = true;
        return rule(context);
      },
      record: () => {
        const text = this.#texts.get(document);
        if (text !== undefined && ran) this.#add(this.parameterized(text), document, starts);
      },
    };
  }

  #add(parameterized: ParameterizedText, document: DocumentNode, starts: ReadonlySet<number>): void {
    const fixed = new Set(parameterized.literals.flatMap(({ start }, index) => (starts.has(start) ? [index] : [])));
    this.#fixed.set(parameterized.key, fixed);
    const validated = new ValidatedText<T>(fixed, FIELD_SIZE * countFields(document));
    this.#validated.set(cacheKey(parameterized, fixed), validated);
  }
}
