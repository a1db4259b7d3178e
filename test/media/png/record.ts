/**
 * Writes recorded.json: what the reference makes of the test's pictures. Needs sharp, whose folder is the argument:
 * `bun test/media/png/record.ts <folder of sharp>`
 */
import { createHash } from "node:crypto";
import { createRequire } from "node:module";
import { pngKinds } from "./kinds.ts";
import { testPictures } from "./pictures.ts";

interface Sharp {
  png(options: { quality: number } | { compressionLevel: number }): Sharp;
  toBuffer(): Promise<Buffer>;
}
const sharp: (input: Uint8Array, options?: object) => Sharp = createRequire(import.meta.url)(String(process.argv[2]));

async function record(file: Uint8Array): Promise<[number, string]> {
  const bytes = await sharp(file).png({ quality: 80 }).toBuffer();
  return [bytes.length, createHash("sha256").update(bytes).digest("hex").slice(0, 16)];
}

const recorded: Record<string, [number, string]> = {};
for (const [name, make] of Object.entries(testPictures)) {
  const { width, height, rgba } = make();
  recorded[name] = await record(
    await sharp(rgba, { raw: { width, height, channels: 4 } })
      .png({ compressionLevel: 1 })
      .toBuffer(),
  );
}
for (const [name, file] of Object.entries(pngKinds)) recorded[name] = await record(file);
const lines = Object.entries(recorded).map((entry) => `  ${JSON.stringify(entry[0])}: ${JSON.stringify(entry[1])}`);
await Bun.write(new URL("recorded.json", import.meta.url), `{\n${lines.join(",\n").replaceAll(',"', ', "')}\n}\n`);
