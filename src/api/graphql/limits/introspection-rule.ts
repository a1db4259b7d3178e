/** The validation rule for projects that disable introspection. */
import { GraphQLError, type ValidationRule } from "graphql";

const MESSAGE =
  "GraphQL introspection is not allowed by Apollo Server, but the query contained __schema or __type. To enable introspection, pass introspection: true to ApolloServer in production";

export const introspectionRule: ValidationRule = (context) => ({
  Field(node) {
    if (node.name.value !== "__schema" && node.name.value !== "__type") return;
    const extensions = { validationErrorCode: "INTROSPECTION_DISABLED" };
    context.reportError(new GraphQLError(MESSAGE, { nodes: node, extensions }));
  },
});
