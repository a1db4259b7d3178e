/**
 * Steps in which Strapi is at fault and Galley answers something better on purpose, or in which an imitation is not worth its cost. Each
 * says what Galley answers, so that the difference is as much a promise as the rest.
 */
import { adminDeviations } from "./admin-deviations.ts";
import { compareExactly, type Difference } from "./compare.ts";
import type { Answer, Json } from "./scenario.ts";

export interface Deviation {
  readonly reason: string;
  /** `differences`: what the recorded answer has otherwise. */
  readonly holds: (answer: Answer, differences: readonly Difference[], recorded: Answer) => boolean;
}

const messageOf = ({ body }: Answer): string => String((body as { error?: { message?: string } }).error?.message);

const sentTo =
  (email: string): Deviation["holds"] =>
  ({ status, body }) =>
    status === 200 && Bun.deepEquals(body, { email, sent: true });

const tellsWhoIsKnown =
  "Strapi tells which addresses have a user, and which of them are confirmed; Galley answers alike";

const keepsPublished: Deviation = {
  reason: "Strapi loses links of several types to a published version when that is published again; Galley keeps them",
  holds: (answer, differences) =>
    answer.status === 200 &&
    differences.length === 1 &&
    differences[0]!.at === "body.data[0].items.length" &&
    differences[0]!.got === Number(differences[0]!.expected) + 1,
};

/** The recorded code shows the message of an error that the JavaScript engine throws. */
const saysOfEngine = (pattern: RegExp): Deviation => ({
  reason: "errors of JavaScript have the engine's own words, and own code is not rewritten to change them",
  holds: ({ body }, differences) =>
    differences.length === 1 &&
    differences[0]!.at === "body.message" &&
    pattern.test((body as { message: string }).message),
});

/** With the tools in the order of their names: clients find them by these. */
function byName(answer: Answer): Answer {
  const body = answer.body as unknown as { readonly result: { readonly tools: readonly { readonly name: string }[] } };
  const tools = body.result.tools.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  return { ...answer, body: { ...body, result: { ...body.result, tools } } as unknown as Json };
}

export const deviations: Readonly<Record<string, Readonly<Record<string, Deviation>>>> = {
  ...adminDeviations,
  "auth-confirmation": {
    "send-confirmed": { reason: tellsWhoIsKnown, holds: sentTo("ADA@example.com") },
  },
  "auth-email-confirm": {
    "send-confirmed": { reason: tellsWhoIsKnown, holds: sentTo("ada@example.com") },
    "send-again": { reason: tellsWhoIsKnown, holds: sentTo("BOB@example.com") },
  },
  "docs-morph-drafts": Object.fromEntries(
    ["look-30-box", "look-31-box-draft", "look-34-box", "look-35-box-draft", "look-38-box", "look-54-box"].map(
      (step) => [step, keepsPublished],
    ),
  ),
  "mcp-auth": {
    "the tools": {
      reason: "Strapi reads plugins and APIs at once and lists first whose types are there first: late with extensions",
      holds: (answer, differences, recorded) =>
        differences.length > 0 && compareExactly(byName(recorded), byName(answer)).length === 0,
    },
  },
  "own-code-builder": {
    "b('tag').select('name').where({ id: 1 }).then((x) => x)": saysOfEngine(/\.then is not a function\./),
  },
  "own-code-db-hooks": Object.fromEntries(
    ["knex update", "knex increment", "knex insert a link"].map((step) => [
      step,
      saysOfEngine(/^null is not an object \(evaluating '.*\.(rank|id)'\)$/),
    ]),
  ),
  "own-code-db-writes": {
    "relations by name clone(1, { data: { name: 'copy' } })": saysOfEngine(/\.clone is not a function\./),
  },
  "own-code-store": Object.fromEntries(
    ["strapi.store.get()", "strapi.store.set()"].map((step) => [
      step,
      saysOfEngine(/^Cannot destructure property 'key' from null or undefined value$/),
    ]),
  ),
  "rest-query-strings": {
    "more than a thousand parameters": {
      reason: "Strapi drops parameters after the thousandth without a word; Galley refuses them and names the limit",
      holds: (answer) => answer.status === 400 && messageOf(answer).includes("1000"),
    },
  },
  "rest-search": {
    "q hushhush": {
      reason: "Strapi's _q finds documents by their private attributes; Galley never searches those",
      holds: (answer) => answer.status === 200 && (answer.body as { data: unknown[] }).data.length === 0,
    },
  },
};
