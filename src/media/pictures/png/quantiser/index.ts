/**
 * Reduces a picture to a palette, pixel by pixel as libimagequant 2.4 does it in the reference. A translation of that
 * library into TypeScript: its licence is in LICENSE beside this file.
 */
import type { Size } from "../../picture.ts";
import { toBytes, toColours } from "./colour.ts";
import { dither } from "./dither.ts";
import { findPalette } from "./find-palette.ts";
import { createHistogram } from "./histogram.ts";
import { mapImportance } from "./importance.ts";
import { limitDithering, remap } from "./remap.ts";

export interface Quantised {
  /** RGBA of each colour, those with alpha first. */
  readonly palette: Uint8Array;
  readonly indexes: Uint8Array;
}

/** `quality` is below 100: at 100 the library does without some of the steps. */
export function quantise(rgba: Uint8Array, size: Size, quality: number): Quantised {
  const importance = mapImportance(rgba, size);
  const histogram = createHistogram(rgba, size, importance?.smooth);
  const { palette, error } = findPalette(histogram, quality);
  const indexes = new Uint8Array(size.width * size.height);
  const dithering = { error, map: importance?.even };
  if (dithering.map) {
    dithering.error = remap(rgba, size, palette, histogram.isCoarse, indexes);
    limitDithering(dithering.map, indexes, size);
  }
  const bytes = toBytes(palette.colours);
  // what is written is what is dithered to
  toColours(bytes, 0, palette.size, palette.colours);
  dither(rgba, size, palette, dithering, indexes);
  return { palette: bytes, indexes };
}
