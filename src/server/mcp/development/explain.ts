/** Tools that explain requests: each check, what a caller gets, and which of a build's requests read a document. */
import { z } from "zod";
import type { ContentType } from "../../../engine/schema/model.ts";
import { documentPart, LIST, tagName } from "../../../engine/storage/cache-tags.ts";
import { applicationError, notFound } from "../../../lib/errors.ts";
import { Builds } from "../../builds/builds.ts";
import { type RecordedRequest, readRequests } from "../../builds/recorded-requests.ts";
import { dataFolder } from "../../project/project-source.ts";
import { CONTENT_NOTICE, shortened } from "./answers.ts";
import { type DevelopmentTool, tool } from "./tool.ts";
import { findType } from "./workspace.ts";

const MAX_REQUESTS = 25;

function listed(requests: readonly RecordedRequest[]) {
  const shown = requests.slice(0, MAX_REQUESTS).map(({ method, path }) => `${method} ${path}`);
  return { total: requests.length, requests: shown };
}

/** Whether a tag is this one, or it with a locale or a status. */
const isOf = (tag: string, start: string): boolean => tag === start || tag.startsWith(`${start}:`);

/** `shows`: with the document; `dependsOnType`: which others of the type may change, too; `unknown`: without tags. */
function readersOf(requests: readonly RecordedRequest[], { uid }: ContentType, documentId: string) {
  const name = tagName(uid);
  const document = name + documentPart(documentId);
  const kindOf = ({ tags }: RecordedRequest): "shows" | "dependsOnType" | "unknown" | "none" => {
    if (!tags) return "unknown";
    if (tags.some((tag) => isOf(tag, document))) return "shows";
    const isOfType = (tag: string): boolean =>
      tag === name || tag === `${name}:draft` || isOf(tag, name + LIST) || tag.startsWith(`${name}.`);
    return tags.some(isOfType) ? "dependsOnType" : "none";
  };
  const { shows = [], dependsOnType = [], unknown = [] } = Object.groupBy(requests, kindOf);
  return { shows: listed(shows), dependsOnType: listed(dependsOnType), unknown: listed(unknown) };
}

export const caller = z
  .union([z.literal("public"), z.strictObject({ kind: z.enum(["role", "token"]), name: z.string().max(100) })])
  .optional()
  .describe('public by default, or { "kind": "role", "name": "authenticated" }, or a token');

/** The requests of a build; rejects with an ApplicationError if there are none to read. */
function recordedRequests(file: string): readonly RecordedRequest[] {
  try {
    return readRequests(file);
  } catch (error) {
    throw applicationError((error as Error).message);
  }
}

export const explainTools: readonly DevelopmentTool[] = [
  tool({
    name: "query_as",
    title: "Ask as a role",
    description:
      "Explains a REST request or a GraphQL operation of a caller: each check with its outcome, why it is refused or what is left out, and the answer of a read with the SQL that it runs. Writes are not made.",
    input: z.strictObject({
      as: caller,
      method: z.enum(["GET", "POST", "PUT", "DELETE"]).optional(),
      url: z.string().max(16_000).optional().describe("/api/articles?populate=author"),
      graphql: z.string().max(100_000).optional(),
      variables: z.record(z.string(), z.unknown()).optional(),
    }),
    run: async ({ explain }, { as, method, url, graphql, variables }) => {
      const { steps, answer } = await explain({ caller: as, method, url, query: graphql, variables });
      return {
        steps: shortened(steps, "a narrower request"),
        ...(answer === undefined ? {} : { notice: CONTENT_NOTICE, answer: shortened(answer) }),
      };
    },
  }),
  tool({
    name: "build_readers",
    title: "Requests of the last build",
    description:
      "Which requests of the last recorded build (galley run --record) read a document: those that show it, those that its type may change, and those of which nothing is known.",
    input: z.strictObject({ uid: z.string().max(200), documentId: z.string().max(255) }),
    run: ({ project }, { uid, documentId }) => {
      const type = findType(project, uid);
      const build = new Builds(dataFolder(project.root)).lastRecorded();
      if (!build) throw notFound("No build is recorded: galley run --record requests.json -- <command> records one");
      const { command, finishedAt, record } = build;
      const readers = readersOf(recordedRequests(record), type, documentId);
      return { build: command, finishedAt, ...(shortened(readers, "the recorded file") as typeof readers) };
    },
  }),
];
