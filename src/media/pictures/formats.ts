/** Which scaled copies a picture gets, and how large they are. */
import type { Size } from "./picture.ts";

export interface Format extends Size {
  readonly key: string;
}

const THUMBNAIL: Format = { key: "thumbnail", width: 245, height: 156 };

/** The largest size of the same shape that fits into the box. */
function fitInside({ width, height }: Size, box: Size): Size {
  const [across, down] = [width / box.width, height / box.height];
  if (across > down) return { width: box.width, height: Math.max(1, Math.round(height / across)) };
  return { width: Math.max(1, Math.round(width / down)), height: box.height };
}

/** A copy is made for each box that the picture does not fit into. */
export function formatsFor(size: Size, breakpoints: Readonly<Record<string, number>>): Format[] {
  const squares = Object.entries(breakpoints).map(([key, side]) => ({ key, width: side, height: side }));
  return [THUMBNAIL, ...squares]
    .filter((box) => size.width > box.width || size.height > box.height)
    .map((box) => ({ key: box.key, ...fitInside(size, box) }));
}
