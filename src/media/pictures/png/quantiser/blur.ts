/** Filters over maps of one byte for each pixel. */
import type { Size } from "../../picture.ts";

/** The average of `2 * radius` pixels of each row, written with rows and columns swapped. */
function averageRows(from: Uint8Array, to: Uint8Array, { width, height }: Size, radius: number): void {
  const count = radius * 2;
  for (let y = 0; y < height; y++) {
    const row = y * width;
    const first = from[row] as number;
    const last = from[row + width - 1] as number;
    let sum = first * radius;
    for (let x = 0; x < radius; x++) sum += from[row + x] as number;
    for (let x = 0; x < width; x++) {
      sum -= x < radius ? first : (from[row + x - radius] as number);
      sum += x < width - radius ? (from[row + x + radius] as number) : last;
      to[x * height + y] = (sum / count) | 0;
    }
  }
}

/** In place; a map that is smaller than what is averaged stays as it is. */
export function blur(map: Uint8Array, scratch: Uint8Array, { width, height }: Size, radius: number): void {
  if (width < 2 * radius + 1 || height < 2 * radius + 1) return;
  averageRows(map, scratch, { width, height }, radius);
  averageRows(scratch, map, { width: height, height: width }, radius);
}

/** Each pixel becomes the highest of itself and its four neighbours; with `flip` 255 the lowest. */
function spread(from: Uint8Array, to: Uint8Array, { width, height }: Size, flip: number): void {
  for (let y = 0; y < height; y++) {
    const row = y * width;
    // as the reference does it: the second row does not see the first
    const above = (y > 1 ? y - 1 : 0) * width;
    const below = Math.min(height - 1, y + 1) * width;
    let value = (from[row] as number) ^ flip;
    let before = value;
    for (let x = 0; x < width; x++) {
      const after = x < width - 1 ? (from[row + x + 1] as number) ^ flip : value;
      const over = Math.max((from[above + x] as number) ^ flip, (from[below + x] as number) ^ flip);
      to[row + x] = Math.max(value, Math.max(before, after), over) ^ flip;
      before = value;
      value = after;
    }
  }
}

export const lighten = (from: Uint8Array, to: Uint8Array, size: Size): void => spread(from, to, size, 0);
export const darken = (from: Uint8Array, to: Uint8Array, size: Size): void => spread(from, to, size, 255);
