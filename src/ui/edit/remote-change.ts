/** Changes by other users to an open document. */
import { DeletedDocument, type DocumentRequests, NewerVersion } from "./document-requests.ts";

/** Set only while the form has unsaved changes; without any, the newer version is loaded. `at`: when it was saved, if that is known. */
export type RemoteChange = { readonly kind: "saved"; readonly at: string | undefined } | { readonly kind: "deleted" };

/** The change that made a write fail; undefined if it failed for another reason. */
export function findRemoteChange(error: unknown): RemoteChange | undefined {
  if (error instanceof NewerVersion) return { kind: "saved", at: error.at };
  return error instanceof DeletedDocument ? { kind: "deleted" } : undefined;
}

/** Throws a NewerVersion after a change that kept `updatedAt`, by which the server compares versions. */
export async function refuseUntimed(remote: RemoteChange | undefined, requests: DocumentRequests): Promise<void> {
  if (remote?.kind !== "saved" || remote.at !== undefined) return;
  const { version } = await requests.read();
  if (version) throw new NewerVersion(version, undefined);
}
