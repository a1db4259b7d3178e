/** The rule that a query must not be deeper than the project allows, in the reference's words. */
import {
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValidationContext,
  type ValidationRule,
} from "graphql";

/** Selections that are looked at; fragments in fragments could go on for ever. */
const MAX_STEPS = 50_000;

class DepthCheck {
  readonly #context: ValidationContext;
  readonly #most: number;
  readonly #name: string;
  #steps = 0;

  constructor(context: ValidationContext, most: number, operation: OperationDefinitionNode) {
    this.#context = context;
    this.#most = most;
    this.#name = operation.name?.value ?? "";
  }

  /** Fields of the root have depth 0. Fragments add nothing, and neither do fields about the schema itself. */
  visit(selections: readonly SelectionNode[], depth: number, within: readonly FragmentDefinitionNode[]): void {
    for (const selection of selections) {
      if (++this.#steps > MAX_STEPS) return;
      if (depth > this.#most) {
        const message = `'${this.#name}' exceeds maximum operation depth of ${this.#most}`;
        this.#context.reportError(new GraphQLError(message, { nodes: selection }));
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = this.#context.getFragment(selection.name.value);
        // one that contains itself is refused by another rule
        if (fragment && !within.includes(fragment)) {
          this.visit(fragment.selectionSet.selections, depth, [...within, fragment]);
        }
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.visit(selection.selectionSet.selections, depth, within);
      } else if (selection.selectionSet && !selection.name.value.startsWith("__")) {
        this.visit(selection.selectionSet.selections, depth + 1, within);
      }
    }
  }
}

/** Reports each field that is the first too deep one of its branch, before the other rules report anything. */
export const depthRule =
  (most: number): ValidationRule =>
  (context) => {
    for (const definition of context.getDocument().definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      new DepthCheck(context, most, definition).visit(definition.selectionSet.selections, 0, []);
    }
    return {};
  };
