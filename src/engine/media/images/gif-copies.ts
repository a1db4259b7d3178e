/** Creates scaled copies of a GIF with all its frames. Slow, so that it runs in the worker. */
import type { applyPalette, GIFEncoder, quantize } from "gifenc";
import { decodeFrame, type Gif, type GifFrame, parseGif, rowOrder } from "./gif-frames.ts";
import type { Size } from "./image.ts";
import { shrink } from "./shrink.ts";

interface Encoding {
  readonly GIFEncoder: typeof GIFEncoder;
  readonly applyPalette: typeof applyPalette;
  readonly quantize: typeof quantize;
}

/** Disposal methods of frames. */
const KEEP = 1;
const TO_BACKGROUND = 2;
const TO_PREVIOUS = 3;
/** Pixels with a lower alpha value become transparent. */
const OPAQUE = 128;

/** Draws a frame onto the canvas. Returns false for invalid data. */
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
  const [left, right] = [Math.min(x, screen.width), Math.min(x + width, screen.width)];
  for (let row = y; row < Math.min(y + height, screen.height); row++) {
    canvas.fill(0, (row * screen.width + left) * 4, (row * screen.width + right) * 4);
  }
}

/** Yields the canvas after each frame; undefined for an invalid one. The pixels are overwritten by the next frame. */
function* renderFrames(
  bytes: Buffer,
  gif: Gif,
): Generator<{ readonly pixels: Uint8Array; readonly delay: number } | undefined> {
  const canvas = new Uint8Array(gif.width * gif.height * 4);
  for (const frame of gif.frames) {
    const saved = frame.disposal === TO_PREVIOUS ? canvas.slice() : undefined;
    yield draw(canvas, gif, bytes, frame) ? { pixels: canvas, delay: frame.delay } : undefined;
    if (saved) canvas.set(saved);
    if (frame.disposal === TO_BACKGROUND) erase(canvas, gif, frame);
  }
}

function hasTransparentPixels(pixels: Uint8Array): boolean {
  for (let at = 3; at < pixels.length; at += 4) if ((pixels[at] as number) < OPAQUE) return true;
  return false;
}

/** Returns a copy for each size; undefined for a file that is not a GIF or has an invalid frame. */
export function copyGif(content: Uint8Array, sizes: readonly Size[]): Uint8Array[] | undefined {
  const { GIFEncoder, quantize, applyPalette } = require("gifenc") as Encoding;
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.length);
  const gif = parseGif(bytes);
  if (!gif) return undefined;
  const encoders = sizes.map(() => GIFEncoder());
  for (const frame of renderFrames(bytes, gif)) {
    if (!frame) return undefined;
    for (const [index, size] of sizes.entries()) {
      const scaled = shrink(frame.pixels, gif, size);
      const isTransparent = hasTransparentPixels(scaled);
      const format = isTransparent ? "rgba4444" : "rgb565";
      const palette = quantize(scaled, 256, { format, oneBitAlpha: OPAQUE - 1 });
      const transparentIndex = palette.findIndex((colour) => colour[3] === 0);
      encoders[index]?.writeFrame(applyPalette(scaled, palette, format), size.width, size.height, {
        palette,
        delay: frame.delay * 10,
        repeat: gif.loops ?? -1,
        dispose: isTransparent ? TO_BACKGROUND : KEEP,
        ...(transparentIndex >= 0 ? { transparent: true, transparentIndex } : {}),
      });
    }
  }
  return encoders.map((encoder) => {
    encoder.finish();
    return encoder.bytes();
  });
}
