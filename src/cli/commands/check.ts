/** `galley check`: what breaks for clients of a commit, an archive or a running Strapi if this project takes its place. */
import { resolve } from "node:path";
import type { Model } from "../../engine/schema/model.ts";
import { printable } from "../../lib/printable.ts";
import { createApp } from "../../server/app.ts";
import type { RecordedRequest } from "../../server/builds/recorded-requests.ts";
import { attributeAt, isBreak } from "../../server/contract/answer-breaks.ts";
import {
  type Answer,
  type AnswerDifference,
  compareAnswers,
  describeDifference,
  SameDocuments,
} from "../../server/contract/compare-answers.ts";
import { createPeer, PeerError, readAnswer } from "../../server/contract/peer.ts";
import { isQuery, isReadPath } from "../../server/contract/safe-requests.ts";
import { breakingChanges } from "../../server/contract/schema-changes.ts";
import type { Project } from "../../server/project/project.ts";
import { createModel } from "../../server/project/project-source.ts";
import type { ArchiveSource } from "../../transfer/archive/entries.ts";
import type { ArchiveSchema } from "../../transfer/archive/shapes.ts";
import { namedArchive } from "../archive-source.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { withFilesOf } from "../git-content.ts";
import { startCopy } from "../open-copy.ts";
import { readForCommand } from "../open-project.ts";
import { projectFolder } from "../project-folder.ts";
import { remoteToken } from "../remote-token.ts";
import { recordedIn } from "./stale.ts";

/** What clients read now. */
type Against =
  | { readonly kind: "server"; readonly url: string; readonly token: string | undefined }
  | { readonly kind: "archive"; readonly source: ArchiveSource }
  | { readonly kind: "commit"; readonly ref: string };

function readAgainst(call: CommandCall): Against {
  const name = call.text("against");
  if (name === undefined) throw new UsageError("galley check needs --against <url | archive | ref>");
  if (call.flag("public") && call.text("requests") === undefined) throw new UsageError("--public needs --requests");
  const [token, key] = [call.text("token"), call.text("key")];
  const isServer = /^https?:\/\//.test(name);
  const source = isServer ? undefined : namedArchive(name, key);
  if (token !== undefined && !isServer) throw new UsageError("--token is for the URL of a Strapi");
  if (key !== undefined && !source) throw new UsageError("--key is for archives");
  if (isServer) return { kind: "server", url: name, token: remoteToken(call) };
  return source ? { kind: "archive", source } : { kind: "commit", ref: name };
}

