/** Distinguishes API tokens from transfer tokens: each kind is accepted by one interface only. */
import { ProjectError } from "../../errors.ts";
import type { RemoteAddress } from "./address.ts";

const TIMEOUT_MS = 20_000;

/**
 * Whether a content-type's list accepts a token. Transfer tokens and invalid ones get 401 there, even if the list is public.
 * `path`: of the list, below the root. Throws a ProjectError for a server that cannot be reached.
 */
export async function isApiToken({ root }: RemoteAddress, path: string, token: string): Promise<boolean> {
  try {
    const response = await fetch(`${root}${path}?pagination[pageSize]=1`, {
      headers: { authorization: `Bearer ${token}` },
      redirect: "manual",
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    await response.body?.cancel();
    return response.status === 200 || response.status === 403;
  } catch {
    throw new ProjectError(root, undefined, "cannot be reached");
  }
}
