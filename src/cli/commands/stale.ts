/** `galley stale`: which recorded requests would be answered otherwise now, by their cache tags. */
import { ofEveryCaller } from "../../engine/query/named-in-tags.ts";
import { changeLog, isEnabled } from "../../engine/storage/change-log/change-log.ts";
import { isOfEpoch } from "../../engine/storage/change-log/epochs.ts";
import { staleSince } from "../../engine/storage/change-log/stale-tags.ts";
import { MAX_ENTRIES } from "../../engine/storage/change-log/upkeep.ts";
import { readRequests } from "../../server/builds/recorded-requests.ts";
import { isToken, readToken } from "../../server/change-feed/token.ts";
import type { Project } from "../../server/project/project.ts";
import { type Command, type CommandCall, json, UsageError } from "../command.ts";
import { openNamed } from "../open-project.ts";

/** Throws a UsageError for a file that is none. */
export function recordedIn(file: string): ReturnType<typeof readRequests> {
  try {
    return readRequests(file);
  } catch (cause) {
    throw new UsageError(`--requests: ${(cause as Error).message}`, { cause });
  }
}

/** Throws a UsageError for a token that says nothing about this database. */
function findStaleTags({ context: { storage, model } }: Project, token: string): ReadonlySet<string> {
  const log = changeLog(storage);
  const position = log === undefined ? undefined : readToken(log.key, token);
  if (!position || !isEnabled(storage) || !isOfEpoch(storage, position.epoch, position.sequence))
    throw new UsageError("--since: the token is of another database, or of a state that a restored copy does not have");
  // more than are ever left uncompacted
  const bounds = { entries: 2 * MAX_ENTRIES, tags: Number.POSITIVE_INFINITY };
  return new Set(staleSince(storage, position.sequence, ofEveryCaller(model), bounds));
}

async function runStale(call: CommandCall): Promise<number> {
  const [since, file] = [call.text("since"), call.text("requests")];
  if (since === undefined || file === undefined) throw new UsageError("galley stale needs --since and --requests");
  if (!isToken(since)) throw new UsageError("--since is not a valid token");
  const requests = recordedIn(file);
  await using project = await openNamed(call);
  const stale = findStaleTags(project, since);
  // nothing is known of a response without tags
  const changed = requests.filter(({ tags }) => tags === undefined || tags.some((tag) => stale.has(tag)));
  const named = changed.map(({ method, path }) => ({ method, path }));
  const lines = named.map(({ method, path }) => `${method} ${path}`);
  return call.result({ requests: requests.length, stale: named }, lines);
}

export const stale: Command = {
  name: "stale",
  summary: "Name the recorded requests of a build whose responses have changed",
  usage: "[project]",
  options: {
    since: { type: "string", value: "token", summary: "A token of the change feed, from before the build" },
    requests: { type: "string", value: "file", summary: "What galley run --record has written" },
    json,
  },
  run: runStale,
};
