/** What a search for documents to link is for. */
import type { Leaf } from "../form/tree.ts";
import type { Related } from "../form/values.ts";

export interface RelationSearchProps {
  readonly node: Leaf;
  readonly describedBy: string;
  readonly placeholder: string;
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly Related[]>;
  readonly onChoose: (item: Related) => void;
  readonly onNew: () => void;
}

export interface OpenRelationSearchProps extends RelationSearchProps {
  /** What was typed before the search was there. */
  readonly text: string;
  readonly isOpen: boolean;
}
