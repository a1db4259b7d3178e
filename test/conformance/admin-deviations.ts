/** Deviations of the administration: what Galley does not have is refused in short, and wording is imitated where somebody reads it. */
import type { Deviation } from "./deviations.ts";
import type { Answer } from "./scenario.ts";

const messageOf = ({ body }: Answer): string => String((body as { error?: { message?: string } })?.error?.message);

/** A step of a recording, and those that ask the same again. */
const times = (step: string, ...numbers: readonly number[]): string[] =>
  numbers.map((number) => (number === 1 ? step : `${step} (${number})`));
const forAll = (deviation: Deviation, ...steps: readonly string[]): Record<string, Deviation> =>
  Object.fromEntries(steps.map((step) => [step, deviation]));

const noTransfers: Deviation = {
  reason: "Galley serves no transfers, so that there are no transfer tokens",
  holds: (answer) =>
    messageOf(answer).startsWith("This server takes part in no transfers") ||
    messageOf(answer) === "Transfer token not found" ||
    [[], null].some((data) => Bun.deepEquals(answer.body, { data })),
};
/** In a recording with transfer tokens. */
const countsOtherIds: Deviation = {
  reason: "document ids are numbered in a recording, and those of transfer tokens are not there",
  holds: (_answer, differences) =>
    differences.every(({ expected, got }) => /^<doc:\d+>$/.test(String(expected)) && /^<doc:\d+>$/.test(String(got))),
};
const refusesAnyway: Deviation = {
  reason:
    "there is one administrator, with one role and no password: what is refused, or has no effect, is not checked first",
  holds: ({ status, body }) => status === 400 || status === 404 || Bun.deepEquals(body, { data: [] }),
};
const noRoleEditor: Deviation = {
  reason: "the only role has all permissions, so that no page lists them for a choice",
  holds: ({ status }) => status === 404,
};
const noLayout: Deviation = {
  reason: "Galley's page has no start page whose widgets are laid out",
  holds: ({ status }) => status === 404 || status === 405,
};

const saysWhichPart: Deviation = {
  reason:
    "Strapi's update-schema mostly says \"Invalid input\"; Galley has the rules and messages of the builder's other routes",
  holds: ({ status, body }, differences) =>
    status === 400 &&
    differences.every(({ at }) => at === "body.error") &&
    typeof (body as { error: unknown }).error === "string",
};
const saysWhichValue: Deviation = {
  reason:
    "Strapi's content manager has other words for refused values than its other routes; Galley has one set of words",
  holds: ({ status }, differences) => status === 400 && differences.every(({ at }) => at.startsWith("body.error.")),
};
/** For whatever Strapi refuses in those words. */
export const rewordingOf = (recording: string, recorded: Answer): Deviation | undefined =>
  recording.startsWith("admin-") &&
  recorded.status === 400 &&
  /^(Invalid (input|option: expected|status)|Too (small|big): expected|Must match the custom regex)/.test(
    messageOf(recorded),
  )
    ? saysWhichValue
    : undefined;

/** Only for requests with several mistakes. */
const refusesInOtherOrder: Deviation = {
  reason: "of several reasons to refuse a request, the content manager names the one that it meets first",
  holds: ({ status }, differences) =>
    status === 400 && differences.every(({ at }) => at === "status" || at.startsWith("body.error.")),
};
const takesNoEmptyValue: Deviation = {
  reason: "nobody asks whether an empty uid is free, and no locale is 0 or false: both are refused",
  holds: ({ status }) => status === 400,
};

const attributeSteps = (numbers: readonly number[]): string[] =>
  numbers.flatMap((number) => [`attribute ${number}`, `attribute ${number} of a component`]);
const range = (from: number, to: number): number[] => Array.from({ length: to - from + 1 }, (_, index) => from + index);
const changedAndNew = (what: readonly string[]): string[] =>
  what.flatMap((part) => [`new type: ${part}`, `changed type: ${part}`]);

const CHECK = "POST uid/check-availability";
const PUBLISH = "actions/publish";
const TOKENS = "POST /admin/transfer/tokens";

