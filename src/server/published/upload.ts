/**
 * Uploads a file to a store in one request, so that readers see either the old object or the new one. Of error responses, bytes
 * and time are bounded, and only status and error code are shown.
 */
import type { Environment } from "../../engine/config/env.ts";
import { ProjectError } from "../../lib/errors.ts";
import { SIGNATURE_S, type StoreObject, storeClient } from "./location.ts";
import { describeError, describeFailure, startDeadline, type TimeLimits } from "./requests.ts";

const LIMITS: TimeLimits = { stallMs: 60_000, totalMs: 3_600_000 };
/** Pauses before each retry, when a store has failed or is busy. */
const RETRIES_MS = [300, 1_000, 3_000];
/** Bytes that stores accept in one request; larger files are sent as multipart uploads. */
const MAX_PUT = 5_368_709_120;
const CHUNK = 262_144;
const TYPE = "application/gzip";

/** A failure after which the request is sent again. */
class TransientError extends Error {}

/** The bytes of a file; `sent` is called whenever the connection takes a chunk. */
function streamBytes(file: Bun.BunFile, sent: () => void): ReadableStream<Uint8Array> {
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
  const deadline = startDeadline(limits, "took nothing");
  let response: Response | undefined;
  try {
    response = await fetch(url, {
      method: "PUT",
      headers: { "content-length": String(file.size), "content-type": TYPE },
      body: streamBytes(file, () => deadline.restartStall()),
      // a presigned URL is valid for one host only
      redirect: "manual",
      signal: deadline.signal,
    });
    if (response.ok) return;
    const failure = await describeFailure(response);
    if (response.status >= 500 || response.status === 429) throw new TransientError(failure);
    const isElsewhere = response.status >= 300 && response.status < 400;
    throw new Error(isElsewhere ? `${failure}: the bucket has another endpoint or region` : failure);
  } catch (error) {
    if (deadline.signal.aborted) throw deadline.signal.reason;
    throw response ? error : new TransientError((error as Error).message);
  } finally {
    deadline.end();
    if (response?.body && !response.bodyUsed) await response.body.cancel().catch(() => undefined);
  }
}

/** Resolves with the number of bytes. Rejects with a ProjectError that names the object, which is unchanged then. */
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
          await put(client.presign(object.key, { method: "PUT", expiresIn: SIGNATURE_S }), file, limits);
          break;
        } catch (error) {
          if (!(error instanceof TransientError) || pause === undefined) throw error;
          await Bun.sleep(pause);
        }
      }
    return file.size;
  } catch (error) {
    const reason = `cannot be written: ${describeError(error as Error)}`;
    throw new ProjectError(`s3://${object.bucket}/${object.key}`, undefined, reason);
  }
}
