import { expect, test } from "bun:test";
import { sizeText } from "../../src/ui/size-text.ts";

test.each([
  [0, "0 bytes"],
  [49, "49 bytes"],
  [1_000, "1 KB"],
  [40_512, "40.5 KB"],
  [3_000_000_000, "3 GB"],
])("%d bytes are %s", (bytes, text) => {
  expect(sizeText(bytes)).toBe(text);
});
