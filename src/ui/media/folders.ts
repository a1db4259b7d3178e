/** Folders of the media library, as the server answers them. */

export interface Folder {
  readonly id: number;
  readonly name: string;
  /** Made of the folders above it: files in it have the same `folderPath`. */
  readonly path: string;
  readonly children?: { readonly count: number };
  readonly files?: { readonly count: number };
}

/** A folder with those in it. */
export interface FolderNode {
  readonly id: number;
  readonly name: string;
  readonly children: readonly FolderNode[];
}

/** The path from the root to the folder; empty if it does not exist. */
export function trailTo(nodes: readonly FolderNode[], id: number): readonly FolderNode[] {
  for (const node of nodes) {
    if (node.id === id) return [node];
    const below = trailTo(node.children, id);
    if (below.length > 0) return [node, ...below];
  }
  return [];
}

/** Every folder with its depth, as a list shows them. `without`: those are left out with what is below them. */
export function flattened(
  nodes: readonly FolderNode[],
  without: ReadonlySet<number> = new Set(),
  depth = 0,
): readonly { readonly node: FolderNode; readonly depth: number }[] {
  return nodes
    .filter(({ id }) => !without.has(id))
    .flatMap((node) => [{ node, depth }, ...flattened(node.children, without, depth + 1)]);
}
