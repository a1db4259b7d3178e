/**
 * Kills a server at random moments while clients write documents and an editor changes their files, changes more files while it is
 * down, starts it again, and checks that files and database become equal and that nothing is lost of what was acknowledged or saved.
 *
 * Clients write titles, the editor writes copies: changes of both to one document are merged. Some edits also change the title, and
 * conflict with what clients have written; the client's title must be in the history then.
 */
import { Database } from "bun:sqlite";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { Random } from "../../test/random.ts";
import { HEADERS, writeProject } from "./project.ts";
import { FROM_SOURCE, type KillableServer, startServer } from "./server.ts";

export interface ContentKillOptions {
  readonly kills: number;
  readonly seed: number;
  /** The command line before its arguments; Galley from source. */
  readonly program?: readonly string[] | undefined;
  /** Called after each kill. */
  readonly progress?: (round: number) => void;
}

export interface ContentKillResult {
  readonly kills: number;
  /** Acknowledged writes of clients. */
  readonly writes: number;
  /** Changes of files. */
  readonly edits: number;
  readonly conflicts: number;
  /** Nothing, if all is well. */
  readonly problems: readonly string[];
}

const CLIENTS = 3;
const LONGEST_ROUND_MS = 400;
const SETTLE_MS = 20_000;
const DOCUMENTS = 30;

/** What a document may have: more than one value where a write was not acknowledged. */
interface Expected {
  titles: Set<string>;
  copy: string;
  mayBeGone: boolean;
  /** The file was changed since the last check. If the server has not seen that yet, a deletion is a conflict, which the file wins. */
  isEdited?: boolean;
}

interface PostFile {
  readonly path: string;
  readonly text: string;
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly copy: string | undefined;
}

const valueIn = (text: string, key: string): string | undefined =>
  new RegExp(`^${RegExp.escape(key)}: (.*)$`, "m").exec(text)?.[1];

class ContentLedger {
  readonly #root: string;
  readonly #expected = new Map<string, Expected>();
  /** Documents that were deleted. */
  readonly #gone = new Set<string>();
  /** Files of new documents, until their ids are known. */
  readonly #added = new Map<string, string>();
  /** Titles that lost against a file's. */
  readonly #replaced = new Map<string, string>();
  #count = 0;
  writes = 0;
  edits = 0;

  constructor(root: string) {
    this.#root = root;
  }

  get conflicts(): number {
    return this.#replaced.size;
  }

  get #folder(): string {
    return join(this.#root, "content/posts");
  }

