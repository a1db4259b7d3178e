/** Compresses responses, for projects that list `strapi::compression`. */
import { promisify } from "node:util";
import { brotliCompress, constants, deflate, gzip } from "node:zlib";
import { acceptedEncodings } from "../api/accept-encoding.ts";

type Encode = (bytes: Uint8Array) => Promise<Uint8Array>;

// a higher Brotli quality takes more time than sending the bytes that it saves
const brotliOptions = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

/** In order of preference. */
const encoders: readonly (readonly [name: string, encode: Encode])[] = [
  ["br", (bytes) => promisify(brotliCompress)(bytes, brotliOptions)],
  ["gzip", (bytes) => promisify(gzip)(bytes)],
  ["deflate", (bytes) => promisify(deflate)(bytes)],
];

const MIN_BYTES = 1024;
// the body is read to its end first, which an event stream does not have
const COMPRESSIBLE =
  /^(text\/(?!event-stream)|application\/(json|javascript|xml|[\w.+-]+\+(json|xml))|image\/svg\+xml)/;

/** Returns the response unchanged, or compressed with the preferred encoding that the client accepts. */
export async function compress(request: Request, response: Response): Promise<Response> {
  const { headers, status } = response;
  if (!response.body || headers.has("content-encoding")) return response;
  if (!COMPRESSIBLE.test(headers.get("content-type") ?? "")) return response;
  headers.append("vary", "Accept-Encoding");
  const names = acceptedEncodings(request);
  const encoder = encoders.find(([name]) => names.has(name) || names.has("*"));
  const length = Number(headers.get("content-length") ?? MIN_BYTES);
  if (!encoder || status === 206 || length < MIN_BYTES) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length < MIN_BYTES) return new Response(bytes, { status, headers });
  const [name, encode] = encoder;
  headers.set("content-encoding", name);
  headers.delete("content-length");
  return new Response(await encode(bytes), { status, headers });
}
