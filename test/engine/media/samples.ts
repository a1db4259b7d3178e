/** Images and other files made for the tests, none larger than it has to be. */
import { crc32, deflateSync } from "node:zlib";
import type { Size } from "../../../src/engine/media/images/image.ts";

const SIGNATURE = Buffer.from("\x89PNG\r\n\x1a\n", "latin1");

export function pngChunk(name: string, data: Buffer): Buffer {
  const bytes = Buffer.alloc(12 + data.length);
  bytes.writeUInt32BE(data.length);
  bytes.write(name, 4, "latin1");
  data.copy(bytes, 8);
  bytes.writeUInt32BE(crc32(bytes.subarray(4, -4)), bytes.length - 4);
  return bytes;
}

/** A BMP file, which Bun decodes and other formats are made from. `at` answers red, green and blue. */
export function bmp({ width, height }: Size, at: (x: number, y: number) => readonly [number, number, number]): Buffer {
  const stride = (width * 3 + 3) & ~3;
  const bytes = Buffer.alloc(54 + stride * height);
  bytes.write("BM");
  bytes.writeUInt32LE(bytes.length, 2);
  bytes.writeUInt32LE(54, 10);
  bytes.writeUInt32LE(40, 14);
  bytes.writeInt32LE(width, 18);
  bytes.writeInt32LE(-height, 22);
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const [red, green, blue] = at(x, y);
      bytes.set([blue, green, red], 54 + y * stride + x * 3);
    }
  }
  return bytes;
}

const gradient = (size: Size) => bmp(size, (x, y) => [(x * 255) / size.width, (y * 255) / size.height, 128]);

export const jpegOf = (size: Size): Promise<Uint8Array> => new Bun.Image(gradient(size)).jpeg().bytes();
export const pngOf = (size: Size): Promise<Uint8Array> => new Bun.Image(gradient(size)).png().bytes();
export const webpOf = (size: Size): Promise<Uint8Array> => new Bun.Image(gradient(size)).webp().bytes();

/** A black and white PNG file with pixels as they are given, inflated, and other chunks before them. */
export function pngWith({ width, height }: Size, pixels: Buffer, chunks: readonly Buffer[] = []): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  return Buffer.concat([
    SIGNATURE,
    pngChunk("IHDR", head),
    ...chunks,
    pngChunk("IDAT", deflateSync(pixels)),
    pngChunk("IEND", Buffer.alloc(0)),
  ]);
}

/** A PNG file whose header claims a size; its few bytes of data would have to be blown up to all of it. */
export const claimingPng = (size: Size): Buffer => pngWith(size, Buffer.alloc(100_000));

/** A compressed chunk of `bytes` zeros. */
export const inflatingChunk = (name: string, bytes: number): Buffer =>
  pngChunk(name, Buffer.concat([Buffer.from("x\0\0", "latin1"), deflateSync(Buffer.alloc(bytes))]));

/** A JPEG file with an EXIF orientation in front of its own segments. */
export function turned(jpeg: Uint8Array, orientation: number): Buffer {
  const exif = Buffer.from(
    `Exif\0\0II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0${String.fromCharCode(orientation)}\0\0\0\0\0\0\0`,
    "latin1",
  );
  const head = Buffer.from([0xff, 0xe1, 0, exif.length + 2]);
  return Buffer.concat([jpeg.subarray(0, 2), head, exif, jpeg.subarray(2)]);
}

/** LZW codes of GIF without compression: nine bits each, with a reset before the table grows. */
function gifData(pixels: Uint8Array): Buffer {
  const bytes: number[] = [];
  let [bits, held] = [0, 0];
  const put = (code: number): void => {
    bits |= code << held;
    for (held += 9; held >= 8; held -= 8, bits >>= 8) bytes.push(bits & 255);
  };
  for (const [index, pixel] of pixels.entries()) {
    if (index % 250 === 0) put(256);
    put(pixel);
  }
  put(257);
  if (held > 0) bytes.push(bits & 255);
  const blocks: Buffer[] = [Buffer.from([8])];
  for (let at = 0; at < bytes.length; at += 255) {
    const part = bytes.slice(at, at + 255);
    blocks.push(Buffer.from([part.length, ...part]));
  }
  return Buffer.concat([...blocks, Buffer.from([0])]);
}

/** A GIF file with a frame for each colour of the palette of `frames` greys. */
export function createGif({ width, height }: Size, frames = 1): Buffer {
  const screen = Buffer.alloc(13);
  screen.write("GIF89a");
  screen.writeUInt16LE(width, 6);
  screen.writeUInt16LE(height, 8);
  screen[10] = 0xf7;
  const palette = Buffer.from(Array.from({ length: 256 }, (_, index) => [index, index, index]).flat());
  const parts = Array.from({ length: frames }, (_, frame) => {
    const image = Buffer.alloc(10);
    image[0] = 0x2c;
    image.writeUInt16LE(width, 5);
    image.writeUInt16LE(height, 7);
    const control = Buffer.from([0x21, 0xf9, 4, 4, 10, 0, 0, 0]);
    return Buffer.concat([control, image, gifData(new Uint8Array(width * height).fill(frame * 100))]);
  });
  return Buffer.concat([screen, palette, ...parts, Buffer.from([0x3b])]);
}

