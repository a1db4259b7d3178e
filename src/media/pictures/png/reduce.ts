/** A PNG file as the reference stores it: with fewer colours. */
import { DECODING, ifDecodes } from "../decoding.ts";
import { isIntact } from "./chunks.ts";
import { quantise } from "./quantiser/index.ts";
import { readPng } from "./reader.ts";
import { writePng } from "./writer.ts";

/** Finding a palette for more pixels, those of a large screen, takes longer than anybody waits: they keep their colours. */
const MOST_REDUCED_PIXELS = 2 ** 23;

async function reduce(file: Uint8Array, quality: number): Promise<Uint8Array> {
  const image = new Bun.Image(file, DECODING);
  const { width, height } = await image.metadata();
  if (width * height > MOST_REDUCED_PIXELS) return image.png().bytes();
  const { rgba, density, ...size } = await readPng(file);
  return writePng({ ...size, ...quantise(rgba, size, quality), density });
}

/** Undefined for what is no PNG file, or a broken one. */
export const reducePng = async (file: Uint8Array, quality: number): Promise<Uint8Array | undefined> =>
  isIntact(file) ? ifDecodes(() => reduce(file, quality)) : undefined;
