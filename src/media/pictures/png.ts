/** PNG pictures: stored with a palette, as the reference stores them; their copies keep all colours. */
import { encode, load, measure, scale } from "./bitmap.ts";
import { invalidPicture, type PictureKind, QUALITY, type Source } from "./picture.ts";
import { GivenUp, inWorker } from "./worker-client.ts";

/** Finding a palette for more pixels, those of a large screen, takes longer than anybody waits: they keep their colours. */
const MOST_REDUCED_PIXELS = 2 ** 23;

const encodeWhole = async (path: string): Promise<Uint8Array | undefined> =>
  encode(load(await Bun.file(path).bytes()), "png");

/** Undefined for content that does not decode. */
async function reduce(path: string, { width, height }: Source): Promise<Uint8Array | undefined> {
  if (width * height > MOST_REDUCED_PIXELS) return encodeWhole(path);
  try {
    return await inWorker("png", path, { quality: QUALITY });
  } catch (error) {
    if (error instanceof GivenUp) return encodeWhole(path);
    throw error;
  }
}

export const png: PictureKind = {
  recognises: (head) => head.startsWith("\x89PNG\r\n\x1a\n"),
  measure,
  read: async (path, size, sizes) => {
    const stored = await reduce(path, size);
    if (!stored) throw invalidPicture();
    const copies = sizes.length > 0 ? await scale(await Bun.file(path).bytes(), "png", sizes) : [];
    return { ...size, stored, copies };
  },
};
