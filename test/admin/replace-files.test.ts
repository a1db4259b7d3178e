/** Files of the project that the system does not let be written. */
import { expect, test } from "bun:test";
import { replaceFiles } from "../../src/admin/replace-files.ts";
import { projectFolder } from "../project.ts";

// a file system that nobody can make files in, root included
test.skipIf(process.platform !== "linux")("a file that may not be written is named", () => {
  const replace = () => replaceFiles("/sys/kernel", [{ path: "galley.json", after: "{}" }]);
  expect(replace).toThrow(/^galley\.json cannot be written: (the disk is read-only|the server's user may not)$/);
});

test.skipIf(process.platform === "win32")("a file whose path is too long is refused", () => {
  const { root, remove } = projectFolder({});
  const path = `${Array(20).fill("a".repeat(250)).join("/")}/galley.json`;
  expect(() => replaceFiles(root, [{ path, after: "{}" }])).toThrow(
    expect.objectContaining({ name: "ApplicationError" }),
  );
  remove();
});
