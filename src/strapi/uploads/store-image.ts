/** Stores an image and its copies through the services and the provider. */

import { toRecord } from "../../lib/is-record.ts";
import { type Call, readFormats, type UploadFile, type UploadParts } from "./upload-parts.ts";

interface Copy {
  readonly key: string;
  readonly file: UploadFile;
}

/** The copies of an image, each as soon as it is made. */
async function* createCopies(images: Call, data: UploadFile): AsyncGenerator<Copy> {
  if (!(await images("isResizableImage", data))) return;
  const thumbnail = (await images("generateThumbnail", data)) as UploadFile | null | undefined;
  if (thumbnail) yield { key: "thumbnail", file: thumbnail };
  const formats = await images("generateResponsiveFormats", data);
  for (const format of Array.isArray(formats) ? (formats as (Copy | null)[]) : []) if (format) yield format;
}

/** Sets the dimensions and `formats` of `data`. `old`: the record that it replaces, of the same provider. */
export async function storeImage(parts: UploadParts, data: UploadFile, old?: UploadFile): Promise<void> {
  const images = parts.service("image-manipulation");
  const { width, height } = toRecord(await images("getDimensions", data));
  Object.assign(data, { width, height });
  const unused = new Map(Object.entries(old ? readFormats(old) : {}));
  const pending: Promise<unknown>[] = [];
  const start = (work: Promise<unknown>): void => {
    // handled when all have ended
    work.catch(() => {});
    pending.push(work);
  };
  const send = async (file: UploadFile, previous: UploadFile | undefined): Promise<void> => {
    const provider = parts.service("provider");
    await (previous ? provider("replace", file, previous) : provider("upload", file));
  };
  const sendCopy = async ({ key, file }: Copy): Promise<void> => {
    const previous = unused.get(key);
    unused.delete(key);
    await send(file, previous);
    data.formats = { ...toRecord(data.formats), [key]: file };
  };
  try {
    start(send(data, old));
    for await (const copy of createCopies(images, data)) start(sendCopy(copy));
    for (const file of unused.values()) start(parts.callProvider("delete", file));
  } finally {
    // also after an error, so that what has been stored can be removed
    await Promise.allSettled(pending);
  }
  await Promise.all(pending);
}
