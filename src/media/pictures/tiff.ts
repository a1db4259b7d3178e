/** TIFF pictures: decoded in the worker, re-encoded and scaled as JPEG data in a TIFF file, as the reference does. */
import { encodeJpeg } from "./bitmap.ts";
import type { PictureKind, Size } from "./picture.ts";
import { readTiffHeader } from "./tiff-header.ts";
import { inWorker } from "./worker-client.ts";

const SHORT = 3;
const LONG = 4;
const JPEG = 7;
const YCBCR = 6;

type Tag = readonly [id: number, type: typeof SHORT | typeof LONG, values: readonly number[]];

const HEADER_BYTES = 8;

/** A TIFF file with one picture in one strip, in the byte order of Intel machines. */
function wrap(jpeg: Uint8Array, { width, height }: Size): Uint8Array {
  const data = HEADER_BYTES + jpeg.length + (jpeg.length % 2);
  const tags: Tag[] = [
    [256, LONG, [width]],
    [257, LONG, [height]],
    // three channels of 8 bits: too long to stand in the entry, so it points behind the list
    [258, SHORT, [8, 8, 8]],
    [259, SHORT, [JPEG]],
    [262, SHORT, [YCBCR]],
    [273, LONG, [HEADER_BYTES]],
    [277, SHORT, [3]],
    [278, LONG, [height]],
    [279, LONG, [jpeg.length]],
    // both colour channels at half the resolution, as the encoder makes them
    [530, SHORT, [2, 2]],
  ];
  const list = Buffer.alloc(2 + tags.length * 12 + 4 + 6);
  list.writeUInt16LE(tags.length, 0);
  for (const [index, [id, type, values]] of tags.entries()) {
    const at = 2 + index * 12;
    list.writeUInt16LE(id, at);
    list.writeUInt16LE(type, at + 2);
    list.writeUInt32LE(values.length, at + 4);
    const isLong = values.length > 2;
    const behind = list.length - 6;
    if (isLong) list.writeUInt32LE(data + behind, at + 8);
    for (const [place, value] of values.entries()) {
      if (type === LONG) list.writeUInt32LE(value, at + 8);
      else list.writeUInt16LE(value, (isLong ? behind : at + 8) + place * 2);
    }
  }
  const head = Buffer.alloc(HEADER_BYTES);
  head.write("II", "latin1");
  head.writeUInt16LE(42, 2);
  head.writeUInt32LE(data, 4);
  return Buffer.concat([head, jpeg, Buffer.alloc(jpeg.length % 2), list]);
}

const headerOf = async (path: string) => readTiffHeader(Buffer.from(await Bun.file(path).arrayBuffer()));

export const tiff: PictureKind = {
  recognises: (head) => head.startsWith("II*\0") || head.startsWith("MM\0*"),
  measure: headerOf,
  read: async (path, { width, height }, sizes) => {
    const size = { width, height };
    const bmp = await inWorker("tiff", path, { size });
    if (!bmp) return undefined;
    const copies: Uint8Array[] = [];
    for (const copy of sizes) copies.push(wrap(await encodeJpeg(bmp, copy), copy));
    // several pages are kept: re-encoding would drop all but the first
    const isSingle = (await headerOf(path))?.pages === 1;
    return { ...size, stored: isSingle ? wrap(await encodeJpeg(bmp), size) : undefined, copies };
  },
};
