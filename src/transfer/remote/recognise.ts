/** Distinguishes API tokens from transfer tokens, by trying the REST API. */
import { ProjectError } from "../../lib/errors.ts";
import type { RemoteAddress } from "./address.ts";

const TIMEOUT_MS = 20_000;
/** Number of lists to try: some may have no route, or be public. */
const MAX_LISTS = 5;

async function fetchStatus(url: string, token: string): Promise<number> {
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}` },
    redirect: "manual",
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  await response.body?.cancel();
  return response.status;
}

/**
 * Whether REST lists accept a token. Transfer tokens and invalid ones get 401, even from public lists. `paths`: paths of lists.
 * Rejects with a ProjectError if the server cannot be reached.
 */
export async function isApiToken({ root }: RemoteAddress, paths: readonly string[], token: string): Promise<boolean> {
  let isAccepted = false;
  try {
    for (const path of paths.slice(0, MAX_LISTS)) {
      const status = await fetchStatus(`${root}${path}?pagination[pageSize]=1`, token);
      if (status === 401) return false;
      if (status === 200 || status === 403) isAccepted = true;
    }
  } catch {
    throw new ProjectError(root, undefined, "cannot be reached");
  }
  return isAccepted;
}
