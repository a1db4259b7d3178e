/**
 * How much a document may select, looked at before it is validated: GraphQL's rules compare fields of one name with each
 * other, and fragments in fragments can make a short text select without end.
 */
import { type DocumentNode, GraphQLError, Kind, type SelectionNode, type SelectionSetNode } from "graphql";

/** Fields, once all fragments are in their places. */
const MAX_FIELDS = 5_000;
/** Pairs of fields that have one key in the answer. */
const MAX_PAIRS = 500_000;

type Fragments = ReadonlyMap<string, SelectionSetNode>;

const refuse = (message: string): never => {
  throw new GraphQLError(message, { extensions: { code: "GRAPHQL_VALIDATION_FAILED" } });
};

class Counter {
  readonly #fragments: Fragments;
  readonly #counted = new Map<string, number>();

  constructor(fragments: Fragments) {
    this.#fragments = fragments;
  }

  /** Fields in a selection set. Each fragment is counted once, and one that contains itself adds nothing there. */
  fields({ selections }: SelectionSetNode): number {
    let count = 0;
    for (const selection of selections) count += this.#selection(selection);
    return count;
  }

  #selection(selection: SelectionNode): number {
    if (selection.kind === Kind.FIELD) return 1 + (selection.selectionSet ? this.fields(selection.selectionSet) : 0);
    if (selection.kind === Kind.INLINE_FRAGMENT) return this.fields(selection.selectionSet);
    const name = selection.name.value;
    const known = this.#counted.get(name);
    if (known !== undefined) return known;
    this.#counted.set(name, 0);
    const fragment = this.#fragments.get(name);
    const count = fragment ? this.fields(fragment) : 0;
    this.#counted.set(name, count);
    return count;
  }
}

/** How often each key occurs in the text, fragments included. */
function keysOf(set: SelectionSetNode, found: Map<string, number>): void {
  for (const selection of set.selections) {
    const key = selection.kind === Kind.FIELD ? (selection.alias ?? selection.name).value : undefined;
    if (key !== undefined) found.set(key, (found.get(key) ?? 0) + 1);
    if (selection.kind !== Kind.FRAGMENT_SPREAD && selection.selectionSet) keysOf(selection.selectionSet, found);
  }
}

/** Throws for a document that selects too much. */
export function checkSelections({ definitions }: DocumentNode): void {
  const fragments = new Map<string, SelectionSetNode>();
  const keys = new Map<string, number>();
  for (const definition of definitions) {
    if (definition.kind === Kind.FRAGMENT_DEFINITION) fragments.set(definition.name.value, definition.selectionSet);
    if ("selectionSet" in definition) keysOf(definition.selectionSet, keys);
  }
  let pairs = 0;
  for (const count of keys.values()) pairs += (count * (count - 1)) / 2;
  if (pairs > MAX_PAIRS) refuse("The operation selects the same fields too often");
  const counter = new Counter(fragments);
  for (const definition of definitions) {
    const count = "selectionSet" in definition ? counter.fields(definition.selectionSet) : 0;
    if (count > MAX_FIELDS) refuse(`The operation selects more than ${MAX_FIELDS} fields`);
  }
}
