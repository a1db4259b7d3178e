/** Files of the project that the system does not let be written. */
import { expect, test } from "bun:test";
import { replaceFiles } from "../../src/admin/replace-files.ts";

// a file system that nobody can make files in, root included
test.skipIf(process.platform !== "linux")("a file that may not be written is named", () => {
  const replace = () => replaceFiles("/sys/kernel", [{ path: "galley.json", after: "{}" }]);
  expect(replace).toThrow(/^galley\.json cannot be written: (the disk is read-only|the server's user may not)$/);
});
