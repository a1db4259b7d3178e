/** The service `provider`: calls the provider with a stream, or with the whole content if it takes no stream. */

import { buffer } from "node:stream/consumers";
import { LOCAL } from "../../engine/config/providers.ts";
import type { Members } from "../loader/plugin.ts";
import { openStream, type UploadFile, type UploadParts } from "./upload-parts.ts";

export function providerService(parts: UploadParts): Members {
  const call = parts.callProvider;
  const has = (name: string): boolean => typeof parts.provider()[name] === "function";

  /** Calls the method that takes a stream, or else the other one. */
  async function send(file: UploadFile, streaming: string, buffering: string, ...rest: unknown[]): Promise<void> {
    const [key, method] = has(streaming) ? (["stream", streaming] as const) : (["buffer", buffering] as const);
    file[key] = key === "stream" ? openStream(file) : await buffer(openStream(file));
    await call(method, file, ...rest);
    delete file[key];
    delete file.filepath;
  }

  /** What another provider has stored is removed again if the upload fails later. The upload folder undoes its own changes. */
  const removeOnFailure = (file: UploadFile): void => {
    if (parts.providerName() === LOCAL) return;
    const stored = { ...file };
    parts.works.current?.onUndo(() => call("delete", stored));
  };

  return {
    checkFileSize: async (file: UploadFile) => {
      const { sizeLimit } = parts.runtime().settings.upload;
      await call("checkFileSize", file, { sizeLimit });
    },
    upload: async (file: UploadFile) => {
      await send(file, "uploadStream", "upload");
      removeOnFailure(file);
    },
    async replace(this: { upload: (file: UploadFile) => Promise<void> }, file: UploadFile, old: UploadFile) {
      if (has("replaceStream") || has("replace")) return send(file, "replaceStream", "replace", old);
      await call("delete", old);
      await this.upload(file);
    },
  };
}
