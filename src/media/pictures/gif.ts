/** GIF pictures: stored as they are, with copies that move like them. */
import { decodes } from "./bitmap.ts";
import { parseGif } from "./gif-frames.ts";
import { invalidPicture, type Measured, type PictureKind } from "./picture.ts";
import { inWorker } from "./worker-client.ts";

/** The screen's size and the pixels of all frames, without decoding any; undefined for a file that breaks off. */
export function measureGif(bytes: Buffer): Measured | undefined {
  const gif = parseGif(bytes);
  if (!gif) return undefined;
  const { width, height, frames } = gif;
  // a frame may claim to be larger than the screen that it is shown on
  const decoded = frames.reduce((sum, frame) => sum + frame.width * frame.height, 0);
  return { width, height, pixels: Math.max(width * height * frames.length, decoded) };
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
