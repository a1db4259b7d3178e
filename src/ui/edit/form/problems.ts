/** Validation errors at the fields of a form. */
import type { Problem } from "../../api/client.ts";
import { isJsonText } from "../../editors/json/json-text.ts";
import { findFieldType } from "./field-types.ts";
import { problemText } from "./problem-text.ts";
import { currentValue, type Entries, type Group, isList, isVisibleIn, type Leaf, type Node } from "./tree.ts";

function* listNodes(group: Group): Generator<Node> {
  for (const node of group.nodes.values()) {
    yield node;
    if (node.kind === "entries") for (const entry of node.entries.peek()) yield* listNodes(entry);
  }
}

export function clearProblems(group: Group): void {
  for (const node of listNodes(group)) node.problem.value = undefined;
}

/**
 * Sets an error at the field of its path, or at the nearest ancestor, and unfolds the entries around it.
 * Returns the node; undefined for an unknown path.
 */
function placeProblem(group: Group, path: readonly string[], message: string): Node | undefined {
  const [name = "", ...rest] = path;
  const node = group.nodes.get(name);
  if (!node) return undefined;
  const inner = node.kind === "entries" ? placeInEntries(node, rest, message) : undefined;
  if (inner) return inner;
  node.problem.value ??= problemText(message, name);
  return node;
}

/** As `placeProblem`, for all of them. `others` are the messages that belong to no field. */
export function placeProblems(
  group: Group,
  problems: readonly Problem[],
): { readonly first: Node | undefined; readonly others: readonly string[] } {
  const others: string[] = [];
  let first: Node | undefined;
  for (const { path, message } of problems) {
    const names = (Array.isArray(path) ? path.map(String) : String(path).split(".")).filter(Boolean);
    const node = placeProblem(group, names, message);
    first ??= node;
    if (!node) others.push(message);
  }
  return { first, others };
}

function placeInEntries({ attribute, entries }: Entries, path: readonly string[], message: string): Node | undefined {
  const entry = entries.peek()[isList(attribute) ? Number(path[0]) : 0];
  const found = entry && placeProblem(entry, isList(attribute) ? path.slice(1) : path, message);
  if (found) entry.isOpen.value = true;
  return found;
}

interface PlacedLeaf {
  readonly path: readonly string[];
  readonly leaf: Leaf;
}

function* visibleLeaves(group: Group, path: readonly string[] = []): Generator<PlacedLeaf> {
  for (const [name, node] of group.nodes) {
    if (!isVisibleIn(group, node)) continue;
    const own = [...path, name];
    if (node.kind === "leaf") {
      yield { path: own, leaf: node };
      continue;
    }
    for (const [index, entry] of node.entries.peek().entries())
      yield* visibleLeaves(entry, isList(node.attribute) ? [...own, String(index)] : own);
  }
}

async function textProblem(leaf: Leaf): Promise<string | undefined> {
  if (leaf.textProblem !== undefined || findFieldType(leaf.attribute) !== "json") return leaf.textProblem;
  const text = currentValue(leaf);
  if (typeof text !== "string" || isJsonText(text)) return undefined;
  // its parser is loaded where there is a text
  const { describeJsonError, jsonError } = await import("../../editors/json/json-error.ts");
  const error = jsonError(text);
  return error ? describeJsonError(error, text) : "This is not JSON";
}

/** Texts of inputs that are not values, with the place in those that are not JSON. They would keep the form from being sent. */
export async function textProblems(form: Group): Promise<readonly Problem[]> {
  const problems: Problem[] = [];
  for (const { path, leaf } of visibleLeaves(form)) {
    const message = await textProblem(leaf);
    if (message !== undefined) problems.push({ path, message });
  }
  return problems;
}

/** Required files that are missing. As in Strapi, it is the page that refuses to publish without them. */
export const missingFiles = (form: Group): readonly Problem[] =>
  [...visibleLeaves(form)]
    .filter(({ leaf: { attribute, value } }) => {
      const isRequired = attribute.type === "media" && attribute.required === true;
      return isRequired && (value.peek() as readonly unknown[]).length === 0;
    })
    .map(({ path }) => ({ path, message: "Required" }));
