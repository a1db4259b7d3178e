import { type CommandCall, UsageError } from "./command.ts";

/**
 * The token of a running Strapi, from `--token` or the environment, without the line end of a file; undefined if there is none. Throws a
 * UsageError for what no header may have.
 */
export function remoteToken({ text, environment }: Pick<CommandCall, "text" | "environment">): string | undefined {
  const token = (text("token") ?? environment.GALLEY_REMOTE_TOKEN)?.trim();
  if (token && !/^[\x21-\x7e]+$/.test(token))
    throw new UsageError("the token has a space, a line end or a character that no token has: one token is expected");
  return token || undefined;
}

/** As `remoteToken`. Throws a UsageError for a missing token, too. */
export function requireRemoteToken(call: Pick<CommandCall, "text" | "environment">): string {
  const token = remoteToken(call);
  if (!token) throw new UsageError("--token or GALLEY_REMOTE_TOKEN gives a token of the Strapi");
  return token;
}
