/** The kinds of pictures, recognised by their content alone, and the one way to read any of them. */
import { Turns } from "../turns.ts";
import { jpeg, webp } from "./bitmap.ts";
import { gif } from "./gif.ts";
import { invalidPicture, MAX_PICTURE_BYTES, MAX_PIXELS, type Picture, type PictureKind, type Plan } from "./picture.ts";
import { png } from "./png.ts";
import { svg } from "./svg.ts";
import { tiff } from "./tiff.ts";

const kinds: readonly PictureKind[] = [jpeg, png, webp, gif, tiff, svg];

/** As many pixels are decoded at a time, of however many pictures; a larger picture is decoded alone. */
const PIXELS_AT_A_TIME = 64_000_000;
/** One thread is left to answering. */
const turns = new Turns(Math.max(1, navigator.hardwareConcurrency - 1), PIXELS_AT_A_TIME);

/** Undefined for a file that is no picture. Throws an ApplicationError for a broken one, and for one of too many pixels. */
export async function readPicture(path: string, head: Uint8Array, plan: Plan): Promise<Picture | undefined> {
  const letters = Buffer.from(head).toString("latin1");
  const kind = kinds.find(({ recognises }) => recognises(letters));
  if (!kind || Bun.file(path).size > MAX_PICTURE_BYTES) return undefined;
  const size = await kind.measure(path);
  if (!size) return undefined;
  const { pixels = size.width * size.height, ...source } = size;
  if (pixels > MAX_PIXELS) throw invalidPicture();
  return turns.run(pixels, () => kind.read(path, source, plan(source)));
}
