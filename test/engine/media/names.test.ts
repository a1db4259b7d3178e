import { expect, test } from "bun:test";
import { randomIds } from "../../../src/engine/documents/context.ts";
import {
  checkDiskName,
  checkName,
  createHash,
  decodeFilename,
  findExtension,
} from "../../../src/engine/media/names.ts";
import { checkSize, kilobytes } from "../../../src/engine/media/sizes.ts";

// a name and what its hash begins with
const slugs: [string, string, string][] = [
  ["héllo wörld.txt", ".txt", "hello_woerld_"],
  ["日本語.txt", ".txt", "_"],
  ["---.txt", ".txt", "_"],
  ["a b  c.txt", ".txt", "a_b_c_"],
  ["a_b-c.txt", ".txt", "a_b_c_"],
  ["a&b.txt", ".txt", "a_and_b_"],
  ["Ünïcode ẞ ø å.txt", ".txt", "Uenicode_SS_o_a_"],
  ["emoji😀.txt", ".txt", "emoji_"],
  ["hello.TXT.exe", ".exe", "hello_TXT_"],
  ["photo.png", ".txt", "photo_png_"],
  ["../evil.txt", ".txt", "evil_"],
  ["CamelCaseName.txt", ".txt", "Camel_Case_Name_"],
  ["IMGFile20.txt", ".txt", "IMG_File20_"],
  ["PDF2Report.txt", ".txt", "PDF_2_Report_"],
  ["Straße №5.txt", ".txt", "Strasse_5_"],
  ["Łódź.txt", ".txt", "Lodz_"],
  ["привет мир.txt", ".txt", "privet_mir_"],
  ["Ærøskøbing.txt", ".txt", "A_Eroskobing_"],
  ["Q&A @home #1.txt", ".txt", "Q_and_A_home_1_"],
  ["trailing.", ".", "trailing_"],
  [".hidden", ".txt", "hidden_"],
];

test.each(slugs)("%s becomes a slug and ten digits", (name, ext, begin) => {
  expect(createHash(name, ext, randomIds)).toMatch(new RegExp(`^${begin}[0-9a-f]{10}$`));
});

test("no two hashes are the same", () => {
  expect(new Set(Array.from({ length: 500 }, () => createHash("a.txt", ".txt", randomIds))).size).toBe(500);
});

const accepted = [
  "con.txt",
  "a",
  ".hidden",
  "trailing.",
  "x".repeat(255),
  "日本語.txt",
  "a'b;c&d.txt",
  "%2e%2e",
  "~",
  "$(x)",
];
test.each(accepted)("%s is a file name", (name) => {
  expect(() => checkName(name)).not.toThrow();
});

const refused = [
  ["", ".", "..", "x".repeat(256), "a/b", "a\\b", "a:b", "a*b", "a?b", "a|b", "<a>", 'a"b'],
  ["a\0b", "a\nb", "a\x1fb", "con", "CON", "nul", "aux", "prn", "com1", "LPT9", "com0"],
].flat();
test.each(refused)("%j is not a file name", (name) => {
  expect(() => checkName(name)).toThrow("File name contains invalid characters");
});

test("a sent name loses its Windows folders and gets its quotes back", () => {
  expect(decodeFilename("C:\\x\\win.txt")).toBe("win.txt");
  expect(decodeFilename("a%22b.txt")).toBe('a"b.txt');
  expect(decodeFilename("a&#0065;b")).toBe("aAb");
});

test("the extension is the name's own, or that of the type", () => {
  expect(findExtension("A.JPG", "image/jpeg")).toBe(".JPG");
  expect(findExtension("a.tar.gz", "application/gzip")).toBe(".gz");
  expect(findExtension("photo", "image/jpeg")).toBe(".jpeg");
  expect(findExtension("x", "application/x-elf")).toBe(".false");
  expect(findExtension("trailing.", "text/plain")).toBe(".");
});

test("names on disk are limited in bytes rather than letters", () => {
  expect(() => checkDiskName("x".repeat(255))).not.toThrow();
  expect(() => checkDiskName("é".repeat(128))).toThrow("too long");
});

test.each([
  [36, 0.04],
  [4, 0],
  [1005, 1],
  [1015, 1.01],
  [1231, 1.23],
])("%d bytes are %d KB", (bytes, size) => {
  expect(kilobytes(bytes)).toBe(size);
});

test("the limit holds for rounded sizes, and is named in the largest unit", () => {
  expect(() => checkSize("a", 3004, 3000)).not.toThrow();
  expect(() => checkSize("a", 3006, 3000)).toThrow("a exceeds size limit of 3 KB.");
  expect(() => checkSize("a", 2e9, 1e9)).toThrow("a exceeds size limit of 1 GB.");
  expect(() => checkSize("a", 600, 500)).toThrow("a exceeds size limit of 500 Bytes.");
  expect(() => checkSize("a", 9e12, 0)).not.toThrow();
});
