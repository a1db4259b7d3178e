/** The time of a project comes from its clock, which tests set: no code asks the machine where a time is stored, signed, compared or due. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { Glob } from "bun";

const SRC = join(import.meta.dir, "../src");
const GOVERNED = ["engine/**/*.ts", "admin/**/*.ts", "strapi/**/*.ts", "kit/**/*.ts", "server/schedule-runner.ts"];

/** The machine's time belongs there. */
const exceptions: Readonly<Record<string, string>> = {
  "engine/access/mail.ts": "names of files of the outbox",
  "engine/media/download.ts": "the name of a file that has none",
  "engine/storage/lock-holder.ts": "times of files, which other processes compare",
  "engine/storage/temporary-folder.ts": "the age of files that killed processes have left",
  "strapi/administration/role-service.ts": "part of a unique code",
  "strapi/data/schemas.ts": "the default that own code sees, as in Strapi",
  "strapi/knex/write-triggers.ts": "SQL of own code, which the manual names",
  "strapi/members/config.ts": "when the process was launched",
  "strapi/routes/form-file.ts": "the time of a file that was received",
  "strapi/uploads/code-files.ts": "the time of a file that was received",
};
const ASKS = /\bnew Date\(\)|\bDate\.now\b|\bCURRENT_TIMESTAMP\b|['"]now['"]\s*\)/;

test("engine, access, admin, schedule and own code ask the project's clock", async () => {
  const asking: string[] = [];
  for (const pattern of GOVERNED)
    for await (const path of new Glob(pattern).scan(SRC))
      if (ASKS.test(await Bun.file(join(SRC, path)).text())) asking.push(path);
  expect(asking.sort()).toEqual(Object.keys(exceptions).sort());
});
