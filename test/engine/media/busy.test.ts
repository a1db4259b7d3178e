/** Many images at once: none is lost, others are answered meanwhile, and the memory comes back. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { copyProject } from "./library.ts";
import { killServers, type Running, startServer } from "./process.ts";
import { jpegOf } from "./samples.ts";

const IMAGES = 24;
const CLIENTS = 8;
const LISTS_PER_IMAGE = 4;
/** Four megapixels. */
const SIZE = { width: 2464, height: 1632 };
const FORMATS = ["large", "medium", "small", "thumbnail"];
const REST_MS = 20_000;
/** Megabytes that may remain. */
const GROWTH = 50;

const headers = { Authorization: "Bearer full" };
let root: string;
let server: Running;

beforeAll(async () => {
  root = copyProject();
  server = await startServer(root);
});
afterAll(killServers);
afterAll(() => rmSync(root, { recursive: true, force: true }));

/** A list that was not requested before. */
async function list(number: number): Promise<void> {
  const response = await fetch(`${server.url}/api/upload/files?limit=25&n=${number}`, { headers });
  await response.arrayBuffer();
  expect(response.status).toBe(200);
}

async function upload(bytes: Uint8Array, index: number): Promise<void> {
  const form = new FormData();
  form.append("files", new File([bytes as never], `image-${index}.jpg`));
  const response = await fetch(`${server.url}/api/upload`, { method: "POST", body: form, headers });
  expect(response.status).toBe(201);
  await response.arrayBuffer();
}

/** The least that the process holds until it is `enough`, or a time of rest is over. */
async function rested(enough: number): Promise<number> {
  const end = performance.now() + REST_MS;
  let least = server.memory();
  while (performance.now() < end && least > enough) {
    await Bun.sleep(100);
    least = Math.min(least, server.memory());
  }
  return least;
}

test(
  `${IMAGES} images of ${CLIENTS} clients`,
  async () => {
    const bytes = await jpegOf(SIZE);
    // code and buffers that stay are not counted as growth
    await upload(bytes, IMAGES);
    const memory = server.memory();
    const before = server.processorTime();

    let sent = 0;
    let done = 0;
    /** For each list, the uploads that were answered while it waited. */
    const overtaken: number[] = [];
    const lists = async (image: number): Promise<void> => {
      for (let index = 0; index < LISTS_PER_IMAGE; index++) {
        const earlier = done;
        await list(image * LISTS_PER_IMAGE + index);
        overtaken.push(done - earlier);
      }
    };
    const client = async (): Promise<void> => {
      while (sent < IMAGES) {
        const image = sent++;
        const reading = lists(image);
        await upload(bytes, image);
        done++;
        await reading;
      }
    };
    await Promise.all(Array.from({ length: CLIENTS }, client));
    const after = server.processorTime();

    const answer = await fetch(`${server.url}/api/upload/files?sort=id`, { headers });
    const results = (await answer.json()) as { name: string; formats: Record<string, unknown> }[];
    expect(results.map(({ name }) => name).sort()).toEqual(
      Array.from({ length: IMAGES + 1 }, (_, index) => `image-${index}.jpg`).sort(),
    );
    for (const { formats } of results) expect(Object.keys(formats).sort()).toEqual(FORMATS);
    // other work of the machine slows lists and uploads alike: these are figures without a clock
    expect(overtaken.toSorted((a, b) => a - b)[Math.floor(overtaken.length / 2)]).toBe(0);
    expect(after.mainThread - before.mainThread).toBeLessThan((after.all - before.all) / 2);
    expect(await rested(memory + GROWTH)).toBeLessThan(memory + GROWTH);
  },
  { timeout: 240_000 },
);