/** A GIF file whose screen and frames claim a size; the data of each frame is of a few pixels. */
export function claimingGif({ width, height }: Size, frames = 1): Buffer {
  const gif = createGif({ width: 2, height: 2 }, frames);
  gif.writeUInt16LE(width, 6);
  gif.writeUInt16LE(height, 8);
  for (let at = gif.indexOf(0x2c, 781); at > 0; at = gif.indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 2, 0, 2, 0]), at)) {
    gif.writeUInt16LE(width, at + 5);
    gif.writeUInt16LE(height, at + 7);
  }
  return gif;
}

/** A WebP file whose header claims a size, without any pixels. */
export function claimingWebp({ width, height }: Size): Buffer {
  const head = Buffer.alloc(5);
  head[0] = 0x2f;
  head.writeUInt32LE((width - 1) | ((height - 1) << 14), 1);
  const body = Buffer.concat([Buffer.from("WEBP"), webpChunk("VP8L", Buffer.concat([head, Buffer.alloc(40)]))]);
  return webpChunk("RIFF", body);
}

/** A progressive JPEG file that shows its last scan again and again. */
export function scannedJpeg(progressive: Uint8Array, scans: number): Buffer {
  const bytes = Buffer.from(progressive);
  const last = bytes.lastIndexOf(Buffer.from([0xff, 0xda]));
  const scan = bytes.subarray(last, -2);
  return Buffer.concat([bytes.subarray(0, -2), ...Array.from({ length: scans }, () => scan), bytes.subarray(-2)]);
}

/** A TIFF file with uncompressed pixels, once for each page. */
export function createTiff({ width, height }: Size, pages = 1): Buffer {
  const pixels = Buffer.alloc(width * height * 3, Buffer.from([200, 60, 20]));
  const listBytes = 2 + 10 * 12 + 4 + 6;
  const file = Buffer.alloc(8 + pixels.length + listBytes * pages);
  file.write("II*\0", "latin1");
  file.writeUInt32LE(8 + pixels.length, 4);
  pixels.copy(file, 8);
  for (let page = 0; page < pages; page++) {
    const at = 8 + pixels.length + page * listBytes;
    const behind = at + listBytes - 6;
    const tags = [
      [256, 3, 1, width],
      [257, 3, 1, height],
      [258, 3, 3, behind],
      [259, 3, 1, 1],
      [262, 3, 1, 2],
      [273, 4, 1, 8],
      [277, 3, 1, 3],
      [278, 3, 1, height],
      [279, 4, 1, pixels.length],
      [284, 3, 1, 1],
    ] as const;
    file.writeUInt16LE(tags.length, at);
    for (const [index, [id, type, count, value]] of tags.entries()) {
      const entry = at + 2 + index * 12;
      file.writeUInt16LE(id, entry);
      file.writeUInt16LE(type, entry + 2);
      file.writeUInt32LE(count, entry + 4);
      file.writeUInt32LE(value, entry + 8);
    }
    if (page + 1 < pages) file.writeUInt32LE(at + listBytes, at + 2 + tags.length * 12);
    for (let channel = 0; channel < 3; channel++) file.writeUInt16LE(8, behind + channel * 2);
  }
  return file;
}

const webpChunk = (name: string, data: Uint8Array): Buffer => {
  const head = Buffer.alloc(8);
  head.write(name);
  head.writeUInt32LE(data.length, 4);
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)]);
};

/** A WebP file that shows the image twice. */
export async function movingWebp(size: Size): Promise<Buffer> {
  const still = Buffer.from(await webpOf(size));
  const canvas = Buffer.alloc(10);
  canvas[0] = 0x02;
  canvas.writeUIntLE(size.width - 1, 4, 3);
  canvas.writeUIntLE(size.height - 1, 7, 3);
  const head = Buffer.alloc(16);
  head.writeUIntLE(size.width - 1, 6, 3);
  head.writeUIntLE(size.height - 1, 9, 3);
  head.writeUIntLE(100, 12, 3);
  // what follows "RIFF", its length and "WEBP" is the image's own chunk, unless an extended head comes first
  const own = still.toString("latin1", 12, 16) === "VP8X" ? still.subarray(30) : still.subarray(12);
  const frame = webpChunk("ANMF", Buffer.concat([head, own]));
  const body = [webpChunk("VP8X", canvas), webpChunk("ANIM", Buffer.alloc(6)), frame, frame];
  return webpChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...body]));
}

export const PDF = "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n";
export const ZIP = Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)]);
export const ELF = Buffer.concat([Buffer.from("\x7fELF", "latin1"), Buffer.alloc(60)]);
export const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="9" height="9"/></svg>';