  /** Undefined: the server has gone. */
  async #request(url: string, method: string, data?: unknown): Promise<{ status: number; id?: string } | undefined> {
    try {
      const body = data === undefined ? {} : { body: JSON.stringify({ data }) };
      const headers = { ...HEADERS, "content-type": "application/json" };
      const response = await fetch(url, { method, headers, ...body });
      const text = await response.text();
      return { status: response.status, id: text === "" ? undefined : JSON.parse(text).data?.documentId };
    } catch {
      return undefined;
    }
  }

  /** Writes until the server is gone. */
  async write(url: string, random: Random, own: (id: string) => boolean): Promise<void> {
    for (;;) {
      const title = `t-${++this.#count}`;
      const ids = [...this.#expected.keys()].filter((id) => own(id) && !this.#gone.has(id));
      const status = random.chance(0.5) ? "published" : "draft";
      if (ids.length < DOCUMENTS / CLIENTS && random.chance(0.3)) {
        const answer = await this.#request(`${url}/api/posts?status=${status}`, "POST", { title, copy: "c-0" });
        if (!answer) return;
        if (answer.id === undefined) continue;
        this.#expected.set(answer.id, { titles: new Set([title]), copy: "c-0", mayBeGone: false });
      } else if (ids.length > 0) {
        const id = random.pick(ids);
        const expected = this.#expected.get(id)!;
        if (random.chance(0.1) && !expected.isEdited) {
          expected.mayBeGone = true;
          const answer = await this.#request(`${url}/api/posts/${id}`, "DELETE");
          if (!answer) return;
          if (answer.status < 300) this.#forget(id);
        } else {
          expected.titles.add(title);
          const answer = await this.#request(`${url}/api/posts/${id}?status=${status}`, "PUT", { title });
          if (!answer) return;
          if (answer.status === 200) expected.titles = new Set([title]);
        }
      }
      this.writes++;
    }
  }

  #forget(id: string): void {
    this.#expected.delete(id);
    this.#gone.add(id);
  }

  #isNoted(path: string): boolean {
    const db = new Database(join(this.#root, ".galley/content.db"), { readonly: true });
    try {
      const sql = "SELECT 1 FROM galley_content WHERE path = ?";
      return db.query(sql).get(relative(join(this.#root, "content"), path)) !== null;
    } finally {
      db.close();
    }
  }

  #files(): PostFile[] {
    const names = readdirSync(this.#folder).filter((name) => name.endsWith(".yaml"));
    return names.flatMap((name) => {
      const path = join(this.#folder, name);
      try {
        const text = readFileSync(path, "utf8");
        const [id, title, copy] = ["$id", "title", "copy"].map((key) => valueIn(text, key));
        return [{ path, text, id, title, copy }];
      } catch {
        // removed in the meantime
        return [];
      }
    });
  }

  /** Changes a file as editors do: by a new one, or in place. */
  #save(random: Random, path: string, text: string): void {
    this.edits++;
    if (random.chance(0.5)) return writeFileSync(path, text);
    writeFileSync(`${path}~`, text);
    renameSync(`${path}~`, path);
  }

  /** Changes files until `isOver`. */
  async edit(random: Random, isOver: () => boolean, own: (id: string) => boolean): Promise<void> {
    while (!isOver()) {
      this.editOne(random, own, false);
      await Bun.sleep(random.below(60));
    }
  }

  /** `isDown`: whether the server does not run. Titles are changed then only, since the database is known. */
  editOne(random: Random, own: (id: string) => boolean, isDown: boolean): void {
    const copy = `c-${++this.#count}`;
    const files = this.#files().filter(({ id }) => id !== undefined && own(id) && this.#expected.has(id));
    if (files.length < DOCUMENTS && random.chance(0.2)) {
      const path = join(this.#folder, `file-${this.#count}.yaml`);
      this.#added.set(path, copy);
      return this.#save(random, path, `title: f-${this.#count}\ncopy: ${copy}\n`);
    }
    if (files.length === 0) return;
    const { path, text, id, title } = random.pick(files);
    const expected = this.#expected.get(id!)!;
    if (isDown && random.chance(0.1)) {
      // a new file that the killed process has not noted is not distinguished from one that it has not written: it is there again
      if (!this.#isNoted(path)) return;
      this.edits++;
      rmSync(path);
      return this.#forget(id!);
    }
    // of a document that was deleted, the file is there again
    if (expected.mayBeGone) return;
    expected.copy = copy;
    expected.isEdited = true;
    let edited = text.replace(/^copy: .*$/m, `copy: ${copy}`);
    if (isDown && random.chance(0.3)) {
      const own = `e-${this.#count}`;
      const [acknowledged] = expected.titles;
      if (expected.titles.size === 1 && acknowledged !== title) this.#replaced.set(acknowledged!, id!);
      expected.titles = new Set([own]);
      edited = edited.replace(/^title: .*$/m, `title: ${own}`);
    }
    this.#save(random, path, edited);
  }

  async check(url: string): Promise<string[]> {
    let problems: string[] = [];
    for (const until = Date.now() + SETTLE_MS; Date.now() < until; await Bun.sleep(50)) {
      problems = await this.#differences(url);
      if (problems.length === 0) return this.#history();
    }
    return problems;
  }

  async #differences(url: string): Promise<string[]> {
    const response = await fetch(`${url}/api/posts?status=draft&pagination[pageSize]=100`, { headers: HEADERS });
    const { data } = (await response.json()) as { data: { documentId: string; title: string; copy: string }[] };
    const files = this.#files();
    const problems: string[] = [];
    for (const [path, copy] of this.#added) {
      const found = files.find((file) => file.path === path);
      const id = found?.id;
      if (id === undefined) problems.push(`${path} has no id`);
      else this.#expected.set(id, { titles: new Set([found!.title!]), copy, mayBeGone: false });
    }
    for (const { documentId, title, copy } of data) {
      const file = files.find(({ id }) => id === documentId);
      if (!file) problems.push(`${documentId} (${title}) has no file`);
      else if (file.title !== title || file.copy !== copy)
        problems.push(`${file.path} has ${file.title} and ${file.copy}, the database ${title} and ${copy}`);
      if (this.#gone.has(documentId)) problems.push(`${documentId} (${title}) is there again`);
    }
    for (const { id, path } of files)
      if (!data.some(({ documentId }) => documentId === id)) problems.push(`${path} (${id}) has no document`);
    for (const [id, { titles, copy, mayBeGone }] of this.#expected) {
      const found = data.find(({ documentId }) => documentId === id);
      if (!found && !mayBeGone) problems.push(`${id} (${[...titles]}) is lost`);
      if (found && !titles.has(found.title))
        problems.push(`${id} has the title ${found.title} instead of ${[...titles]}`);
      if (found && found.copy !== copy) problems.push(`${id} has the copy ${found.copy} instead of ${copy}`);
    }
    if (problems.length === 0) this.#settle(data, files);
    return problems;
  }

  /** What is there is what is expected from now on: also documents whose creation was not acknowledged. */
  #settle(data: readonly { documentId: string; title: string; copy: string }[], files: readonly PostFile[]): void {
    this.#added.clear();
    this.#expected.clear();
    for (const { documentId, title, copy } of data)
      this.#expected.set(documentId, { titles: new Set([title]), copy, mayBeGone: false });
    for (const { id } of files) this.#gone.delete(id!);
  }

  #history(): string[] {
    const db = new Database(join(this.#root, ".galley/content.db"), { readonly: true });
    try {
      return [...this.#replaced].flatMap(([title, id]) => {
        const rows = db.query("SELECT data FROM galley_history WHERE document_id = ?").values(id) as [string][];
        return rows.some(([data]) => JSON.parse(data).title === title)
          ? []
          : [`${title} of ${id} is not in the history`];
      });
    } finally {
      db.close();
    }
  }
}

/** Kills a server before it serves. */
async function killStarting(root: string, program: readonly string[], delay: number): Promise<void> {
  const child = Bun.spawn([...program, "serve", root, "--port", "0"], { stdout: "ignore", stderr: "ignore" });
  await Bun.sleep(delay);
  child.kill("SIGKILL");
  await child.exited;
}

export async function runContentKills({
  kills,
  seed,
  program,
  progress,
}: ContentKillOptions): Promise<ContentKillResult> {
  const root = mkdtempSync(join(tmpdir(), "galley-kill-content-"));
  const random = new Random(seed);
  const ledger = new ContentLedger(root);
  const problems: string[] = [];
  try {
    writeProject(root);
    mkdirSync(join(root, "content/posts"), { recursive: true });
    for (let round = 0; round <= kills && problems.length === 0; round++) {
      if (round > 0 && random.chance(0.2)) await killStarting(root, program ?? FROM_SOURCE, random.below(1000));
      const server: KillableServer = await startServer(root, 1, program);
      try {
        const found = await ledger.check(server.url);
        problems.push(
          ...found.map(
            (problem) => `after kill ${round}: ${problem}; the server said: ${server.errors().slice(-1000)}`,
          ),
        );
        if (round === kills || problems.length > 0) break;
        let isOver = false;
        // documents belong to a client or the editor for a round
        const ownerOf = (id: string): number => Number(Bun.hash(`${id} ${round}`) % BigInt(CLIENTS + 1));
        const clients = Array.from({ length: CLIENTS }, (_, index) =>
          ledger.write(server.url, new Random(random.below(2 ** 31)), (id) => ownerOf(id) === index),
        );
        const editor = ledger.edit(
          new Random(random.below(2 ** 31)),
          () => isOver,
          (id) => ownerOf(id) === CLIENTS,
        );
        await Bun.sleep(20 + random.below(LONGEST_ROUND_MS));
        await server.kill();
        isOver = true;
        await Promise.all([...clients, editor]);
        for (let edits = random.below(5); edits > 0; edits--) ledger.editOne(random, () => true, true);
        progress?.(round + 1);
      } finally {
        await server.kill();
      }
    }
  } finally {
    if (problems.length === 0) rmSync(root, { recursive: true, force: true });
  }
  const { writes, edits, conflicts } = ledger;
  return { kills, writes, edits, conflicts, problems };
}
