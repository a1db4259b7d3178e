/**
 * Limits the selections of a document before it is validated: with nested fragments, a short text can select exponentially
 * many fields. (graphql-js limits the comparisons of fields with the same name itself.)
 */
import { type DocumentNode, GraphQLError, Kind, type SelectionNode, type SelectionSetNode } from "graphql";

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

class Counter {
  readonly #fragments: Fragments;
  readonly #counts = new Map<string, number>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  /** Counts the fields of a selection set. The count of a fragment is cached; recursion adds nothing. */
  fields({ selections }: SelectionSetNode): number {
    let count = 0;
    for (const selection of selections) count += this.#selection(selection);
    return count;
  }

  /** Of fields by `comparisons`: more than MAX_FIELDS only if fragments contain each other, which validation refuses. */
  #visits = 0;

  /** The pairs of fields that share a response key, at all levels below merged selection sets. Throws for too many. */
  comparisons(sets: readonly SelectionSetNode[], before = 0): number {
    const below = new Map<string, SelectionSetNode[]>();
    const seen = new Set<SelectionSetNode>();
    let count = before;
    const counts = new Map<string, number>();
    const collect = (set: SelectionSetNode | undefined): void => {
      if (!set || seen.has(set)) return;
      seen.add(set);
      for (const selection of set.selections) {
        if (selection.kind === Kind.INLINE_FRAGMENT) collect(selection.selectionSet);
        else if (selection.kind === Kind.FRAGMENT_SPREAD) collect(this.#fragments.get(selection.name.value));
        else if (++this.#visits <= MAX_FIELDS) {
          const key = (selection.alias ?? selection.name).value;
          const others = counts.get(key) ?? 0;
          counts.set(key, others + 1);
          const isCompared = selection.selectionSet !== undefined || (selection.arguments?.length ?? 0) > 0;
          count += isCompared ? others : others * LEAF_COST;
          if (selection.selectionSet) below.getOrInsertComputed(key, () => []).push(selection.selectionSet);
        }
      }
    };
    for (const set of sets) collect(set);
    if (count > MAX_COMPARISONS)
      refuse(`The operation selects more than ${MAX_COMPARISONS} pairs of fields with the same name`);
    for (const nested of below.values()) count = this.comparisons(nested, count);
    return count;
  }

  #selection(selection: SelectionNode): number {
    if (selection.kind === Kind.FIELD) return 1 + (selection.selectionSet ? this.fields(selection.selectionSet) : 0);
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.fields(selection.selectionSet);
    const name = selection.name.value;
    const cached = this.#counts.get(name);
    if (cached !== undefined) return cached;
    this.#counts.set(name, 0);
    const fragment = this.#fragments.get(name);
    const count = fragment ? this.fields(fragment) : 0;
    this.#counts.set(name, count);
    return count;
  }
}

const listFragments = ({ definitions }: DocumentNode): Map<string, SelectionSetNode> =>
  new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  );

/** The fields of all operations, after fragments are expanded. */
export function countFields(document: DocumentNode): number {
  const counter = new Counter(listFragments(document));
  let count = 0;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) count += counter.fields(definition.selectionSet);
  }
  return count;
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
  const counter = new Counter(fragments);
  for (const definition of definitions) {
    if (!("selectionSet" in definition)) continue;
    if (counter.fields(definition.selectionSet) > MAX_FIELDS)
      refuse(`The operation selects more than ${MAX_FIELDS} fields`);
    if (definition.kind === Kind.OPERATION_DEFINITION) new Counter(fragments).comparisons([definition.selectionSet]);
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
