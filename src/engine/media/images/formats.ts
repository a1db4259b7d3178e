/** Computes the sizes of an image's scaled copies. */
import type { Size, Source } from "./image.ts";

export interface Format extends Size {
  readonly key: string;
}

const THUMBNAIL: Format = { key: "thumbnail", width: 245, height: 156 };

/**
 * How often the decoder halves an image for a copy that is smaller by the factor `scale`, as in Strapi: at most three
 * times, and never down to the exact size of the copy.
 */
function halvingsFor(scale: number): number {
  const halvings = Math.min(3, Math.floor(Math.log2(scale)));
  return halvings > 0 && Math.floor(scale) === 2 ** halvings ? halvings - 1 : halvings;
}

/** The largest size with the same aspect ratio that fits into the box. */
function fitInto({ width, height, isHalved }: Source, box: Size): Size {
  const [widthRatio, heightRatio] = [width / box.width, height / box.height];
  const halvings = isHalved ? halvingsFor(Math.max(widthRatio, heightRatio)) : 0;
  if (halvings > 0) {
    // halving an odd side drops a pixel, which changes the aspect ratio
    const half = (side: number): number => Math.floor(side / 2 ** halvings);
    return fitInto({ width: half(width), height: half(height) }, box);
  }
  if (widthRatio > heightRatio) return { width: box.width, height: Math.max(1, Math.round(height / widthRatio)) };
  return { width: Math.max(1, Math.round(width / heightRatio)), height: box.height };
}

/** The image gets a copy for each box that it does not fit into. */
export function formatsFor(size: Source, breakpoints: Readonly<Record<string, number>>): Format[] {
  const squares = Object.entries(breakpoints).map(([key, side]) => ({ key, width: side, height: side }));
  return [THUMBNAIL, ...squares]
    .filter((box) => size.width > box.width || size.height > box.height)
    .map((box) => ({ key: box.key, ...fitInto(size, box) }));
}
