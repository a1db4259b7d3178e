/** The validation rule for the maximum depth of a query, with Strapi's message. */
import {
  type FragmentDefinitionNode,
  GraphQLError,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type ValidationContext,
  type ValidationRule,
} from "graphql";

/** The maximum number of visited selections: nested fragments can expand exponentially. */
const MAX_STEPS = 50_000;

class DepthCheck {
  readonly #context: ValidationContext;
  readonly #maxDepth: number;
  readonly #name: string;
  #steps = 0;

  constructor(context: ValidationContext, maxDepth: number, operation: OperationDefinitionNode) {
    this.#context = context;
    this.#maxDepth = maxDepth;
    this.#name = operation.name?.value ?? "";
  }

  /** Root fields have depth 0. Fragments and introspection fields do not count. */
  visit(selections: readonly SelectionNode[], depth: number, ancestors: readonly FragmentDefinitionNode[]): void {
    for (const selection of selections) {
      if (++this.#steps > MAX_STEPS) return;
      if (depth > this.#maxDepth) {
        const message = `'${this.#name}' exceeds maximum operation depth of ${this.#maxDepth}`;
        this.#context.reportError(new GraphQLError(message, { nodes: selection }));
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = this.#context.getFragment(selection.name.value);
        // a recursive fragment is refused by another rule
        if (fragment && !ancestors.includes(fragment)) {
          this.visit(fragment.selectionSet.selections, depth, [...ancestors, fragment]);
        }
      } else if (selection.kind === Kind.INLINE_FRAGMENT) {
        this.visit(selection.selectionSet.selections, depth, ancestors);
      } else if (selection.selectionSet && !selection.name.value.startsWith("__")) {
        this.visit(selection.selectionSet.selections, depth + 1, ancestors);
      }
    }
  }
}

/** Reports the first field of each branch that is too deep, before the errors of other rules. */
export const depthRule =
  (maxDepth: number): ValidationRule =>
  (context) => {
    for (const definition of context.getDocument().definitions) {
      if (definition.kind !== Kind.OPERATION_DEFINITION) continue;
      new DepthCheck(context, maxDepth, definition).visit(definition.selectionSet.selections, 0, []);
    }
    return {};
  };
