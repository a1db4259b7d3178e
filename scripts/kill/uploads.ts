/** Files that are uploaded, replaced and removed until the server is gone, and what must be there of them afterwards. */
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Random } from "../../test/random.ts";
import { Refused, unlessRefused } from "./documents.ts";
import { HEADERS } from "./project.ts";

interface FileRecord {
  readonly id: number;
  readonly url: string;
  /** In kilobytes, rounded to ten bytes. */
  readonly size: number;
  readonly formats: Readonly<Record<string, { readonly url: string }>> | null;
}

/** An image has copies, the others none. */
async function contents(): Promise<readonly File[]> {
  const pixels = new Uint8Array(400 * 300 * 3).map((_, index) => index % 251);
  const bitmap = createBmp(pixels, 400, 300);
  const image = await new Bun.Image(bitmap).jpeg().bytes();
  return [
    new File(["hello"], "a.txt"),
    new File([image], "b.jpg", { type: "image/jpeg" }),
    new File([crypto.getRandomValues(new Uint8Array(60_000))], "c.bin"),
  ];
}

/** The simplest file that an image can be made of. */
function createBmp(pixels: Uint8Array, width: number, height: number): Uint8Array {
  const header = Buffer.alloc(54);
  header.write("BM");
  header.writeUInt32LE(54 + pixels.length, 2);
  header.writeUInt32LE(54, 10);
  header.writeUInt32LE(40, 14);
  header.writeInt32LE(width, 18);
  header.writeInt32LE(height, 22);
  header.writeUInt16LE(1, 26);
  header.writeUInt16LE(24, 28);
  header.writeUInt32LE(pixels.length, 34);
  return Buffer.concat([header, pixels]);
}

export class UploadLedger {
  readonly #root: string;
  readonly #stored = new Set<number>();
  readonly #removed = new Set<number>();
  #contents: readonly File[] = [];
  acknowledged = 0;

  constructor(root: string) {
    this.#root = root;
  }

  async write(url: string, random: Random): Promise<never> {
    if (this.#contents.length === 0) this.#contents = await contents();
    const own: number[] = [];
    for (;;) {
      const id = own.length > 0 && random.chance(0.5) ? random.pick(own) : undefined;
      const work = async (): Promise<void> => {
        if (id === undefined) own.push(await this.#upload(url, random.pick(this.#contents)));
        else if (random.chance(0.3)) {
          own.splice(own.indexOf(id), 1);
          // a removal that is not acknowledged may have happened or not
          this.#stored.delete(id);
          await send(`${url}/api/upload/files/${id}`, { method: "DELETE" });
          this.#removed.add(id);
        } else await this.#upload(url, random.pick(this.#contents), id);
        this.acknowledged++;
      };
      await work().catch(unlessRefused);
    }
  }

  async #upload(url: string, file: File, replaces?: number): Promise<number> {
    const form = new FormData();
    form.append("files", file);
    const answer = await send(`${url}/api/upload${replaces === undefined ? "" : `?id=${replaces}`}`, {
      method: "POST",
      body: form,
    });
    const { id } = [answer].flat()[0] as FileRecord;
    this.#stored.add(id);
    return id;
  }

  async check(url: string): Promise<string[]> {
    const problems: string[] = [];
    const records = (await send(`${url}/api/upload/files?sort=id`, {})) as FileRecord[];
    const folder = join(this.#root, "public/uploads");
    const files = existsSync(folder) ? readdirSync(folder).filter((name) => !name.startsWith(".")) : [];
    const named = new Set(records.flatMap((record) => [record, ...Object.values(record.formats ?? {})]).map(nameOf));
    for (const name of files) if (!named.has(name)) problems.push(`the file ${name} has no record`);
    for (const name of named) if (!files.includes(name)) problems.push(`the file ${name} is lost`);
    for (const record of records) {
      const path = join(folder, nameOf(record));
      const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
      if (Math.abs(size - record.size * 1000) > 10) problems.push(`${path} has ${size} bytes, not ${record.size} KB`);
    }
    const ids = new Set(records.map(({ id }) => id));
    for (const id of this.#stored)
      if (!ids.has(id)) problems.push(`the file record ${id} was acknowledged and is lost`);
    for (const id of this.#removed) if (ids.has(id)) problems.push(`the file record ${id} is back after its removal`);
    const unfinished = join(folder, ".galley");
    if (existsSync(unfinished) && readdirSync(unfinished).length > 0) problems.push("unfinished files are left");
    return problems;
  }
}

const nameOf = ({ url }: { readonly url: string }): string => url.slice("/uploads/".length);

async function send(url: string, init: RequestInit): Promise<unknown> {
  const response = await fetch(url, { ...init, headers: HEADERS });
  if (response.status === 503) throw new Refused();
  if (!response.ok) throw new Error(`${url} is answered with ${response.status}: ${await response.text()}`);
  return response.json();
}
