/** The result of processing an image: its size, the bytes to store, and scaled copies; and the limits of processing. */
import { ApiError } from "../../../lib/errors.ts";

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The size of an image, from which those of its copies are computed. */
export interface Source extends Size {
  /** Whether Strapi's decoder halves the image up to three times for small copies. */
  readonly isHalved?: boolean;
}

/** Returns the sizes of an image's copies. */
export type Plan = (source: Source) => readonly Size[];

export interface Encoded {
  /** The re-encoded image; undefined: the file is stored unchanged. */
  readonly stored: Uint8Array | undefined;
  /** In the order of the plan. */
  readonly copies: readonly Uint8Array[];
}

export interface ProcessedImage extends Source, Encoded {}

export interface Measured extends Source {
  /** The cost of decoding in pixels, including all frames and repeated scans. */
  readonly pixels: number;
}

/** A raster format. Its functions run in the worker, and throw an ApplicationError for broken content. */
export interface Raster {
  /** A file with a higher cost is stored unchanged, without copies. 0: none is decoded. */
  readonly maxPixels: number;
  /** Reads headers only. Undefined for a file that is not an image despite its signature. */
  readonly measure: (bytes: Buffer) => Measured | undefined | Promise<Measured | undefined>;
  /** Undefined: the file is stored as a plain file. */
  readonly read: (bytes: Buffer, size: Size, sizes: readonly Size[]) => Promise<Encoded | undefined>;
}

export type RasterName = "jpeg" | "png" | "webp" | "gif" | "tiff";

/** Recognises formats by the start of the file, as a Latin-1 string. */
export const signatures: Readonly<Record<RasterName, (head: string) => boolean>> = {
  jpeg: (head) => head.startsWith("\xff\xd8\xff"),
  png: (head) => head.startsWith("\x89PNG\r\n\x1a\n"),
  webp: (head) => head.startsWith("RIFF") && head.startsWith("WEBP", 8),
  gif: (head) => head.startsWith("GIF87a") || head.startsWith("GIF89a"),
  tiff: (head) => head.startsWith("II*\0") || head.startsWith("MM\0*"),
};

/** 0x3FFF by 0x3FFF, Strapi's limit: a file whose header claims more is refused. */
export const MAX_PIXELS = 0x3fff * 0x3fff;

/** Larger files are not read as images; in bytes. */
export const MAX_IMAGE_BYTES = 2 ** 27;

/** Quality of encoded images, from 0 to 100. */
export const QUALITY = 80;

export const invalidImage = (): ApiError => new ApiError("ApplicationError", "File is not a valid image");
