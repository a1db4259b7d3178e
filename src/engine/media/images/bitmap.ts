/** Decoding, encoding and scaling by `Bun.Image`, which works in background threads. */
import { findErrorCode } from "../../../lib/error-code.ts";
import { invalidImage, MAX_PIXELS, QUALITY, type Size } from "./image.ts";

/** As in Strapi, the orientation tag is dropped but not applied. */
const OPTIONS: Bun.Image.ConstructorOptions = { autoOrient: false, maxPixels: MAX_PIXELS };

type Encode = (image: Bun.Image) => Bun.Image;

/** Progressive images are encoded as short as Strapi's; others would be up to half as large again. */
export const toJpeg: Encode = (image) => image.jpeg({ quality: QUALITY, progressive: true });
export const toWebp: Encode = (image) => image.webp({ quality: QUALITY });

export const load = (bytes: Uint8Array): Bun.Image => new Bun.Image(bytes, OPTIONS);

async function unlessInvalid<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (findErrorCode(error).startsWith("ERR_IMAGE_")) return undefined;
    throw error;
  }
}

/** Undefined for a header that cannot be read. Throws an ApplicationError for one that claims too many pixels. */
export async function measure(bytes: Uint8Array): Promise<Size | undefined> {
  try {
    const { width, height } = await load(bytes).metadata();
    return { width, height };
  } catch (error) {
    const code = findErrorCode(error);
    if (code === "ERR_IMAGE_TOO_MANY_PIXELS") throw invalidImage();
    if (code.startsWith("ERR_IMAGE_")) return undefined;
    throw error;
  }
}

/** Undefined for content that does not decode. */
export const tryEncode = (image: Bun.Image): Promise<Uint8Array | undefined> => unlessInvalid(image.bytes());

/** Throws an ApplicationError for content that does not decode. */
export async function encode(image: Bun.Image): Promise<Uint8Array> {
  const bytes = await tryEncode(image);
  if (!bytes) throw invalidImage();
  return bytes;
}

/** Sequentially, since each copy decodes the whole image. */
export async function scale(
  bytes: Uint8Array,
  sizes: readonly Size[],
  encodeCopy: (image: Bun.Image) => Promise<Uint8Array>,
): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = [];
  for (const { width, height } of sizes) copies.push(await encodeCopy(load(bytes).resize(width, height)));
  return copies;
}
