/** The worker's side: does what would keep the main thread from answering. */
import { copyGif } from "./gif-copies.ts";
import type { Size } from "./picture.ts";
import { tiffToBmp } from "./tiff-pixels.ts";

/** What the worker does, by name. */
export interface Jobs {
  readonly gif: { readonly input: { readonly sizes: readonly Size[] }; readonly output: Uint8Array[] | undefined };
  readonly tiff: { readonly input: { readonly size: Size }; readonly output: Uint8Array | undefined };
}

export type JobName = keyof Jobs;

export interface Request<N extends JobName = JobName> {
  readonly id: number;
  readonly name: N;
  readonly path: string;
  readonly input: Jobs[N]["input"];
}

export type Reply = { readonly id: number } & ({ readonly output: unknown } | { readonly error: string });

const jobs: { readonly [N in JobName]: (bytes: Uint8Array, input: Jobs[N]["input"]) => Jobs[N]["output"] } = {
  gif: (bytes, { sizes }) => copyGif(bytes, sizes),
  tiff: (bytes, { size }) => tiffToBmp(bytes, size),
};

const run = <N extends JobName>({ name, input }: Request<N>, bytes: Uint8Array) => jobs[name](bytes, input);

declare const self: {
  onmessage: (event: MessageEvent<Request>) => void;
  postMessage: (reply: Reply) => void;
};

// the decoder of TIFF files talks to itself
console.log = () => {};

self.onmessage = async ({ data }) => {
  try {
    const bytes = await Bun.file(data.path).bytes();
    self.postMessage({ id: data.id, output: run(data, bytes) });
  } catch (error) {
    self.postMessage({ id: data.id, error: String((error as Error).message ?? error) });
  }
};
