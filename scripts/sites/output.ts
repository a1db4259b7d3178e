/** What a site's build has written, in a form that does not depend on the server that it read from. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

const PAGE = /\.html$/;
const PICTURE = /\.(jpe?g|png|webp|avif|gif|svg)$/;
/** References to pictures in pages: paths of the site, also with escapes. */
const REFERENCE = /\/[^"'\s(),&<>\\]+\.(?:jpe?g|png|webp|avif|gif|svg)/g;

/** Pages by their paths, with the bytes of pictures in the place of their names; and pictures by their bytes. */
export type SiteOutput = ReadonlyMap<string, string>;

export const hashData = (data: string | Uint8Array): string =>
  new Bun.CryptoHasher("sha256").update(data).digest("hex").slice(0, 32);

/** Some builds write the server's URL into their pages. */
const SERVER = /http:\/\/(?:localhost|127\.0\.0\.1):\d+/g;

export function readOutput(folder: string): SiteOutput {
  const names = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => statSync(join(folder, name)).isFile());
  // frameworks put hashes of URLs into the names of pictures
  const pictures = new Map(
    names.filter((name) => PICTURE.test(name)).map((name) => [`/${name}`, hashData(readFileSync(join(folder, name)))]),
  );
  const pages = names
    .filter((name) => PAGE.test(name))
    .map((name): [string, string] => {
      const text = readFileSync(join(folder, name), "utf8").replaceAll(SERVER, "SERVER");
      return [name, text.replace(REFERENCE, (path) => pictures.get(decodeURI(path)) ?? path)];
    });
  return new Map([...pages, ...[...pictures.values()].map((digest): [string, string] => [`picture ${digest}`, ""])]);
}

/** Where two builds differ, a line each. */
export function outputDifferences(expected: SiteOutput, actual: SiteOutput): string[] {
  const lines: string[] = [];
  for (const name of new Set([...expected.keys(), ...actual.keys()])) {
    const [one, other] = [expected.get(name), actual.get(name)];
    if (one === undefined) lines.push(`${name}: only with Galley`);
    else if (other === undefined) lines.push(`${name}: only with Strapi`);
    else if (one !== other) lines.push(`${name}: ${difference(one, other)}`);
  }
  return lines;
}

const EXCERPT = 120;

function difference(one: string, other: string): string {
  let at = 0;
  while (one[at] === other[at]) at++;
  const excerpt = (text: string): string => JSON.stringify(text.slice(Math.max(0, at - 40), at + EXCERPT));
  return `${excerpt(one)} with Strapi, ${excerpt(other)} with Galley`;
}
