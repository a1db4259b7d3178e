/** Scaled copies of a GIF picture, with all its frames. Takes its time: runs in the worker. */
import type { applyPalette, GIFEncoder, quantize } from "gifenc";
import { decodeFrame, type Gif, type GifFrame, parseGif, rowOrder } from "./gif-frames.ts";
import type { Size } from "./picture.ts";
import { shrink } from "./shrink.ts";

interface Encoding {
  readonly GIFEncoder: typeof GIFEncoder;
  readonly applyPalette: typeof applyPalette;
  readonly quantize: typeof quantize;
}

/** What becomes of a frame when the next one comes. */
const KEEP = 1;
const TO_BACKGROUND = 2;
const TO_PREVIOUS = 3;
/** Half transparent pixels become transparent below this. */
const OPAQUE = 128;

/** Draws a frame over what is there. Answers false for broken data. */
function draw(canvas: Uint8Array, screen: Size, bytes: Buffer, frame: GifFrame): boolean {
  const indexes = decodeFrame(bytes, frame);
  if (!indexes) return false;
  const { palette, transparent, width } = frame;
  for (const [index, row] of rowOrder(frame).entries()) {
    const y = frame.y + row;
    if (y >= screen.height) continue;
    const visible = Math.min(width, screen.width - frame.x);
    for (let x = 0; x < visible; x++) {
      const colour = indexes[index * width + x] as number;
      if (colour === transparent) continue;
      const out = (y * screen.width + frame.x + x) * 4;
      canvas[out] = palette[colour * 3] ?? 0;
      canvas[out + 1] = palette[colour * 3 + 1] ?? 0;
      canvas[out + 2] = palette[colour * 3 + 2] ?? 0;
      canvas[out + 3] = 255;
    }
  }
  return true;
}

function erase(canvas: Uint8Array, screen: Size, { x, y, width, height }: GifFrame): void {
  const [from, to] = [Math.min(x, screen.width), Math.min(x + width, screen.width)];
  for (let row = y; row < Math.min(y + height, screen.height); row++) {
    canvas.fill(0, (row * screen.width + from) * 4, (row * screen.width + to) * 4);
  }
}

/** Every frame as it is seen: what a frame leaves out shows those before it. The pixels are only good until the next. */
function* framesOf(
  bytes: Buffer,
  gif: Gif,
): Generator<{ readonly pixels: Uint8Array; readonly delay: number } | undefined> {
  const canvas = new Uint8Array(gif.width * gif.height * 4);
  for (const frame of gif.frames) {
    const before = frame.disposal === TO_PREVIOUS ? canvas.slice() : undefined;
    yield draw(canvas, gif, bytes, frame) ? { pixels: canvas, delay: frame.delay } : undefined;
    if (before) canvas.set(before);
    if (frame.disposal === TO_BACKGROUND) erase(canvas, gif, frame);
  }
}

function hasHoles(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}

/** Undefined for a file that is no GIF or has a broken frame. */
export function copyGif(content: Uint8Array, sizes: readonly Size[]): Uint8Array[] | undefined {
  const { GIFEncoder, quantize, applyPalette } = require("gifenc") as Encoding;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const gif = parseGif(bytes);
  if (!gif) return undefined;
  const encoders = sizes.map(() => GIFEncoder());
  for (const frame of framesOf(bytes, gif)) {
    if (!frame) return undefined;
    for (const [index, size] of sizes.entries()) {
      const scaled = shrink(frame.pixels, gif, size);
      const holes = hasHoles(scaled);
      const format = holes ? "rgba4444" : "rgb565";
      const palette = quantize(scaled, 256, { format, oneBitAlpha: OPAQUE - 1 });
      const transparentIndex = palette.findIndex((colour) => colour[3] === 0);
      encoders[index]?.writeFrame(applyPalette(scaled, palette, format), size.width, size.height, {
        palette,
        delay: frame.delay * 10,
        repeat: gif.loops ?? -1,
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
