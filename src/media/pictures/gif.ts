/** GIF pictures: stored as they are, with copies that move like them. */
import { decodes } from "./bitmap.ts";
import { invalidPicture, type Measured, type PictureKind } from "./picture.ts";
import { inWorker } from "./worker-client.ts";

const EXTENSION = 0x21;
const IMAGE = 0x2c;
const TRAILER = 0x3b;
/** Header and screen descriptor, in bytes. */
const HEADER_BYTES = 13;

const tableBytes = (flags: number): number => ((flags & 0x80) === 0 ? 0 : 3 * 2 ** ((flags & 7) + 1));

/** The screen's size and the pixels of all frames, without decoding any; undefined for a file that breaks off. */
export function measureGif(bytes: Buffer): Measured | undefined {
  if (bytes.length < HEADER_BYTES) return undefined;
  const [width, height] = [bytes.readUInt16LE(6), bytes.readUInt16LE(8)];
  let at = HEADER_BYTES + tableBytes(bytes[10] as number);
  let frames = 0;
  const skipBlocks = (): void => {
    while (at < bytes.length && bytes[at] !== 0) at += (bytes[at] as number) + 1;
    at++;
  };
  while (at < bytes.length) {
    const kind = bytes[at];
    if (kind === TRAILER)
      return frames > 0 && width > 0 && height > 0 ? { width, height, pixels: width * height * frames } : undefined;
    if (kind === EXTENSION) at += 2;
    else if (kind === IMAGE && at + 10 < bytes.length) {
      frames++;
      at += 11 + tableBytes(bytes[at + 9] as number);
    } else return undefined;
    skipBlocks();
  }
  return undefined;
}

export const gif: PictureKind = {
  recognises: (head) => head.startsWith("GIF87a") || head.startsWith("GIF89a"),
  measure: async (path) => measureGif(Buffer.from(await Bun.file(path).arrayBuffer())),
  read: async (path, { width, height }, sizes) => {
    if (!(await decodes(path))) throw invalidPicture();
    if (sizes.length === 0) return { width, height, stored: undefined, copies: [] };
    const copies = await inWorker("gif", path, { sizes });
    if (!copies) throw invalidPicture();
    return { width, height, stored: undefined, copies };
  },
};
