/** What a field wants of the media library. */
import type { MediaFile } from "./media-files.ts";

export interface Wanted {
  readonly isMultiple: boolean;
  /** An attribute's `allowedTypes`; undefined for every kind. */
  readonly allowed?: readonly string[] | undefined;
}

export interface Picking extends Wanted {
  readonly answer: (files: readonly MediaFile[] | undefined) => void;
}
