/** Compresses responses, for projects that list `strapi::compression`. */
import { promisify } from "node:util";
import { brotliCompress, constants, deflate, gzip } from "node:zlib";
import { acceptedEncodings } from "../api/accept-encoding.ts";
import { type CompressionSettings, type Encoding, encodings } from "../engine/config/compression-settings.ts";

type Encode = (bytes: Uint8Array, options: object) => Promise<Uint8Array>;

// a higher Brotli quality takes more time than sending the bytes that it saves
const brotliDefaults = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } };

const encoders: Readonly<Record<Encoding, Encode>> = {
  br: (bytes, options) => promisify(brotliCompress)(bytes, { ...brotliDefaults, ...options }),
  gzip: (bytes, options) => promisify(gzip)(bytes, options),
  deflate: (bytes, options) => promisify(deflate)(bytes, options),
};

// the body is read to its end first, which an event stream does not have
const EVENTS = /^text\/event-stream/;
const COMPRESSIBLE =
  /^(text\/(?!event-stream)|application\/(json|javascript|xml|[\w.+-]+\+(json|xml))|image\/svg\+xml)/;

/** Filters get a type without parameters. */
const bareType = (type: string): string => (type.split(";", 1)[0] ?? "").trim();

/** Returns the response unchanged, or compressed with the preferred encoding that the client accepts. */
export async function compress(
  request: Request,
  response: Response,
  { minBytes, options, defaultEncoding, filter }: CompressionSettings,
): Promise<Response> {
  const { headers, status } = response;
  if (!response.body || headers.has("content-encoding")) return response;
  const type = headers.get("content-type") ?? "";
  if (EVENTS.test(type) || !(filter ? filter(bareType(type)) : COMPRESSIBLE.test(type))) return response;
  headers.append("vary", "Accept-Encoding");
  const names = request.headers.has("accept-encoding") ? acceptedEncodings(request) : new Set([defaultEncoding]);
  const encoding = encodings.find((name) => options[name] && (names.has(name) || names.has("*")));
  const length = Number(headers.get("content-length") ?? minBytes);
  if (!encoding || status === 206 || length < minBytes) return response;
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.length < minBytes) return new Response(bytes, { status, headers });
  headers.set("content-encoding", encoding);
  headers.delete("content-length");
  return new Response(await encoders[encoding](bytes, options[encoding] ?? {}), { status, headers });
}
