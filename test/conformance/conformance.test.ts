/** One test per recorded step: what the reference answered, Galley answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createGalley, type Galley } from "../../src/index.ts";
import { compareAnswers } from "./compare.ts";
import { deviations } from "./deviations.ts";
import { play } from "./play.ts";
import type { Answer, Recording } from "./scenario.ts";

const here = import.meta.dir;

/** Types and locales are changed in the project's files, which a project in memory leaves alone. */
const changesFiles = ({ steps }: Recording): boolean =>
  steps.some(({ as, path = "" }) => as === "admin" && /^\/(i18n|content-type-builder)\//.test(path));

for (const file of readdirSync(join(here, "recordings")).sort()) {
  const recording = JSON.parse(readFileSync(join(here, "recordings", file), "utf8")) as Recording;
  describe(recording.name, () => {
    let root: string;
    let galley: Galley;
    let answers: readonly Answer[] = [];
    beforeAll(async () => {
      root = mkdtempSync(join(tmpdir(), "galley-conformance-"));
      cpSync(join(here, recording.project), root, { recursive: true });
      galley = await createGalley({
        project: root,
        memory: !changesFiles(recording),
        admin: true,
        environment: {},
      });
      ({ answers } = await play(recording, galley.serve(), join(here, "files")));
    });
    afterAll(async () => {
      await galley.close();
      rmSync(root, { recursive: true, force: true });
    });
    for (const [index, { id, answer }] of recording.steps.entries()) {
      const deviation = deviations[recording.name]?.[id];
      const differences = () => compareAnswers(answer, answers[index]!);
      if (deviation) {
        test(`${id} (differs: ${deviation.reason})`, () =>
          expect(deviation.holds(answers[index]!, differences())).toBe(true));
      } else test(id, () => expect(differences()).toEqual([]));
    }
  });
}
