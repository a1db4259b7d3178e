/** A PNG file with fewer colours, as the reference stores it. */

import { quantise } from "./quantiser/index.ts";
import { readPng } from "./reader.ts";
import { writePng } from "./writer.ts";

/** Rejects with Bun's errors for what is no PNG file. */
export async function reducePng(file: Uint8Array, quality: number): Promise<Uint8Array> {
  const { rgba, density, ...size } = await readPng(file);
  return writePng({ ...size, ...quantise(rgba, size, quality), density });
}
