/** What another version of Strapi answers differently from the recordings, grouped by recording. */
import { compareExactly, type Difference } from "../../test/conformance/compare.ts";
import type { Answer, Recording, Step } from "../../test/conformance/scenario.ts";

export interface ChangedStep {
  readonly id: string;
  /** Method and path. */
  readonly request: string;
  readonly differences: readonly Difference[];
  /** The version of the recordings now answers the same: it is not what has changed. */
  readonly sameBefore: boolean;
}

export const formatRequest = ({ method, path, graphql }: Step): string =>
  graphql === undefined ? `${method ?? "GET"} ${path ?? "/"}` : `${method ?? "POST"} ${path ?? "/graphql"}`;

/** `before`: answers of the recordings' version to the same steps, played again. */
export function findChanges(
  { steps }: Recording,
  answers: readonly Answer[],
  before?: readonly Answer[],
): ChangedStep[] {
  return steps.flatMap((step, index) => {
    const differences = compareExactly(step.answer, answers[index]!);
    if (differences.length === 0) return [];
    const sameBefore = before !== undefined && compareExactly(before[index]!, answers[index]!).length === 0;
    return [{ id: step.id, request: formatRequest(step), differences, sameBefore }];
  });
}

const SHOWN_DIFFERENCES = 5;
const SHOWN_LENGTH = 200;

const show = (value: unknown): string => (JSON.stringify(value) ?? "nothing").slice(0, SHOWN_LENGTH);

/** Lines for one recording; none if nothing has changed. */
export function formatChanges(name: string, changes: readonly ChangedStep[]): string[] {
  if (changes.length === 0) return [];
  const lines = changes.flatMap(({ id, request, differences, sameBefore }) => {
    const more = differences.length - SHOWN_DIFFERENCES;
    return [
      `  ${id}: ${request}${sameBefore ? " (the recordings' version answers the same when asked again)" : ""}`,
      ...differences
        .slice(0, SHOWN_DIFFERENCES)
        .map(({ at, expected, got }) => `    ${at}: ${show(expected)} is now ${show(got)}`),
      ...(more > 0 ? [`    and ${more} more`] : []),
    ];
  });
  return [`${name}: ${changes.length} changed`, ...lines];
}

/** At most `count` of the items, at equal distances. */
export function spread<Item>(items: readonly Item[], count: number): Item[] {
  const step = Math.max(1, items.length / count);
  return items.filter((_, index) => Math.floor(index / step) > Math.floor((index - 1) / step));
}