export const adminDeviations: Readonly<Record<string, Readonly<Record<string, Deviation>>>> = {
  "admin-account-edges": {
    ...forAll(noTransfers, ...times(TOKENS, 1, 2, 3, 4)),
    ...forAll(noLayout, ...times("GET /admin/homepage/layout", 1, 2), "PUT /admin/homepage/layout (3)"),
    ...forAll(refusesAnyway, ...times("POST /admin/roles", 1, 2), "POST /admin/roles/batch-delete"),
    ...forAll(refusesAnyway, "POST /admin/users (2)", "POST /admin/users/batch-delete"),
    ...forAll(noRoleEditor, "GET /admin/permissions?role=x"),
  },
  "admin-account-refusals": {
    ...forAll(noTransfers, ...times(TOKENS, 1, 5, 7, 9, 11, 13, 15, 17)),
    ...forAll(noTransfers, ...times("PUT /admin/transfer/tokens/999", 4, 6)),
    ...forAll(noTransfers, ...times("PUT /admin/transfer/tokens/tt", 1, 5, 7, 9, 11, 13, 15)),
    ...forAll(refusesAnyway, "GET /admin/registration-info"),
  },
  "admin-action-refusals": forAll(
    refusesInOtherOrder,
    "POST collection-types/api::article.article/a1/actions/unpublish",
    ...times(`POST collection-types/api::tag.tag/${PUBLISH}`, 4, 6),
    `POST collection-types/api::tag.tag/t1/${PUBLISH} (4)`,
  ),
  "admin-first-refusal": forAll(
    refusesInOtherOrder,
    ...["an article", "an unknown article"].flatMap((which) =>
      ["*", "xx"].map((code) => `auto-clone ${which} in ${code}`),
    ),
  ),
  "admin-locales-single": forAll(refusesInOtherOrder, `POST single-types/api::plain.plain/${PUBLISH} (2)`),
  "admin-locales-with-drafts": forAll(
    refusesInOtherOrder,
    ...["*", "xx"].map((code) => `POST collection-types/api::paper.paper/auto-clone/{{p}}?locale=${code}`),
  ),
  "admin-manager-edges": forAll(takesNoEmptyValue, `${CHECK} (4)`),
  "admin-refused-drafts": forAll(takesNoEmptyValue, `${CHECK} (3)`),
  "admin-system-keys": forAll(takesNoEmptyValue, "locale 0", "locale false"),
  "admin-uids": forAll(takesNoEmptyValue, `${CHECK} (3)`),
  "admin-me": forAll(
    refusesAnyway,
    ...["POST /admin/roles (2)", "POST /admin/users (2)", "POST /admin/users/batch-delete (2)"],
    ...["POST batch-delete []", "PUT /admin/users/me (7)"],
  ),
  "admin-permissions": forAll(noRoleEditor, "GET /admin/permissions", "GET /admin/permissions of a role"),
  "admin-registration": forAll(
    refusesAnyway,
    ...["register with nothing", "register without a user"],
    ...["registration info with an empty token", "registration info without a token"],
  ),
  "admin-role-refusals": forAll(
    refusesAnyway,
    ...times("POST /admin/roles", 1, 3),
    ...times("POST /admin/roles/batch-delete", 2, 4, 6, 8, 10, 14),
    ...times("POST /admin/users/batch-delete", 1, 3, 5, 7, 9, 11, 13),
    ...times("PUT /admin/roles/1", 3, 5, 7, 9),
    ...times("PUT /admin/roles/999", 3, 5, 7),
  ),
  "admin-settings": {
    ...forAll(noTransfers, ...times(TOKENS, 1, 2, 3, 4, 5, 6), `${TOKENS}/{{trs_t}}/regenerate`),
    ...forAll(noTransfers, "GET /admin/transfer/tokens (2)", "GET /admin/transfer/tokens/{{trs_t}}"),
    ...forAll(noTransfers, ...times("PUT /admin/transfer/tokens/{{trs_t}}", 1, 2, 3)),
    ...forAll(noTransfers, "DELETE /admin/transfer/tokens/{{trs_t}}"),
    ...forAll(refusesAnyway, "POST /admin/roles/batch-delete (2)"),
    ...forAll(
      countsOtherIds,
      ...["GET /admin/roles/1", "GET /admin/users", "GET /admin/users/1", "GET /admin/users/me"],
      ...["GET /users-permissions/advanced (2)", ...times("GET /users-permissions/roles", 1, 2)],
      ...["GET /users-permissions/roles/1", "POST /content-manager/collection-types/api::article.article"],
    ),
  },
  "admin-sessions": {
    sessions: {
      reason: "an admin token is no session of the page, so that none is listed",
      holds: ({ status, body }) => status === 200 && Bun.deepEquals(body, { data: [] }),
    },
  },
  "admin-tokens": forAll(
    noTransfers,
    ...times(TOKENS, 1, 2),
    ...["PUT /admin/transfer/tokens/9999", ...times("PUT /admin/transfer/tokens/{{f}}", 1, 2)],
  ),
  "admin-update-schema": Object.fromEntries(
    [
      ...changedAndNew(["kind null", "no drafts", "empty name", "name a number", "singular empty", "no attributes"]),
      ...changedAndNew(["singular in capitals", "singular reserved", "plural reserved", "plural is singular"]),
      ...changedAndNew(["empty uid", "table name", "options a list", "description a number"]),
      ...["no kind", "config a text", "plugin empty"].map((part) => `new type: ${part}`),
      ...["empty name", "category empty", "category odd", "no category", "icon odd"].map(
        (part) => `new component: ${part}`,
      ),
      ...attributeSteps([0, 1, 3, 4, ...range(6, 9), ...range(13, 25), 27, ...range(29, 35), 37, 38]),
      ...["attribute 28 of a component", "attribute 36 of a component"],
      ...["id", "status", "1x", "x-y", "", "createdAt"].map((name) => `attribute named ${name}`),
      ...["attribute twice", "attribute changed in a new type", "wrong attribute of a type without its kind"],
    ].map((step) => [step, saysWhichPart]),
  ),
};
