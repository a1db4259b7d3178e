import { expect, test } from "bun:test";
import { chooseType, type TypeRules } from "../../../src/engine/media/types.ts";
import { createGif, ELF, jpegOf, PDF, SVG, ZIP } from "./samples.ts";

const OPEN: TypeRules = { allowedTypes: undefined, deniedTypes: undefined };
const bytes = (content: string | Uint8Array): Uint8Array => Buffer.from(content as string);
const GIF = createGif({ width: 2, height: 2 });
const JPEG = await jpegOf({ width: 8, height: 8 });
const MP4 = Buffer.from("\0\0\0\x18ftypmp42\0\0\0\0mp42isom", "latin1");
const TEXT = "plain text\n";
const HTML = "<!doctype html><p>x</p>";

// name, declared, content, type
const choices: [string, string, string | Uint8Array, string][] = [
  ["note.txt", "", TEXT, "text/plain"],
  ["data.json", "", "{}", "application/json"],
  ["table.csv", "", "a,b\n", "text/csv"],
  ["page.html", "", HTML, "text/html"],
  ["doc.pdf", "", PDF, "application/pdf"],
  ["clip.mp4", "", MP4, "video/mp4"],
  ["archive.zip", "", ZIP, "application/zip"],
  ["a.md", "text/plain", TEXT, "text/markdown"],
  ["a.js", "text/javascript", TEXT, "application/javascript"],
  ["a.ts", "", TEXT, "video/mp2t"],
  ["x.php", "", "<?php 1;", "application/x-httpd-php"],
  ["x.exe", "", TEXT, "application/x-msdos-program"],
  ["noext", "text/plain", TEXT, "text/plain"],
  ["noext", "text/plain;charset=utf-8", TEXT, "text/plain;charset=utf-8"],
  ["noext", "", TEXT, "application/octet-stream"],
  ["noext", "application/octet-stream", TEXT, "application/octet-stream"],
  ["program", "", ELF, "application/x-elf"],
  ["a.txt", "", ELF, "application/x-elf"],
  ["a.txt", "text/plain", ELF, "text/plain"],
  ["a.txt", "application/json", "{}", "text/plain"],
  ["photo", "", JPEG, "image/jpeg"],
  ["doc", "text/plain", PDF, "application/pdf"],
  ["a.jpg", "", GIF, "image/gif"],
  ["a.jpg", "image/jpeg", GIF, "image/jpeg"],
  ["a.mov", "video/quicktime", MP4, "video/quicktime"],
  ["a.docx", "", ZIP, "application/vnd.openxmlformats-officedocument.wordprocessingml.document"],
  ["table.csv", "application/vnd.ms-excel", "a,b\n", "text/csv"],
  ["a.unknownext", "foo/bar", TEXT, "foo/bar"],
  ["a.unknownext", "", TEXT, "application/octet-stream"],
  ["a.txt", "image/png", TEXT, "text/plain"],
  ["a.png", "text/html", HTML, "image/png"],
  ["a.html", "image/png", HTML, "text/html"],
  ["UPPER.TXT", "text/plain", TEXT, "text/plain"],
  ["a.tar.gz", "text/plain", TEXT, "application/gzip"],
  ["trailing.", "text/plain", TEXT, "text/plain"],
  [".hidden", "text/plain", TEXT, "text/plain"],
  ["x.svg", "", SVG, "image/svg+xml"],
  ["x.svg", "", `<?xml version="1.0"?>${SVG}`, "application/xml"],
  ["x.svg", "image/svg+xml", `<?xml version="1.0"?>${SVG}`, "image/svg+xml"],
];

test.each(choices)("%s declared as '%s' gets its type from name, declaration and content", async (...row) => {
  const [name, declared, content, type] = row;
  expect(await chooseType({ name, declared, head: bytes(content) }, OPEN)).toBe(type);
});

const rules: TypeRules = {
  allowedTypes: ["text/plain", "image/*", "application/pdf", "application/msword"],
  deniedTypes: ["image/svg+xml"],
};
const SVG_REFUSED = "File type 'image/svg+xml' is not allowed";

const refusals: [string, string, string, string | Uint8Array, string][] = [
  ["a denied extension", "x.svg", "", SVG, SVG_REFUSED],
  ["a denied declaration", "x.txt", "image/svg+xml", TEXT, SVG_REFUSED],
  ["an archive outside the list", "a.zip", "", ZIP, "MIME type is not allowed"],
  ["an archive that says so", "a.zip", "application/zip", ZIP, "File type 'application/zip' is not allowed"],
  ["a program called a text", "a.txt", "text/plain", ELF, "MIME type is not allowed"],
  ["HTML outside the list", "page.html", "text/html", HTML, "File type 'text/html' is not allowed"],
  ["an unknown type", "a.bin", "", TEXT, "File type 'application/octet-stream' is not allowed"],
];

test.each(refusals)("%s is refused", async (...row) => {
  const [, name, declared, content, message] = row;
  await expect(chooseType({ name, declared, head: bytes(content) }, rules)).rejects.toThrow(message);
});

test("an archive passes under a name whose type is allowed", async () => {
  expect(await chooseType({ name: "a.doc", declared: "", head: ZIP }, rules)).toBe("application/msword");
  expect(await chooseType({ name: "a.txt", declared: "text/plain", head: ZIP }, rules)).toBe("text/plain");
});

test("an empty list allows nothing", async () => {
  const nothing = { allowedTypes: [], deniedTypes: undefined };
  await expect(chooseType({ name: "a.txt", declared: "", head: bytes(TEXT) }, nothing)).rejects.toThrow("MIME type");
});

test("a pattern's dots and pluses are letters", async () => {
  const dots = { allowedTypes: ["image/svg+x*", "text.plain"], deniedTypes: undefined };
  expect(await chooseType({ name: "x.svg", declared: "", head: bytes(SVG) }, dots)).toBe("image/svg+xml");
  await expect(chooseType({ name: "a.txt", declared: "", head: bytes(TEXT) }, dots)).rejects.toThrow("'text/plain'");
});
