/**
 * Steps in which the reference is at fault and Galley answers something better on purpose. Each says what Galley
 * answers, so that the difference is as much a promise as the rest.
 */
import type { Difference } from "./compare.ts";
import type { Answer } from "./scenario.ts";

export interface Deviation {
  readonly reason: string;
  /** `differences`: what the recorded answer has otherwise. */
  readonly holds: (answer: Answer, differences: readonly Difference[]) => boolean;
}

const messageOf = ({ body }: Answer): string => String((body as { error?: { message?: string } }).error?.message);

const sentTo =
  (email: string): Deviation["holds"] =>
  ({ status, body }) =>
    status === 200 && Bun.deepEquals(body, { email, sent: true });

const tellsWhoIsKnown =
  "the reference tells which addresses have a user, and which of them are confirmed; Galley answers alike";

export const deviations: Readonly<Record<string, Readonly<Record<string, Deviation>>>> = {
  "auth-confirmation": {
    "send-confirmed": { reason: tellsWhoIsKnown, holds: sentTo("ADA@example.com") },
  },
  "auth-email-confirm": {
    "send-confirmed": { reason: tellsWhoIsKnown, holds: sentTo("ada@example.com") },
    "send-again": { reason: tellsWhoIsKnown, holds: sentTo("BOB@example.com") },
  },
  "rest-query-strings": {
    "more than a thousand parameters": {
      reason:
        "the reference drops parameters after the thousandth without a word; Galley refuses them and names the limit",
      holds: (answer) => answer.status === 400 && messageOf(answer).includes("1000"),
    },
  },
  "rest-search": {
    "q hushhush": {
      reason: "the reference's _q finds documents by their private attributes; Galley never searches those",
      holds: (answer) => answer.status === 200 && (answer.body as { data: unknown[] }).data.length === 0,
    },
  },
};
