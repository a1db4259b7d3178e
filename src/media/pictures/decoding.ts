/** How Bun decodes pictures here. */
import { MAX_PIXELS } from "./picture.ts";

/** The turned side of a picture stays where it is: the reference drops the tag without applying it. */
export const DECODING: Bun.Image.ConstructorOptions = { autoOrient: false, maxPixels: MAX_PIXELS };

/** Bun's error codes of what is not what it says. */
export const codeOf = (error: unknown): string => String((error as { code?: string }).code);

/** Undefined for content that does not decode. */
export async function ifDecodes<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (codeOf(error).startsWith("ERR_IMAGE_")) return undefined;
    throw error;
  }
}
