/** Finds fields of a form by their paths in documents (`sections.0.title`), and the paths of fields. */
import { type Group, isList, type Node } from "../edit/form/tree.ts";

export interface FoundField {
  readonly node: Node;
  /** The entries that contain it, which may be folded. */
  readonly entries: readonly Group[];
}

/**
 * The innermost field of a path that the form has: paths lead on into related documents and files. Undefined if the form has none
 * of it.
 */
export function findField(form: Group, path: string): FoundField | undefined {
  const parts = path.split(".");
  const entries: Group[] = [];
  let group = form;
  let found: Node | undefined;
  for (let at = 0; at < parts.length; at++) {
    const node = group.nodes.get(parts[at]!);
    if (!node) break;
    found = node;
    if (node.kind === "leaf") break;
    const index = isList(node.attribute) ? Number(parts[++at]) : 0;
    const entry = node.entries.peek()[index];
    if (!entry) break;
    entries.push(entry);
    group = entry;
  }
  return found && { node: found, entries };
}

/** The path of the field with an id; undefined if the form has no such field. */
export function findPath({ nodes }: Group, id: string, prefix = ""): string | undefined {
  for (const node of nodes.values()) {
    const path = prefix + node.name;
    if (node.id === id) return path;
    if (node.kind === "leaf") continue;
    for (const [index, entry] of node.entries.peek().entries()) {
      const inner = findPath(entry, id, isList(node.attribute) ? `${path}.${index}.` : `${path}.`);
      if (inner !== undefined) return inner;
    }
  }
  return undefined;
}
