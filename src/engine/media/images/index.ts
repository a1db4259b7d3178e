/** Recognises images by their content, and processes them. */
import { Semaphore } from "../../../lib/semaphore.ts";
import { MAX_IMAGE_BYTES, type Plan, type ProcessedImage, type RasterName, signatures } from "./image.ts";
import { isSvg, readSvg } from "./svg.ts";
import { ImageTimeoutError, runInWorker } from "./worker-client.ts";

/** Number of workers: one core is left for the main thread. */
const WORKERS = Math.max(1, navigator.hardwareConcurrency - 1);
/** The maximum number of pixels that are decoded concurrently. */
const MAX_CONCURRENT_PIXELS = 2 ** 26;

const workers = new Semaphore(WORKERS);
const decoders = new Semaphore(WORKERS, MAX_CONCURRENT_PIXELS);

async function fallbackOnTimeout<T, F>(work: Promise<T>, fallback: F): Promise<T | F> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof ImageTimeoutError) return fallback;
    throw error;
  }
}

async function readRaster(raster: RasterName, path: string, plan: Plan): Promise<ProcessedImage | undefined> {
  const measured = await fallbackOnTimeout(runInWorker("measure", raster, path, {}), undefined);
  if (!measured) return undefined;
  const { isReadable, pixels, ...size } = measured;
  const unprocessed: ProcessedImage = { ...size, stored: undefined, copies: [] };
  if (!isReadable) return unprocessed;
  const encoded = await decoders.run(pixels, () =>
    fallbackOnTimeout(runInWorker("read", raster, path, { size, sizes: plan(size) }), unprocessed),
  );
  return encoded && { ...size, ...encoded };
}

export type ImageFormat = RasterName | "svg";

/** The format by the start of a file; undefined for a file that is not an image. */
export function imageFormat(head: Uint8Array): ImageFormat | undefined {
  const start = Buffer.from(head).toString("latin1");
  if (isSvg(start)) return "svg";
  return (Object.keys(signatures) as RasterName[]).find((name) => signatures[name](start));
}

/**
 * Undefined for a file that is not an image. An image that is too expensive to decode is stored unchanged, without copies.
 * Rejects with an ApplicationError for a broken image, and for more pixels than Strapi decodes.
 */
export async function readImage(path: string, head: Uint8Array, plan: Plan): Promise<ProcessedImage | undefined> {
  const raster = imageFormat(head);
  if (raster === "svg") return readSvg(path);
  if (!raster || Bun.file(path).size > MAX_IMAGE_BYTES) return undefined;
  return workers.run(1, () => readRaster(raster, path, plan));
}
