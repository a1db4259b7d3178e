import { expect, test } from "bun:test";
import { createScheduleRunner } from "../../src/server/schedule-runner.ts";

test("a database that cannot be read is reported once, and does not end the process", async () => {
  const lines: string[] = [];
  const runner = createScheduleRunner(
    () => {
      throw new Error("disk I/O error");
    },
    (line) => lines.push(line),
  );
  for (let count = 0; count < 3; count++) {
    runner.look();
    await Bun.sleep(0);
  }
  await runner.close();
  expect(lines).toEqual(["schedule: disk I/O error"]);
});
