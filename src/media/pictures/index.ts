/** Recognises pictures by their content alone, and reads any of them. */
import { Semaphore } from "../../semaphore.ts";
import { MAX_PICTURE_BYTES, type Picture, type Plan, type RasterName, signatures } from "./picture.ts";
import { isSvg, readSvg } from "./svg.ts";
import { inWorker, PictureTimeoutError } from "./worker-client.ts";

/** One core is left to the main thread. */
const WORKERS = Math.max(1, navigator.hardwareConcurrency - 1);
/** The maximum number of pixels that are decoded concurrently. */
const PIXELS_AT_A_TIME = 2 ** 26;

const workers = new Semaphore(WORKERS);
const decoders = new Semaphore(WORKERS, PIXELS_AT_A_TIME);

async function unlessGivenUp<T, F>(work: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof PictureTimeoutError) return fallback;
    throw error;
  }
}

async function readRaster(raster: RasterName, path: string, plan: Plan): Promise<Picture | undefined> {
  const measured = await unlessGivenUp(inWorker("measure", raster, path, {}), undefined);
  if (!measured) return undefined;
  const { isReadable, pixels, ...size } = measured;
  const asSent: Picture = { ...size, stored: undefined, copies: [] };
  if (!isReadable) return asSent;
  const encoded = await decoders.run(pixels, () =>
    unlessGivenUp(inWorker("read", raster, path, { size, sizes: plan(size) }), asSent),
  );
  return encoded && { ...size, ...encoded };
}

/**
 * Undefined for a file that is no picture. A picture that is too expensive to decode is stored unchanged, without copies.
 * Throws an ApplicationError for a broken picture, and for more pixels than the reference decodes.
 */
export async function readPicture(path: string, head: Uint8Array, plan: Plan): Promise<Picture | undefined> {
  const letters = Buffer.from(head).toString("latin1");
  if (isSvg(letters)) return readSvg(path);
  const names = Object.keys(signatures) as RasterName[];
  const raster = names.find((name) => signatures[name](letters));
  if (!raster || Bun.file(path).size > MAX_PICTURE_BYTES) return undefined;
  return workers.run(1, () => readRaster(raster, path, plan));
}
