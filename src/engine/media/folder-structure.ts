/** The tree of the folders of the media library. */
import type { FolderRow, Folders } from "./folders.ts";

export interface FolderNode {
  readonly id: number;
  readonly name: string;
  readonly children: readonly FolderNode[];
}

/** The tree of all folders, sorted by name. */
export function folderStructure(folders: Folders): readonly FolderNode[] {
  const parents = folders.parents();
  const byParent = Map.groupBy(folders.all(), ({ id }) => parents.get(id));
  const nodes = (list: readonly FolderRow[] = []): FolderNode[] =>
    list
      .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
      .map(({ id, name }) => ({ id, name, children: nodes(byParent.get(id)) }));
  return nodes(byParent.get(undefined));
}
