/** The body of an upload as a file, since the load generator reads it from there. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Content } from "./works.ts";

const PICTURE = join(import.meta.dir, "../../test/conformance/files/upload-large-1200x800.jpg");
const BOUNDARY = "galley-bench-boundary";

export function writeUpload(folder: string): Content["upload"] {
  const head = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="files"; filename="picture.jpg"\r\nContent-Type: image/jpeg\r\n\r\n`;
  const file = join(folder, "upload.multipart");
  writeFileSync(
    file,
    Buffer.concat([Buffer.from(head), readFileSync(PICTURE), Buffer.from(`\r\n--${BOUNDARY}--\r\n`)]),
  );
  return { file, type: `multipart/form-data; boundary=${BOUNDARY}` };
}
