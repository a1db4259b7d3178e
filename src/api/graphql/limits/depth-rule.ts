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

/** Reports the first field of each branch that is too deep, before the errors of other rules. */
export const depthRule =
  (maxDepth: number): ValidationRule =>
  (context) => {
    for (const definition of context.getDocument().definitions)
      if (definition.kind === Kind.OPERATION_DEFINITION) checkDepth(context, maxDepth, definition);
    return {};
  };

function checkDepth(
  context: ValidationContext,
  maxDepth: number,
  { name, selectionSet }: OperationDefinitionNode,
): void {
  let steps = 0;

  /** Root fields have depth 0. Fragments and introspection fields do not count. */
  function visit(
    selections: readonly SelectionNode[],
    depth: number,
    ancestors: readonly FragmentDefinitionNode[],
  ): void {
    for (const selection of selections) {
      if (++steps > MAX_STEPS) return;
      if (depth > maxDepth) {
        const message = `'${name?.value ?? ""}' exceeds maximum operation depth of ${maxDepth}`;
        context.reportError(new GraphQLError(message, { nodes: selection }));
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const fragment = context.getFragment(selection.name.value);
        // a recursive fragment is refused by another rule
        if (fragment && !ancestors.includes(fragment))
          visit(fragment.selectionSet.selections, depth, [...ancestors, fragment]);
      } else if (selection.kind === Kind.INLINE_FRAGMENT) visit(selection.selectionSet.selections, depth, ancestors);
      else if (selection.selectionSet && !selection.name.value.startsWith("__"))
        visit(selection.selectionSet.selections, depth + 1, ancestors);
    }
  }

  visit(selectionSet.selections, 0, []);
}
