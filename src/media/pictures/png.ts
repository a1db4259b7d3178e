/** PNG pictures: stored with a palette, as the reference stores them; their copies keep all colours. */
import { encode, load, measure, scale } from "./bitmap.ts";
import { invalidPicture, type PictureKind, QUALITY } from "./picture.ts";
import { GivenUp, inWorker } from "./worker-client.ts";

/** Undefined for content that does not decode. */
async function reduce(path: string): Promise<Uint8Array | undefined> {
  try {
    return await inWorker("png", path, { quality: QUALITY });
  } catch (error) {
    if (error instanceof GivenUp) return encode(load(await Bun.file(path).bytes()), "png");
    throw error;
  }
}

export const png: PictureKind = {
  recognises: (head) => head.startsWith("\x89PNG\r\n\x1a\n"),
  measure,
  read: async (path, size, sizes) => {
    const stored = await reduce(path);
    if (!stored) throw invalidPicture();
    const copies = sizes.length > 0 ? await scale(await Bun.file(path).bytes(), "png", sizes) : [];
    return { ...size, stored, copies };
  },
};
