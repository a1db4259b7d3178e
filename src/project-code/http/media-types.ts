/** Content types by file extension or short name, as for `ctx.type` and `ctx.is`. */

export const JSON_TYPE = "application/json; charset=utf-8";

const TYPES: Readonly<Record<string, string>> = {
  json: JSON_TYPE,
  html: "text/html; charset=utf-8",
  text: "text/plain; charset=utf-8",
  txt: "text/plain; charset=utf-8",
  xml: "application/xml",
  csv: "text/csv; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "application/javascript; charset=utf-8",
  pdf: "application/pdf",
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  svg: "image/svg+xml",
  webp: "image/webp",
  zip: "application/zip",
  bin: "application/octet-stream",
  form: "application/x-www-form-urlencoded",
};

/** The `Content-Type` header for a type or file extension; null, which removes the header, for an unknown one. */
export function mediaTypeOf(type: string): string | null {
  const listed = TYPES[type.replace(/^\./, "")];
  if (listed) return listed;
  const { contentType } = require("mime-types") as typeof import("mime-types");
  return contentType(type) || null;
}

const MEDIA_TYPE = /^([\w!#$&^.+-]+)\/([\w!#$&^.+-]+)$/;

/** The media type of a short name, possibly with `*` for a part; undefined for an unknown short name. */
function rangeOf(name: string): string | undefined {
  if (name === "urlencoded") return TYPES.form;
  if (name === "multipart") return "multipart/*";
  if (name.startsWith("+")) return `*/*${name}`;
  return name.includes("/") ? name : mediaTypeOf(name)?.split(";")[0];
}

function isInRange(main: string, sub: string, range: string): boolean {
  const [rangeMain, rangeSub = "", ...more] = range.split("/");
  if (more.length > 0 || (rangeMain !== "*" && rangeMain !== main)) return false;
  if (rangeSub.startsWith("*+")) return sub.endsWith(rangeSub.slice(1));
  return rangeSub === "*" || rangeSub === sub;
}

/**
 * The first of `names` that the content type matches, as Koa's `is`: extensions, media types, `text/*`, `+json`.
 * Instead of a name with a wildcard, and without names, the content type without its parameters. False for none.
 */
export function matchedType(contentType: string, names: readonly unknown[]): string | false {
  const type = contentType.split(";")[0]!.trim().toLowerCase();
  const [, main, sub] = MEDIA_TYPE.exec(type) ?? [];
  if (main === undefined || sub === undefined) return false;
  if (names.length === 0) return type;
  for (const name of names) {
    const range = typeof name === "string" && name !== "" ? rangeOf(name) : undefined;
    if (typeof name !== "string" || range === undefined || !isInRange(main, sub, range)) continue;
    return name.startsWith("+") || name.includes("*") ? type : name;
  }
  return false;
}
