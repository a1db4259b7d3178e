/** What `bun test` and the other checks came to: which test files run once more, and the last lines that are printed. */

import { relative } from "node:path";

export interface TestRun {
  readonly passed: number;
  /** The names of the failed tests, by file. */
  readonly failures: ReadonlyMap<string, readonly string[]>;
  /** Failures of which it is not known which file to run again. */
  readonly others: readonly string[];
}

const OUTSIDE = "an error outside of its tests";
const entities: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const decode = (text: string): string => text.replace(/&(\w+);/g, (whole, name) => entities[name] ?? whole);

/**
 * `xml`: the report for JUnit, which lacks files that cannot be loaded; those are found in the output. The heading above such an error
 * may be that of another file, so that a test file of `root` which the error names comes first.
 */
export function readRun(output: string, exitCode: number | null, xml: string, root: string): TestRun {
  const number = (word: string): number =>
    Number([...output.matchAll(RegExp(`^ *(\\d+) ${word}$`, "gm"))].at(-1)?.[1] ?? 0);
  const [passed, failed] = [number("pass"), number("fail")];
  const failures = new Map<string, string[]>();
  const add = (file: string, name: string): void => {
    failures.set(file, [...(failures.get(file) ?? []), name]);
  };
  const cases = xml.matchAll(/<testcase name="([^"]*)" classname="([^"]*)"[^>]* file="([^"]+)"[^>]*[^/]>\s*<failure/g);
  // the innermost group comes first there
  for (const [, name, groups, file] of cases) {
    add(decode(file!), [...decode(groups!).split(" > ").reverse(), decode(name!)].filter(Boolean).join(" > "));
  }
  const sections = output.matchAll(/^(\S+\.test\.tsx?):$|^# Unhandled error between tests$\n-+\n([\s\S]*?)^-+$/gm);
  let heading: string | undefined;
  for (const [, title, error] of sections) {
    heading = title ?? heading;
    if (error === undefined) continue;
    const named = /\/\S+\.test\.tsx?/.exec(error)?.[0];
    const file = named ? relative(root, named) : heading;
    if (file && !failures.has(file)) add(file, OUTSIDE);
  }
  const known = [...failures.values()].flat().length;
  const hasEnded = passed + failed > 0 && (exitCode === 0 || failed > 0);
  const others = Array.from({ length: Math.max(0, failed - known) }, () => "a test that bun test does not name");
  return { passed, failures, others: hasEnded ? others : [...others, `bun test ended with ${exitCode}`] };
}

export class Tally {
  passed = 0;
  readonly failures: string[] = [];

  count(name: string, ok: boolean): void {
    if (ok) this.passed++;
    else this.failures.push(name);
  }

  /**
   * Adds a run of all tests. Each file with a failed test runs once more, until the time for that is over, and the second run
   * counts: what depends on the speed of the machine is passed then, and a defect fails again.
   */
  async countTests(all: TestRun, again: (file: string) => Promise<TestRun>, isOver: () => boolean): Promise<void> {
    this.passed += all.passed;
    this.failures.push(...all.others);
    for (const [file, names] of all.failures) {
      if (isOver()) {
        for (const name of names) this.failures.push(`${file}: ${name} (did not run once more: the time was over)`);
        continue;
      }
      const second = await again(file);
      const failed = [...[...second.failures.values()].flat(), ...second.others];
      this.failures.push(...failed.map((name) => `${file}: ${name}`));
      this.passed += Math.max(0, names.length - failed.length);
    }
  }

  /** The names of all failures, and the closing line. */
  get closing(): string {
    const names = this.failures.map((name) => `FAIL ${name}`);
    return [...names, `${this.passed} passed, ${this.failures.length} failed`].join("\n");
  }
}
