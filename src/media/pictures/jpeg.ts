/** Looks whether a JPEG file reaches its end: the decoder itself takes a cut-off one for whole. */

const START_OF_SCAN = 0xda;
const END_OF_IMAGE = 0xd9;

/** Markers without a length. */
const isBare = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8);

/** Walks the markers; compressed data between them has none but restarts and stuffed zeros. */
export function reachesEnd(bytes: Buffer): boolean {
  let at = 2;
  while (at < bytes.length) {
    at = bytes.indexOf(0xff, at);
    if (at < 0) return false;
    while (bytes[at] === 0xff) at++;
    const marker = bytes[at++];
    if (marker === END_OF_IMAGE) return true;
    if (marker === undefined || at + 2 > bytes.length) return false;
    if (marker === 0 || isBare(marker)) continue;
    const length = bytes.readUInt16BE(at);
    at += length;
    if (marker !== START_OF_SCAN) continue;
    // from here on only the next marker counts; the loop finds it
  }
  return false;
}

export async function jpegIsWhole(path: string): Promise<boolean> {
  return reachesEnd(Buffer.from(await Bun.file(path).arrayBuffer()));
}
