/** The worker's side: does what would keep the main thread from answering. */
import { copyGif } from "./gif-copies.ts";
import type { Size } from "./picture.ts";
import { reducePng } from "./png/reduce.ts";
import { tiffToBmp } from "./tiff-pixels.ts";

interface Job<Input> {
  readonly input: Input;
  /** Undefined for content that does not decode. */
  readonly output: Uint8Array | undefined;
}

/** What the worker does, by name. */
export interface Jobs {
  readonly gif: { readonly input: { readonly sizes: readonly Size[] }; readonly output: Uint8Array[] | undefined };
  readonly tiff: Job<{ readonly size: Size }>;
  readonly png: Job<{ readonly quality: number }>;
}

export type JobName = keyof Jobs;

export interface Request<N extends JobName = JobName> {
  readonly name: N;
  readonly path: string;
  readonly input: Jobs[N]["input"];
}

export type Reply = { readonly output: unknown } | { readonly error: string };

type Output<N extends JobName> = Jobs[N]["output"];

const jobs: {
  readonly [N in JobName]: (bytes: Uint8Array, input: Jobs[N]["input"]) => Output<N> | Promise<Output<N>>;
} = {
  gif: (bytes, { sizes }) => copyGif(bytes, sizes),
  tiff: (bytes, { size }) => tiffToBmp(bytes, size),
  png: (bytes, { quality }) => reducePng(bytes, quality),
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
    self.postMessage({ output: await run(data, bytes) });
  } catch (error) {
    self.postMessage({ error: String((error as Error).message ?? error) });
  }
};
