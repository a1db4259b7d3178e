/** Signs the URLs of files in documents, for private providers. */

import { FILE } from "../../engine/schema/builtin/index.ts";
import { type Attribute, contentType, findTarget, type Schema } from "../../engine/schema/model.ts";
import { listsEntries } from "../../engine/webhooks/entry-events.ts";
import { isRecord } from "../../lib/is-record.ts";
import type { DocumentMiddleware } from "../data/documents.ts";
import type { UploadParts } from "./upload-parts.ts";

type Row = Record<string, unknown>;

/** Signs the files in results of all actions, except for counts. */
export function signDocuments(parts: UploadParts): DocumentMiddleware {
  const { model } = parts.runtime().raw;
  const sign = (file: unknown): Promise<unknown> => parts.service("file")("signFileUrls", file);

  async function signInside(attribute: Attribute, value: unknown): Promise<unknown> {
    if (Array.isArray(value)) return Promise.all(value.map((item) => signInside(attribute, item)));
    if (!isRecord(value)) return value;
    if (attribute.kind === "media") return sign(value);
    const uid = value.__component ?? value.__type;
    const target = typeof uid === "string" ? (model.components.get(uid) ?? model.types.get(uid)) : undefined;
    const schema = target ?? findTarget(model, attribute);
    return schema ? signEntry(schema, value) : value;
  }

  async function signEntry(schema: Schema, entry: Row): Promise<unknown> {
    if (schema.uid === FILE) return sign(entry);
    const signed: Row = { ...entry };
    for (const [name, value] of Object.entries(entry)) {
      const attribute = schema.attributes.get(name);
      if (attribute && attribute.kind !== "scalar") signed[name] = await signInside(attribute, value);
    }
    return signed;
  }

  return async ({ uid, action }, next) => {
    const result = await next();
    const type = contentType(model, uid);
    const signAll = (entries: readonly unknown[]): Promise<unknown[]> =>
      Promise.all(entries.map((entry) => (isRecord(entry) ? signEntry(type, entry) : entry)));
    if (Array.isArray(result)) return signAll(result);
    if (!isRecord(result) || action === "count") return result;
    if (listsEntries(action) && Array.isArray(result.entries))
      return { ...result, entries: await signAll(result.entries) };
    return signEntry(type, result);
  };
}
