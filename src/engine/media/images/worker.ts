/** The worker: processes images, which would block the main thread. */
import { ApiError } from "../../../lib/errors.ts";
import { gif } from "./gif.ts";
import type { Encoded, Measured, Raster, RasterName, Size } from "./image.ts";
import { jpeg } from "./jpeg.ts";
import { png } from "./png.ts";
import { tiff } from "./tiff.ts";
import { webp } from "./webp.ts";

const rasters: Readonly<Record<RasterName, Raster>> = { jpeg, png, webp, gif, tiff };

/** Inputs and outputs of the worker's jobs, by name. */
export interface Jobs {
  readonly measure: {
    readonly input: Record<never, never>;
    readonly output: (Measured & { readonly isReadable: boolean }) | undefined;
  };
  readonly read: {
    readonly input: { readonly size: Size; readonly sizes: readonly Size[] };
    readonly output: Encoded | undefined;
  };
}

export type JobName = keyof Jobs;

export interface Request<N extends JobName = JobName> {
  readonly name: N;
  readonly raster: RasterName;
  readonly path: string;
  readonly input: Jobs[N]["input"];
}

export type Reply = { readonly output: unknown } | { readonly refusal: string } | { readonly error: string };

const jobs: {
  readonly [N in JobName]: (raster: Raster, bytes: Buffer, input: Jobs[N]["input"]) => Promise<Jobs[N]["output"]>;
} = {
  measure: async (raster, bytes) => {
    const measured = await raster.measure(bytes);
    return measured && { ...measured, isReadable: measured.pixels <= raster.maxPixels };
  },
  read: (raster, bytes, { size, sizes }) => raster.read(bytes, size, sizes),
};

async function run<N extends JobName>({ name, raster, path, input }: Request<N>): Promise<Jobs[N]["output"]> {
  return jobs[name](rasters[raster], Buffer.from(await Bun.file(path).arrayBuffer()), input);
}

declare const self: {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage: (reply: Reply) => void;
};

self.onmessage = async ({ data }) => {
  try {
    self.postMessage({ output: await run(data) });
  } catch (error) {
    const { message } = error as Error;
    self.postMessage(error instanceof ApiError ? { refusal: message } : { error: message ?? String(error) });
  }
};
