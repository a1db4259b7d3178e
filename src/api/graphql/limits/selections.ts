/**
 * Limits the selections of a document before it is validated: with nested fragments, a short text can select exponentially
 * many fields. (graphql-js limits the comparisons of fields with the same name itself.)
 */
import { type DocumentNode, type FieldNode, GraphQLError, Kind, type SelectionSetNode } from "graphql";

/** Fields, after fragments are expanded. */
const MAX_FIELDS = 5_000;
/** Validation compares fragments that spread each other. */
const MAX_FRAGMENTS = 1_000;
/** Operations times fragments: validation follows the fragments of each operation. */
const MAX_FRAGMENT_VISITS = 20_000;

/** Pairs of fields with the same response key, which validation compares: a tenth of what graphql-js compares. */
const MAX_COMPARISONS = 50_000;
/** Of a pair of fields with neither arguments nor selections, which many fragments have in common. */
const LEAF_COST = 0.1;

const refuse = (message: string): never => {
  throw new GraphQLError(message, { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } });
};

type Fragments = ReadonlyMap<string, SelectionSetNode>;

export const listFragments = ({ definitions }: DocumentNode): Fragments =>
  new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  );

/** Adds up what fields count, with those of fragments. Each of these is counted once for a `mode`; recursion adds nothing. */
export function createSum(fragments: Fragments) {
  const sums = new Map<string, number>();
  return function sum(
    { selections }: SelectionSetNode,
    mode: string,
    countField: (field: FieldNode) => number,
  ): number {
    let count = 0;
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) count += countField(selection);
      else if (selection.kind === Kind.INLINE_FRAGMENT) count += sum(selection.selectionSet, mode, countField);
      else {
        const key = `${mode} ${selection.name.value}`;
        const fragment = fragments.get(selection.name.value);
        if (fragment && !sums.has(key)) {
          sums.set(key, 0);
          sums.set(key, sum(fragment, mode, countField));
        }
        count += sums.get(key) ?? 0;
      }
    }
    return count;
  };
}

function createFieldCount(fragments: Fragments): (set: SelectionSetNode) => number {
  const sum = createSum(fragments);
  const count = (set: SelectionSetNode): number =>
    sum(set, "", ({ selectionSet }) => 1 + (selectionSet ? count(selectionSet) : 0));
  return count;
}

/** Throws for too many pairs of fields that share a response key, at all levels below merged selection sets. */
function checkComparisons(fragments: Fragments, root: SelectionSetNode): void {
  /** More than MAX_FIELDS only if fragments contain each other, which validation refuses. */
  let visits = 0;
  function count(sets: readonly SelectionSetNode[], before: number): number {
    const below = new Map<string, SelectionSetNode[]>();
    const seen = new Set<SelectionSetNode>();
    let pairs = before;
    const counts = new Map<string, number>();
    const collect = (set: SelectionSetNode | undefined): void => {
      if (!set || seen.has(set)) return;
      seen.add(set);
      for (const selection of set.selections) {
        if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
        else if (selection.kind === Kind.FRAGMENT_SPREAD) collect(fragments.get(selection.name.value));
        else if (++visits <= MAX_FIELDS) {
          const key = (selection.alias ?? selection.name).value;
          const others = counts.get(key) ?? 0;
          counts.set(key, others + 1);
          const isCompared = selection.selectionSet !== undefined || (selection.arguments?.length ?? 0) > 0;
          pairs += isCompared ? others : others * LEAF_COST;
          if (selection.selectionSet) below.getOrInsertComputed(key, () => []).push(selection.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    if (pairs > MAX_COMPARISONS)
      refuse(`The operation selects more than ${MAX_COMPARISONS} pairs of fields with the same name`);
    for (const nested of below.values()) pairs = count(nested, pairs);
    return pairs;
  }
  count([root], 0);
}

/** The fields of all operations, after fragments are expanded. */
export function countFields(document: DocumentNode): number {
  const count = createFieldCount(listFragments(document));
  return document.definitions.reduce(
    (sum, definition) => (definition.kind === Kind.OPERATION_DEFINITION ? sum + count(definition.selectionSet) : sum),
    0,
  );
}

/** Throws for an operation or fragment that selects too much, or for too many of them. */
export function checkSelections(document: DocumentNode): void {
  const { definitions } = document;
  const fragments = listFragments(document);
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  if (operations * fragments.size > MAX_FRAGMENT_VISITS) {
    refuse(`The document has ${operations} operations and ${fragments.size} fragments, which are too many together`);
  }
  if (fragments.size > MAX_FRAGMENTS) refuse(`The document has more than ${MAX_FRAGMENTS} fragments`);
  const count = createFieldCount(fragments);
  for (const definition of definitions) {
    if (!("selectionSet" in definition)) continue;
    if (count(definition.selectionSet) > MAX_FIELDS) refuse(`The operation selects more than ${MAX_FIELDS} fields`);
    if (definition.kind === Kind.OPERATION_DEFINITION) checkComparisons(fragments, definition.selectionSet);
  }
}

/** What graphql-js says of its limits, and the same with the limit. */
const reasons: ReadonlyMap<string, string> = new Map([
  [
    "Validation aborted.",
    "Validation aborted: comparing the arguments and selections of fields with the same name exceeds the limit of 500000 steps",
  ],
  [
    "Too many validation errors, error limit reached. Validation aborted.",
    "Too many validation errors, error limit of 100 reached. Validation aborted.",
  ],
]);

/** The same error with the number of the limit that has ended the validation. */
export function withReason(error: GraphQLError): GraphQLError {
  const reason = reasons.get(error.message);
  return reason === undefined ? error : new GraphQLError(reason);
}
