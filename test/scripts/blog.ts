/** The blog of test/projects in folders of its own: the project, and what is loaded into it with pictures made for it. */
import { cpSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { jpegOf, pngOf } from "../engine/media/samples.ts";

const FIXTURE = join(import.meta.dir, "../projects/blog");
const LOADER = join(import.meta.dir, "../../scripts/load-content.ts");
export const TOKEN = "blog-loader";

/** The article that tests look at, with all that it leads to. */
export const ARTICLE =
  "/api/articles?filters[slug]=ferns-after-rain&populate[author][populate]=avatar&populate[category]=true" +
  "&populate[cover]=true&populate[blocks][populate]=*";

/** Makes `project` and `data` in the folder. */
export async function writeBlog(folder: string): Promise<{ project: string; data: string }> {
  const [project, data] = [join(folder, "project"), join(folder, "data")];
  for (const part of ["src", "config"]) cpSync(join(FIXTURE, part), join(project, part), { recursive: true });
  cpSync(join(FIXTURE, "data"), data, { recursive: true });
  mkdirSync(join(data, "uploads"), { recursive: true });
  const pictures = {
    "ferns-after-rain.jpg": await jpegOf({ width: 1200, height: 800 }),
    "meadow.jpg": await jpegOf({ width: 600, height: 400 }),
    "ada@field-notes.example.jpg": await jpegOf({ width: 200, height: 200 }),
    "favicon.png": await pngOf({ width: 64, height: 64 }),
    "default-image.png": await pngOf({ width: 300, height: 200 }),
  };
  for (const [name, bytes] of Object.entries(pictures)) await Bun.write(join(data, "uploads", name), bytes);
  return { project, data };
}

/** The loader as a process of its own, which must not hold up a server of the caller. */
export async function runLoader(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const child = Bun.spawn([process.execPath, LOADER, ...args], { stdout: "pipe", stderr: "pipe" });
  const [out, err, code] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
    child.exited,
  ]);
  return { code, out, err };
}
