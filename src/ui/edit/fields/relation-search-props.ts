/** The props of the search for documents to link. */
import type { Leaf } from "../form/tree.ts";
import type { RelatedDocument } from "../form/values.ts";

export interface RelationSearchProps {
  readonly node: Leaf;
  readonly describedBy: string;
  readonly placeholder: string;
  readonly find: (text: string, signal: AbortSignal) => Promise<readonly RelatedDocument[]>;
  readonly onChoose: (item: RelatedDocument) => void;
  /** `text`: what was searched for. */
  readonly onNew: (text: string) => void;
}

export interface OpenRelationSearchProps extends RelationSearchProps {
  /** What was typed before the component was loaded. */
  readonly text: string;
  readonly isOpen: boolean;
}
