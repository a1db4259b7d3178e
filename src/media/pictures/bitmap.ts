/** JPEG and WebP: decoded, re-encoded and scaled by Bun, on its own threads. */
import { codeOf, DECODING, ifDecodes } from "./decoding.ts";
import { jpegIsWhole } from "./jpeg.ts";
import { invalidPicture, type PictureKind, QUALITY, type Size } from "./picture.ts";
import { firstFrame } from "./webp.ts";

type Source = string | Uint8Array;

export const load = (source: Source): Bun.Image => new Bun.Image(source, DECODING);

const encoders = {
  jpeg: (image: Bun.Image) => image.jpeg({ quality: QUALITY }),
  // with all colours: see png.ts
  png: (image: Bun.Image) => image.png(),
  webp: (image: Bun.Image) => image.webp({ quality: QUALITY }),
} as const;
type Format = keyof typeof encoders;

/** Undefined for a file whose header cannot be read. Throws an ApplicationError for more pixels than are decoded. */
export async function measure(path: string): Promise<Size | undefined> {
  try {
    return await load(path).metadata();
  } catch (error) {
    const code = codeOf(error);
    if (code === "ERR_IMAGE_TOO_MANY_PIXELS") throw invalidPicture();
    if (code.startsWith("ERR_IMAGE_")) return undefined;
    throw error;
  }
}

/** Undefined for content that does not decode. */
export const encode = (image: Bun.Image, format: Format): Promise<Uint8Array | undefined> =>
  ifDecodes(() => encoders[format](image).bytes());

export async function scale(source: Source, format: Format, sizes: readonly Size[]): Promise<Uint8Array[]> {
  const copies: Uint8Array[] = [];
  for (const { width, height } of sizes) {
    const copy = await encode(load(source).resize(width, height), format);
    if (!copy) throw invalidPicture();
    copies.push(copy);
  }
  return copies;
}

type Read = PictureKind["read"];

const readAs =
  (format: Format): Read =>
  async (path, size, sizes) => {
    // from memory: Bun reads a path on the main thread
    const bytes = await Bun.file(path).bytes();
    const stored = await encode(load(bytes), format);
    return stored && { ...size, stored, copies: await scale(bytes, format, sizes) };
  };

/** For kinds of which the reference refuses what does not decode. */
const strict =
  (read: Read): Read =>
  async (path, size, sizes) => {
    const picture = await read(path, size, sizes);
    if (!picture) throw invalidPicture();
    return picture;
  };

const readWhole: Read = async (path, size, sizes) =>
  // the decoder itself fills what is missing with grey
  (await jpegIsWhole(path)) ? readAs("jpeg")(path, size, sizes) : undefined;

/** A moving picture is stored as it was sent, and its copies show the first frame: there is no encoder for more. */
const readMoving: Read = async (path, size, sizes) => {
  const frame = await firstFrame(path);
  if (!frame) return readAs("webp")(path, size, sizes);
  if (!(await encode(load(frame), "webp"))) return undefined;
  return { ...size, stored: undefined, copies: await scale(frame, "webp", sizes) };
};

export const jpeg: PictureKind = {
  recognises: (head) => head.startsWith("\xff\xd8\xff"),
  measure: async (path) => {
    const size = await measure(path);
    return size && { ...size, halves: true };
  },
  read: strict(readWhole),
};

export const webp: PictureKind = {
  recognises: (head) => head.startsWith("RIFF") && head.startsWith("WEBP", 8),
  measure,
  read: readMoving,
};

/** A picture in an uncompressed form as JPEG, scaled where a size is given. */
export async function encodeJpeg(source: Uint8Array, size?: Size): Promise<Uint8Array> {
  const image = load(source);
  const bytes = await encode(size ? image.resize(size.width, size.height) : image, "jpeg");
  if (!bytes) throw invalidPicture();
  return bytes;
}

/** Whether the (first) picture of a file decodes. */
export const decodes = async (path: string): Promise<boolean> => (await encode(load(path), "png")) !== undefined;
