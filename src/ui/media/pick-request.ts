/** A request to choose files of the media library. */
import type { MediaFile } from "./media-files.ts";

export interface PickOptions {
  readonly isMultiple: boolean;
  /** An attribute's `allowedTypes`; undefined for every kind. */
  readonly allowed?: readonly string[] | undefined;
}

export interface PickRequest extends PickOptions {
  readonly answer: (files: readonly MediaFile[] | undefined) => void;
}
