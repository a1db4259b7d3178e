/** Which scaled copies a picture gets, and how large they are. */
import type { Size, Source } from "./picture.ts";

export interface Format extends Size {
  readonly key: string;
}

const THUMBNAIL: Format = { key: "thumbnail", width: 245, height: 156 };

/**
 * How often a picture is halved while it is decoded, for a copy that is smaller by `scale`: as often as it can be without
 * coming out as the copy itself.
 */
function halvingsFor(scale: number): number {
  const halvings = Math.min(3, Math.floor(Math.log2(scale)));
  return halvings > 0 && Math.floor(scale) === 2 ** halvings ? halvings - 1 : halvings;
}

/** The largest size of the same shape that fits into the box. */
function fitInside({ width, height, halves }: Source, box: Size): Size {
  const [across, down] = [width / box.width, height / box.height];
  const halvings = halves ? halvingsFor(Math.max(across, down)) : 0;
  if (halvings > 0) {
    // an odd side loses its last pixel, which can be seen in the other side of the copy
    const half = (side: number): number => Math.floor(side / 2 ** halvings);
    return fitInside({ width: half(width), height: half(height) }, box);
  }
  if (across > down) return { width: box.width, height: Math.max(1, Math.round(height / across)) };
  return { width: Math.max(1, Math.round(width / down)), height: box.height };
}

/** A copy is made for each box that the picture does not fit into. */
export function formatsFor(size: Source, breakpoints: Readonly<Record<string, number>>): Format[] {
  const squares = Object.entries(breakpoints).map(([key, side]) => ({ key, width: side, height: side }));
  return [THUMBNAIL, ...squares]
    .filter((box) => size.width > box.width || size.height > box.height)
    .map((box) => ({ key: box.key, ...fitInside(size, box) }));
}
