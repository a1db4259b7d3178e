/**
 * Kills a server at random moments while it writes documents, publishes, takes uploads and changes its tables, starts it
 * again, and checks that no acknowledged write is lost and nothing is half there.
 */
import { Database } from "bun:sqlite";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../test/random.ts";
import { DocumentLedger } from "./documents.ts";
import { FIRST_FORM, type SchemaForm, writeProject, writeSchema } from "./project.ts";
import { type KillableServer, startServer } from "./server.ts";
import { UploadLedger } from "./uploads.ts";

export interface KillOptions {
  readonly kills: number;
  /** Processes that answer. */
  readonly workers: number;
  readonly seed: number;
  /** The command line before its arguments; Galley from source. */
  readonly program?: readonly string[];
  /** Called after each kill. */
  readonly progress?: (round: number) => void;
}

export interface KillResult {
  readonly kills: number;
  /** Writes that were acknowledged. */
  readonly documents: number;
  readonly uploads: number;
  readonly schemaChanges: number;
  /** Nothing, if all is well. */
  readonly problems: readonly string[];
}

const WRITERS = 4;
const UPLOADERS = 2;
const LONGEST_ROUND_MS = 300;

/** What clients see of a kill; anything else is a fault. */
const BROKEN_CONNECTION = /socket|connect|ECONN|closed|terminated/i;

/** Work that goes on while the server is killed. Further kinds of writes (an import, say) are further rows. */
type Work = (server: KillableServer, random: Random) => Promise<unknown>;

class Schema {
  changes = 0;
  #form = FIRST_FORM;
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Saves other forms of the schema for as long as the round lasts. */
  async edit(random: Random, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const form: SchemaForm = {
        collectionName: random.pick(["posts", "articles"]),
        size: random.pick(["integer", "string"]),
        more: random.chance(0.5),
      };
      if (JSON.stringify(form) !== JSON.stringify(this.#form)) this.changes++;
      this.#form = form;
      writeSchema(this.#root, form);
      await Bun.sleep(20 + random.below(150));
    }
  }
}

/** Resolves when something was acknowledged, or when nothing will be. */
async function firstWrite(
  settled: Promise<unknown>,
  ...ledgers: readonly { readonly acknowledged: number }[]
): Promise<void> {
  const count = (): number => ledgers.reduce((sum, { acknowledged }) => sum + acknowledged, 0);
  let isOver = false;
  void settled.then(() => {
    isOver = true;
  });
  for (const before = count(); count() === before && !isOver; ) await Bun.sleep(1);
}

/** Rows that no other row leads to, and damage of the file. */
function checkDatabase(root: string): string[] {
  const db = new Database(join(root, ".galley/content.db"), { readonly: true });
  try {
    const one = (sql: string): number => (db.query(sql).values() as [[number]])[0][0];
    const problems: string[] = [];
    const [[integrity]] = db.query("PRAGMA integrity_check").values() as [[string]];
    if (integrity !== "ok") problems.push(`the database is damaged: ${integrity}`);
    const rows = one(`SELECT count(*) FROM components_part_row WHERE id NOT IN (SELECT target FROM galley_links l
      JOIN galley_names n ON n.id = l.field WHERE n.name LIKE '%.rows>%')`);
    if (rows > 0) problems.push(`${rows} rows of components belong to nobody`);
    const marks = one("SELECT count(*) FROM galley_meta WHERE key LIKE 'upload:%'");
    if (marks > 0) problems.push(`${marks} marks of uploads are left`);
    return problems;
  } finally {
    db.close();
  }
}

export async function runKills({ kills, workers, seed, program, progress }: KillOptions): Promise<KillResult> {
  const root = mkdtempSync(join(tmpdir(), "galley-kill-"));
  const random = new Random(seed);
  const problems: string[] = [];
  const documents = new DocumentLedger();
  const uploads = new UploadLedger(root);
  const schema = new Schema(root);
  const writers: Work = ({ url }, own) => documents.write(url, own);
  const uploaders: Work = ({ url }, own) => uploads.write(url, own);
  const works: readonly Work[] = [...Array(WRITERS).fill(writers), ...Array(UPLOADERS).fill(uploaders)];
  try {
    writeProject(root);
    for (let round = 0; round <= kills; round++) {
      const server = await startServer(root, workers, program);
      try {
        const found = [
          ...(await documents.check(server.url)),
          ...(await uploads.check(server.url)),
          ...checkDatabase(root),
        ];
        problems.push(...found.map((problem) => `after kill ${round}: ${problem}`));
        if (round === kills || problems.length > 0) break;
        await documents.prepare(server.url);
        let isOver = false;
        const editing = random.chance(0.5) ? schema.edit(random, () => isOver) : undefined;
        const clients = works.map((work) => work(server, new Random(random.below(2 ** 31))));
        const settled = Promise.allSettled(clients);
        await firstWrite(settled, documents, uploads);
        await Bun.sleep(random.below(LONGEST_ROUND_MS));
        await server.kill();
        isOver = true;
        await editing;
        for (const result of await settled) {
          if (result.status === "rejected" && !BROKEN_CONNECTION.test(String(result.reason)))
            problems.push(`in round ${round}: ${result.reason}; the server said: ${server.errors().slice(-2000)}`);
        }
        progress?.(round + 1);
      } finally {
        await server.kill();
      }
    }
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
  return {
    kills,
    documents: documents.acknowledged,
    uploads: uploads.acknowledged,
    schemaChanges: schema.changes,
    problems,
  };
}
