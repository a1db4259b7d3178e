/** Scaled copies of a GIF picture, with all its frames. Takes its time: runs in the worker. */
import type { applyPalette, GIFEncoder, quantize } from "gifenc";
import type { GifReader } from "omggif";
import type { Size } from "./picture.ts";
import { shrink } from "./shrink.ts";

interface Encoding {
  readonly GIFEncoder: typeof GIFEncoder;
  readonly applyPalette: typeof applyPalette;
  readonly quantize: typeof quantize;
}

const KEEP = 1;
const TO_BACKGROUND = 2;
const TO_PREVIOUS = 3;
/** Half transparent pixels become transparent below this. */
const OPAQUE = 128;

interface Frame {
  readonly pixels: Uint8Array;
  /** Hundredths of a second. */
  readonly delay: number;
}

/** Every frame as it is seen: what a frame leaves out shows the frames before it. The pixels are only good until the next. */
function* framesOf(reader: GifReader): Generator<Frame> {
  const { width, height } = reader;
  const canvas = new Uint8Array(width * height * 4);
  for (let index = 0; index < reader.numFrames(); index++) {
    const info = reader.frameInfo(index);
    const before = info.disposal === TO_PREVIOUS ? canvas.slice() : undefined;
    reader.decodeAndBlitFrameRGBA(index, canvas);
    yield { pixels: canvas, delay: info.delay };
    if (before) canvas.set(before);
    if (info.disposal !== TO_BACKGROUND) continue;
    for (let y = info.y; y < Math.min(info.y + info.height, height); y++) {
      const row = y * width;
      canvas.fill(0, (row + info.x) * 4, (row + Math.min(info.x + info.width, width)) * 4);
    }
  }
}

function hasHoles(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}

/** Repeats in the encoder's terms: -1 for none, 0 for ever. */
const repeats = (reader: GifReader): number => reader.loopCount() ?? -1;

/** Undefined for data that is no GIF. */
export function copyGif(bytes: Uint8Array, sizes: readonly Size[]): Uint8Array[] | undefined {
  const { GifReader: Reader } = require("omggif") as { GifReader: typeof GifReader };
  try {
    return copyFrames(new Reader(bytes), sizes);
  } catch (error) {
    // the package throws whatever it stumbles over
    if (error instanceof Error || typeof error === "string") return undefined;
    throw error;
  }
}

function copyFrames(reader: GifReader, sizes: readonly Size[]): Uint8Array[] {
  const { GIFEncoder, quantize, applyPalette } = require("gifenc") as Encoding;
  const from = { width: reader.width, height: reader.height };
  const encoders = sizes.map(() => GIFEncoder());
  for (const { pixels, delay } of framesOf(reader)) {
    for (const [index, size] of sizes.entries()) {
      const scaled = shrink(pixels, from, size);
      const holes = hasHoles(scaled);
      const format = holes ? "rgba4444" : "rgb565";
      const palette = quantize(scaled, 256, { format, oneBitAlpha: OPAQUE - 1 });
      const transparentIndex = palette.findIndex((colour) => colour[3] === 0);
      encoders[index]?.writeFrame(applyPalette(scaled, palette, format), size.width, size.height, {
        palette,
        delay: delay * 10,
        repeat: repeats(reader),
        dispose: holes ? TO_BACKGROUND : KEEP,
        ...(transparentIndex >= 0 ? { transparent: true, transparentIndex } : {}),
      });
    }
  }
  return encoders.map((encoder) => {
    encoder.finish();
    return encoder.bytes();
  });
}
