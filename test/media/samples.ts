/** Pictures and other files made for the tests, none larger than it has to be. */
import { deflateSync } from "node:zlib";
import type { Size } from "../../src/media/pictures/picture.ts";
import { SIGNATURE, writeChunk } from "../../src/media/pictures/png/chunks.ts";

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

/** A PNG file whose header claims a size; its few bytes of data would have to be blown up to all of it. */
export function claimingPng({ width, height }: Size): Buffer {
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 1;
  return Buffer.concat([
    SIGNATURE,
    writeChunk({ name: "IHDR", data: head }),
    writeChunk({ name: "IDAT", data: deflateSync(Buffer.alloc(100_000)) }),
    writeChunk({ name: "IEND", data: Buffer.alloc(0) }),
  ]);
}

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
export function gifOf({ width, height }: Size, frames = 1): Buffer {
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

/** A TIFF file with uncompressed pixels, once for each page. */
export function tiffOf({ width, height }: Size, pages = 1): Buffer {
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

/** A WebP file that shows the picture twice. */
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
  // what follows "RIFF", its length and "WEBP" is the picture's own chunk, unless an extended head comes first
  const own = still.toString("latin1", 12, 16) === "VP8X" ? still.subarray(30) : still.subarray(12);
  const frame = webpChunk("ANMF", Buffer.concat([head, own]));
  const body = [webpChunk("VP8X", canvas), webpChunk("ANIM", Buffer.alloc(6)), frame, frame];
  return webpChunk("RIFF", Buffer.concat([Buffer.from("WEBP"), ...body]));
}

export const PDF = "%PDF-1.4\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF\n";
export const ZIP = Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)]);
export const ELF = Buffer.concat([Buffer.from("\x7fELF", "latin1"), Buffer.alloc(60)]);
export const SVG = '<svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><rect width="9" height="9"/></svg>';
