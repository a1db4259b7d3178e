/**
 * Puts a file into a store in one request, so that readers see the old object or the new one. What the other side answers is
 * bounded in bytes and time, and none of its words are shown but codes.
 */
import type { Environment } from "../../config/env.ts";
import { ProjectError } from "../../errors.ts";
import { type StoreObject, storeClient } from "./location.ts";
import { Patience, type TimeLimits } from "./patience.ts";
import { refusalOf } from "./refusal.ts";

const LIMITS: TimeLimits = { stallMs: 60_000, totalMs: 3_600_000 };
/** Milliseconds before each further attempt, where a store has failed or is busy. */
const RETRIES_MS = [300, 1_000, 3_000];
/** What stores take in one request; larger files are sent in parts. */
const MAX_PUT = 5_368_709_120;
const CHUNK = 262_144;
const TYPE = "application/gzip";

/** A failure that may pass. */
class Busy extends Error {}

/** The bytes of a file; `sent` is called with each chunk that the connection takes. */
function bytesOf(file: Bun.BunFile, sent: () => void): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    async pull(controller) {
      const chunk = new Uint8Array(await file.slice(at, at + CHUNK).arrayBuffer());
      at += chunk.length;
      sent();
      if (chunk.length > 0) controller.enqueue(chunk);
      else controller.close();
    },
  });
}

async function put(url: string, file: Bun.BunFile, limits: TimeLimits): Promise<void> {
  const patience = new Patience(limits, "took nothing");
  let response: Response | undefined;
  try {
    response = await fetch(url, {
      method: "PUT",
      headers: { "content-length": String(file.size), "content-type": TYPE },
      body: bytesOf(file, () => patience.renew()),
      // a signature holds for one address
      redirect: "manual",
      signal: patience.signal,
    });
    if (response.ok) return;
    const refusal = await refusalOf(response);
    if (response.status >= 500 || response.status === 429) throw new Busy(refusal);
    const isElsewhere = response.status >= 300 && response.status < 400;
    throw new Error(isElsewhere ? `${refusal}: the bucket has another endpoint or region` : refusal);
  } catch (error) {
    if (patience.signal.aborted) throw patience.signal.reason;
    throw response ? error : new Busy((error as Error).message);
  } finally {
    patience.end();
    if (response?.body && !response.bodyUsed) await response.body.cancel().catch(() => undefined);
  }
}

/** Returns the number of bytes. Rejects with a ProjectError that names the object, which is as it was then. */
export async function upload(
  path: string,
  { object, environment }: { readonly object: StoreObject; readonly environment: Environment },
  limits: TimeLimits = LIMITS,
  retriesMs: readonly number[] = RETRIES_MS,
): Promise<number> {
  const client = storeClient(object, environment);
  const file = Bun.file(path);
  try {
    if (file.size > MAX_PUT) await client.write(object.key, file, { type: TYPE });
    else
      for (const pause of [...retriesMs, undefined]) {
        try {
          await put(client.presign(object.key, { method: "PUT" }), file, limits);
          break;
        } catch (error) {
          if (!(error instanceof Busy) || pause === undefined) throw error;
          await Bun.sleep(pause);
        }
      }
    return file.size;
  } catch (error) {
    const reason = `cannot be written: ${(error as Error).message}`;
    throw new ProjectError(`s3://${object.bucket}/${object.key}`, undefined, reason);
  }
}
