/** Distinguishes API tokens from transfer tokens: each kind is accepted by one interface only. */
import { ProjectError } from "../../errors.ts";
import type { RemoteAddress } from "./address.ts";

const TIMEOUT_MS = 20_000;
/** A list may have no route, or be open to everybody. */
const MAX_LISTS = 5;

async function statusOf(url: string, token: string): Promise<number> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status;
}

/**
 * Whether the lists of content-types accept a token. Transfer tokens and invalid ones get 401 there, even from public lists.
 * `paths`: of lists, below the root. Throws a ProjectError for a server that cannot be reached.
 */
export async function isApiToken({ root }: RemoteAddress, paths: readonly string[], token: string): Promise<boolean> {
  let isAccepted = false;
  try {
    for (const path of paths.slice(0, MAX_LISTS)) {
      const status = await statusOf(`${root}${path}?pagination[pageSize]=1`, token);
      if (status === 401) return false;
      if (status === 200 || status === 403) isAccepted = true;
    }
  } catch {
    throw new ProjectError(root, undefined, "cannot be reached");
  }
  return isAccepted;
}
