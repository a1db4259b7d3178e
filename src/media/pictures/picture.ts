/** What a kind of picture makes of a file: its size, the bytes to store, and scaled copies. */
import { ApiError } from "../../errors.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** What the sizes of copies are computed from. */
export interface Source extends Size {
  /** The decoder halves the picture by itself, up to three times, where a copy is that much smaller. */
  readonly halves?: boolean;
}

/** The sizes of the copies that a picture gets. */
export type Plan = (source: Source) => readonly Size[];

export interface Picture extends Source {
  /** Re-encoded; undefined: stored as it was sent. */
  readonly stored: Uint8Array | undefined;
  /** In the order of the plan. */
  readonly copies: readonly Uint8Array[];
}

export interface Measured extends Source {
  /** Where several frames are decoded, those of all. */
  readonly pixels?: number;
}

export interface PictureKind {
  /** By the beginning of the file, one letter per byte. */
  readonly recognises: (head: string) => boolean;
  /** From the header; undefined for a file that is no picture after all. */
  readonly measure: (path: string) => Promise<Measured | undefined>;
  /** `size` is what was measured. Undefined for a file that is kept as a plain one. Throws an ApplicationError for a broken one. */
  readonly read: (path: string, size: Source, sizes: readonly Size[]) => Promise<Picture | undefined>;
}

/** 0x3FFF by 0x3FFF, the reference's limit: what claims to be larger is refused by its header, before it is decoded. */
export const MAX_PIXELS = 0x3fff * 0x3fff;

/** Files beyond this are not taken for pictures, in bytes. */
export const MAX_PICTURE_BYTES = 256 * 1_048_576;

/** The quality at which pictures are encoded, of 100. */
export const QUALITY = 80;

export const invalidPicture = (): ApiError => new ApiError("ApplicationError", "File is not a valid image");
