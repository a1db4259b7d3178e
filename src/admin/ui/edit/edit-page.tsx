/** One document. */
import type { ContentType } from "../model.ts";

export interface EditPageProps {
  readonly type: ContentType;
  /** Undefined for single types. */
  readonly documentId: string | undefined;
}

export function EditPage({ type }: EditPageProps) {
  return <h1>{type.info.displayName}</h1>;
}
