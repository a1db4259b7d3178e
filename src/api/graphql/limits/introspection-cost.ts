/**
 * Limits introspection. The schema is large, and aliases multiply it, so that a short document could request megabytes. The
 * limit is a multiple of the cost of the standard introspection query.
 */
import {
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  getIntrospectionQuery,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isUnionType,
  Kind,
  parse,
  type SelectionSetNode,
} from "graphql";
import { createSum, listFragments } from "./selections.ts";

/** Tools request the whole schema once or twice in a document. */
const STANDARD_QUERIES = 2;
/** A list of all types counts as this fraction of the standard query at least: no tool asks for many of them. */
const LEAST_OF_TYPES = 1 / 5;

const introspectionFields: ReadonlySet<string> = new Set(["__schema", "__type"]);
const NO_LISTS: ReadonlyMap<string, Lengths> = new Map();

/** The average and the largest length of a list. */
interface Lengths {
  readonly average: number;
  readonly largest: number;
}

function summarizeLengths(lengths: readonly number[], count = lengths.length): Lengths {
  const sum = lengths.reduce((total, length) => total + length, 0);
  return { average: count === 0 ? 0 : sum / count, largest: lengths.reduce((a, b) => Math.max(a, b), 0) };
}

/** The lengths of the lists of introspection types, by field name. */
function listLengths(schema: GraphQLSchema): ReadonlyMap<string, Lengths> {
  const types = Object.values(schema.getTypeMap());
  const withFields = types.filter((type) => isObjectType(type) || isInterfaceType(type));
  const fields = withFields.flatMap((type) => Object.values(type.getFields()));
  const summarizeCounts = (lengths: readonly number[]): Lengths => summarizeLengths(lengths, types.length);
  return new Map([
    ["types", summarizeLengths([types.length])],
    ["directives", summarizeLengths([schema.getDirectives().length])],
    ["args", summarizeLengths(fields.map(({ args }) => args.length))],
    ["fields", summarizeCounts(withFields.map((type) => Object.keys(type.getFields()).length))],
    ["interfaces", summarizeCounts(withFields.map((type) => type.getInterfaces().length))],
    ["enumValues", summarizeCounts(types.filter(isEnumType).map((type) => type.getValues().length))],
    [
      "inputFields",
      summarizeCounts(types.filter(isInputObjectType).map((type) => Object.keys(type.getFields()).length)),
    ],
    [
      "possibleTypes",
      summarizeCounts(
        types
          .filter((type) => isUnionType(type) || isInterfaceType(type))
          .map((type) => schema.getPossibleTypes(type).length),
      ),
    ],
  ]);
}

/** The number of values in the largest introspection response of a document. `ofTypes`: the cost of a list of all types at least. */
function computeCost(lists: ReadonlyMap<string, Lengths>, document: DocumentNode, ofTypes = 0): number {
  const sum = createSum(listFragments(document));

  /** The cost of the introspection fields of an operation's root. */
  function ofRoot(root: SelectionSetNode): number {
    return sum(root, "root", ({ name, selectionSet }) =>
      introspectionFields.has(name.value) && selectionSet ? 1 + nestedCost(selectionSet, false) : 0,
    );
  }

  /** `isEveryType`: all types are selected, so that average lengths apply; otherwise the largest ones. */
  function nestedCost(selectionSet: SelectionSetNode, isEveryType: boolean): number {
    return sum(selectionSet, isEveryType ? "every" : "one", ({ name: { value: name }, selectionSet: nested }) => {
      if (!nested) return 1;
      const lengths = lists.get(name);
      if (!lengths) return 1 + nestedCost(nested, false);
      const length = isEveryType ? lengths.average : lengths.largest;
      const isTypes = name === "types";
      const cost = 1 + length * (1 + nestedCost(nested, isTypes || (isEveryType && name === "fields")));
      return isTypes ? Math.max(cost, ofTypes) : cost;
    });
  }

  let max = 0;
  for (const definition of document.definitions)
    if (definition.kind === Kind.OPERATION_DEFINITION) max = Math.max(max, ofRoot(definition.selectionSet));
  return max;
}

/** With all options. */
const standardQuery = (): DocumentNode =>
  parse(getIntrospectionQuery({ specifiedByUrl: true, directiveIsRepeatable: true, inputValueDeprecation: true }));

/** Creates the check for a schema, whose lengths are computed with the first introspection. */
export function introspectionLimit(schema: GraphQLSchema): (document: DocumentNode) => void {
  let limit: { readonly lists: ReadonlyMap<string, Lengths>; readonly standard: number } | undefined;
  const computeLimit = () => {
    const lists = listLengths(schema);
    return { lists, standard: computeCost(lists, standardQuery()) };
  };
  return (document) => {
    // no introspection: the lengths are not needed
    if (computeCost(NO_LISTS, document) === 0) return;
    limit ??= computeLimit();
    const { lists, standard } = limit;
    if (computeCost(lists, document, LEAST_OF_TYPES * standard) <= STANDARD_QUERIES * standard) return;
    throw new GraphQLError(
      `The operation exceeds the limit of introspection: it reads more than ${STANDARD_QUERIES} times the whole schema, of which each list of types is ${LEAST_OF_TYPES} at least`,
      { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } },
    );
  };
}
