/** The header of `ctx.attachment`, as in Koa. */
import { basename } from "node:path";

export interface AttachmentOptions {
  /** "attachment" by default. */
  readonly type?: string;
  /** The name for clients that know Latin-1 only; made from the name by default. False: none. */
  readonly fallback?: string | boolean;
}

const LATIN = /[^\x20-\x7e\xa0-\xff]/g;
const quoted = (text: string): string => `"${text.replace(/[\\"]/g, "\\$&")}"`;

const encoded = (name: string): string =>
  encodeURIComponent(name).replace(/['()*]/g, (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`);

/** Names beyond Latin-1 are sent in the encoded form of RFC 5987 as well. */
export function attachmentOf(
  filename: string | undefined,
  { type = "attachment", fallback = true }: AttachmentOptions,
) {
  if (!filename) return type.toLowerCase();
  const name = basename(filename.replaceAll("\\", "/")).replace(/[\r\n]/g, "");
  const isLatin = name.search(LATIN) < 0;
  const plain = typeof fallback === "string" ? basename(fallback) : name.replace(LATIN, "?");
  const isPlain = isLatin && !/%[0-9A-Fa-f]{2}/.test(name) && (typeof fallback !== "string" || plain === name);
  const hasPlain = isPlain || fallback !== false;
  const parts = [
    ...(hasPlain ? [`filename=${quoted(plain)}`] : []),
    ...(isPlain ? [] : [`filename*=UTF-8''${encoded(name)}`]),
  ];
  return [type.toLowerCase(), ...parts].join("; ");
}