async function readOtherModel(call: CommandCall, root: string, against: Against): Promise<Model> {
  const { environment } = call;
  if (against.kind === "commit")
    return withFilesOf(
      { root, ref: against.ref, needed: /^(?:src|config)\// },
      async (folder) => (await readForCommand(folder, environment)).model,
    );
  const { settings } = await readForCommand(root, environment);
  const { rawSchema } = await import("../../transfer/import/raw-schema.ts");
  let schemas: ReadonlyMap<string, ArchiveSchema>;
  if (against.kind === "archive") {
    const { surveyArchive } = await import("../../transfer/archive/survey.ts");
    ({ schemas } = await surveyArchive(against.source));
  } else {
    const { url, token } = against;
    if (!token)
      throw new UsageError("--token or GALLEY_REMOTE_TOKEN gives a token of the Strapi, which shows it its schemas");
    const { remoteAddress } = await import("../../transfer/remote/address.ts");
    const { RestClient } = await import("../../transfer/remote/rest/client.ts");
    const { readSchemas } = await import("../../transfer/remote/rest/read-schemas.ts");
    schemas = await readSchemas(new RestClient(remoteAddress(url).root, { prefix: settings.rest.prefix, token }));
  }
  return createModel({ settings, schema: rawSchema(schemas) });
}

async function checkSchemas(call: CommandCall, root: string, against: Against): Promise<number> {
  const before = await readOtherModel(call, root, against);
  const changes = breakingChanges(before, (await readForCommand(root, call.environment)).model);
  const lines = changes.map(({ uid, attribute, change }) =>
    printable(`${uid}${attribute === undefined ? "" : `.${attribute}`} ${change}`),
  );
  call.result({ changes }, lines);
  return changes.length === 0 ? 0 : 1;
}

type Ask = (request: RecordedRequest) => Promise<Answer>;

/** Asks a project in this process, which is closed then. */
async function askProject(project: Project, isPublic: boolean, use: (ask: Ask) => Promise<void>): Promise<void> {
  try {
    await project.idle();
    const key = crypto.getRandomValues(new Uint8Array(32)).toHex();
    project.access.tokens.addTransient(key);
    const { handle } = createApp(project);
    await use(async (request) => {
      const { path, body } = request;
      const sent = new Request(`http://localhost${path}`, body === undefined ? {} : { method: "POST", body });
      if (body !== undefined) sent.headers.set("content-type", "application/json");
      if (!request.public && !isPublic) sent.headers.set("authorization", `Bearer ${key}`);
      return readAnswer(await handle(sent));
    });
  } finally {
    await project.close();
  }
}

async function askOther(call: CommandCall, root: string, against: Against, use: (ask: Ask) => Promise<void>) {
  const { environment } = call;
  const publicRead = call.flag("public");
  if (against.kind === "server") {
    const peer = createPeer(against.url, against.token);
    return use(({ path, body, public: isPublic }) => peer.ask({ path, body, hasToken: publicRead || !isPublic }));
  }
  if (against.kind === "archive") {
    const { openArchive } = await import("../../server/archive.ts");
    const options = { memory: true, publicRead, environment, announce: console.error };
    return askProject(await openArchive(against.source, options), publicRead, use);
  }
  return withFilesOf({ root, ref: against.ref, needed: /^(?!node_modules\/|public\/uploads\/)/ }, async (folder) => {
    process.chdir(folder);
    try {
      await askProject(await startCopy(folder, environment, { publicRead, database: root }), publicRead, use);
    } finally {
      process.chdir(root);
    }
  });
}

interface CheckedRequest {
  readonly path: string;
  /** Of a query for GraphQL. */
  readonly body?: string;
  readonly differences: readonly (AnswerDifference & { readonly isBreak: boolean; readonly attribute?: string })[];
}

interface Checked {
  readonly compared: number;
  /** Recorded requests that are not repeated: what they send is not recorded, or they may write. */
  readonly notCompared: number;
  /** Why the other answers are not known, with the number of requests. */
  readonly failures: Readonly<Record<string, number>>;
  readonly requests: readonly CheckedRequest[];
}

async function checkRequests(call: CommandCall, root: string, against: Against, file: string): Promise<Checked> {
  const recorded = recordedIn(file);
  // the project's own code may use relative paths
  process.chdir(root);
  const { model, settings } = await readForCommand(root, call.environment);
  const { prefix } = settings.rest;
  const isRepeated = ({ method, path, body }: RecordedRequest): boolean => {
    if (body !== undefined) return method === "POST" && path === settings.graphql.endpoint && isQuery(body);
    const pathname = path.startsWith("/") ? URL.parse(`http://localhost${path}`)?.pathname : undefined;
    return method === "GET" && isReadPath(pathname ?? "", prefix);
  };
  const byText = new Map(recorded.filter(isRepeated).map((request) => [`${request.path} ${request.body}`, request]));
  const repeated = [...byText.values()];
  const publicRead = call.flag("public");
  const failures: Record<string, number> = {};
  /** Counts requests whose answer is not known. */
  const attempt = async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      failures[error.message] = (failures[error.message] ?? 0) + 1;
    }
  };
  /** Compressed, since there may be as many as a site has pages. */
  const answers = new Map<RecordedRequest, Uint8Array>();
  // one after the other: own code of both would share the global strapi
  await askProject(await startCopy(root, call.environment, { publicRead }), publicRead, async (ask) => {
    for (const request of repeated)
      await attempt(async () => {
        answers.set(request, Bun.zstdCompressSync(JSON.stringify(await ask(request))));
      });
  });
  const documents = new SameDocuments();
  const origins = ["http://localhost", ...(against.kind === "server" ? [against.url.replace(/\/$/, "")] : [])];
  const requests: CheckedRequest[] = [];
  let compared = 0;
  await askOther(call, root, against, async (ask) => {
    for (const [request, kept] of answers)
      await attempt(async () => {
        const { path, body } = request;
        const here = JSON.parse(Bun.zstdDecompressSync(kept).toString()) as Answer;
        const sent = body === undefined ? {} : { body };
        const translated = body === undefined ? {} : { body: documents.translate(body) };
        const there = await ask({ ...request, path: documents.translate(path), ...translated });
        const differences = compareAnswers(here, there, documents, origins).map((difference) => {
          const attribute = attributeAt(model, prefix, path, difference.path);
          return { ...difference, isBreak: isBreak(difference), ...(attribute === undefined ? {} : { attribute }) };
        });
        compared++;
        if (differences.length > 0) requests.push({ path, ...sent, differences });
      });
  });
  return { compared, notCompared: recorded.filter((one) => !isRepeated(one)).length, failures, requests };
}

/** Characters of a query. */
const MAX_SHOWN = 200;

function* checkedLines({ compared, notCompared, failures, requests }: Checked): Generator<string> {
  const attributes = new Set<string>();
  for (const { path, body, differences } of requests) {
    yield body === undefined ? `GET ${path}` : `POST ${path} ${body.slice(0, MAX_SHOWN)}`;
    for (const difference of differences) {
      yield `  ${difference.isBreak ? "breaks " : "differs"}  ${describeDifference(difference)}`;
      if (difference.isBreak && difference.attribute !== undefined) attributes.add(difference.attribute);
    }
  }
  for (const attribute of attributes) yield `breaks: ${attribute}`;
  const broken = requests.filter(({ differences }) => differences.some((difference) => difference.isBreak)).length;
  yield `${compared} request${compared === 1 ? "" : "s"}: ${requests.length} are answered differently, ${broken} of these break`;
  if (notCompared > 0) yield `not compared: ${notCompared} recorded requests of other kinds`;
  for (const [reason, count] of Object.entries(failures)) yield `not compared: ${count}, since ${reason}`;
}

async function runCheck(call: CommandCall): Promise<number> {
  const root = projectFolder(call.arguments[0]);
  const against = readAgainst(call);
  const file = call.text("requests");
  if (file === undefined) return checkSchemas(call, root, against);
  const checked = await checkRequests(call, root, against, resolve(file));
  call.result(checked, [...checkedLines(checked).map(printable)]);
  const isBroken = checked.requests.some(({ differences }) => differences.some((difference) => difference.isBreak));
  return isBroken || Object.keys(checked.failures).length > 0 ? 1 : 0;
}

export const check: Command = {
  name: "check",
  summary: "Tell what breaks for clients of a commit, an archive or a running Strapi with this project instead",
  usage: "[project]",
  options: {
    against: { type: "string", value: "url | archive | ref", summary: "What clients read now" },
    requests: { type: "string", value: "file", summary: "Compare the answers to what galley run --record has written" },
    token: { type: "string", value: "token", summary: "API token of the Strapi (GALLEY_REMOTE_TOKEN)" },
    key: { type: "string", value: "password", summary: "Password of an encrypted archive" },
    public: { type: "boolean", summary: "Let everybody read every content-type" },
    json,
  },
  run: runCheck,
};
