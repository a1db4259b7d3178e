/** Content types by file extension or short name, as for `ctx.type`. */

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
