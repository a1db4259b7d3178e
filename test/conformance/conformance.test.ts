/** One test per recorded step: what Strapi answered, Galley answers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { rewordingOf } from "./admin-deviations.ts";
import { compareAnswers } from "./compare.ts";
import { deviations } from "./deviations.ts";
import { FreshServers } from "./fresh-servers.ts";
import { play } from "./play.ts";
import type { Answer, Recording } from "./scenario.ts";

const here = import.meta.dir;

const servers = new FreshServers();
afterAll(() => servers.close(true));

for (const file of readdirSync(join(here, "recordings")).sort()) {
  const recording = JSON.parse(readFileSync(join(here, "recordings", file), "utf8")) as Recording;
  describe(recording.name, () => {
    let answers: readonly Answer[] = [];
    beforeAll(async () => {
      const galley = await servers.serverFor(recording);
      ({ answers } = await play(recording, galley.serve(), join(here, "files")));
    });
    afterAll(() => servers.close());
    for (const [index, { id, answer }] of recording.steps.entries()) {
      const deviation = deviations[recording.name]?.[id] ?? rewordingOf(recording.name, answer);
      const differences = () => compareAnswers(answer, answers[index]!);
      if (deviation) {
        test(`${id} (differs: ${deviation.reason})`, () =>
          expect(deviation.holds(answers[index]!, differences(), answer)).toBe(true));
      } else test(id, () => expect(differences()).toEqual([]));
    }
  });
}
