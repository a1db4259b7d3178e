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

const fragmentsOf = ({ definitions }: DocumentNode): Map<string, SelectionSetNode> =>
  new Map(
    definitions.flatMap((definition) =>
      definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition.selectionSet] as const] : [],
    ),
  );

/** The fields of all operations, after fragments are expanded. */
export function countFields(document: DocumentNode): number {
  const counter = new Counter(fragmentsOf(document));
  let count = 0;
  for (const definition of document.definitions) {
    if (definition.kind === Kind.OPERATION_DEFINITION) count += counter.fields(definition.selectionSet);
  }
  return count;
}

/** Throws for an operation or fragment that selects too much, or for too many of them. */
export function checkSelections(document: DocumentNode): void {
  const { definitions } = document;
  const fragments = fragmentsOf(document);
  const operations = definitions.filter(({ kind }) => kind === Kind.OPERATION_DEFINITION).length;
  if (operations * fragments.size > MAX_FRAGMENT_VISITS) {
    refuse(`The document has ${operations} operations and ${fragments.size} fragments, which are too many together`);
  }
  if (fragments.size > MAX_FRAGMENTS) refuse(`The document has more than ${MAX_FRAGMENTS} fragments`);
  const counter = new Counter(fragments);
  for (const definition of definitions) {
    if (!("selectionSet" in definition) || counter.fields(definition.selectionSet) <= MAX_FIELDS) continue;
    refuse(`The operation selects more than ${MAX_FIELDS} fields`);
  }
}
