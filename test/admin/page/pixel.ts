/** The smallest image. */
export const PIXEL = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** It as a file to upload. */
export const pixelFile = (name: string) => ({ name, mimeType: "image/png", buffer: PIXEL });
