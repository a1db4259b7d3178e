/** Where a project is served, and what the start says about it. */
import { describe, expect, test } from "bun:test";
import { chooseHost } from "../../src/cli/welcome.ts";

describe("the host", () => {
  const cases: readonly [string, Parameters<typeof chooseHost>, string, string | undefined][] = [
    ["nothing is said", [undefined, undefined, false], "localhost", undefined],
    ["the project says this machine", [undefined, "127.0.0.1", false], "127.0.0.1", undefined],
    ["the project says every interface", [undefined, "0.0.0.0", false], "localhost", "only this machine is answered"],
    ["the same in production", [undefined, "0.0.0.0", true], "0.0.0.0", "other machines are answered"],
    ["the command line says so", ["0.0.0.0", "127.0.0.1", false], "0.0.0.0", "other machines are answered"],
    ["the command line says this machine", ["localhost", "0.0.0.0", true], "localhost", undefined],
  ];
  for (const [name, args, host, notice] of cases) {
    test(name, () => {
      const chosen = chooseHost(...args);
      expect(chosen.host).toBe(host);
      if (notice === undefined) expect(chosen.notice).toBeUndefined();
      else expect(chosen.notice).toContain(notice);
    });
  }
});
