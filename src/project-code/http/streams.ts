/** Streams that code sends as bodies. The runtime prints their errors with source code, so that none reach it. */
import { once } from "node:events";
import { Readable } from "node:stream";
import type { Context } from "./context.ts";
import { statusTexts } from "./statuses.ts";

export type OnError = (error: unknown) => void;

export const isNodeStream = (body: unknown): body is Readable =>
  body instanceof Readable || (typeof body === "object" && body !== null && "pipe" in body && "on" in body);

/** It is closed without an error when the client goes away. `ended`: when nothing more is sent. An error ends the connection. */
export function nodeStream(body: Readable, ended: () => void, onError: OnError): ReadableStream<Uint8Array> {
  return new ReadableStream({
    start(controller) {
      let isOpen = true;
      const close = (finish: () => void): void => {
        if (!isOpen) return;
        isOpen = false;
        finish();
        ended();
      };
      const fail = (error: Error): void =>
        close(() => {
          onError(error);
          controller.error();
        });
      body.on("data", (chunk: string | Uint8Array) => {
        if (!isOpen) return;
        controller.enqueue(typeof chunk === "string" ? Buffer.from(chunk) : chunk);
        if ((controller.desiredSize ?? 0) <= 0) body.pause();
      });
      body.on("end", () => close(() => controller.close()));
      body.on("error", fail);
      // the client went away, or code has destroyed it before its end
      body.on("close", () => close(() => controller.error()));
    },
    pull: () => void body.resume(),
    cancel() {
      ended();
      body.destroy();
    },
  });
}

/** The stream, whose errors go to `onError` and end the connection. Throws if something else reads it. */
export function webStream(body: ReadableStream, onError: OnError): ReadableStream {
  const reader = body.getReader();
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (done) controller.close();
        else controller.enqueue(value);
      } catch (error) {
        onError(error);
        controller.error();
      }
    },
    cancel: () => reader.cancel(),
  });
}

/**
 * Waits until a file that is sent is open. If it cannot be opened, the response is that of Koa. Undefined if there is nothing to
 * wait for.
 */
export function opened({ response }: Context, onError: OnError): Promise<void> | undefined {
  if (response.unchangedText !== undefined) return undefined;
  const { body } = response;
  if (!(body instanceof Readable) || (body as { readonly pending?: boolean }).pending !== true) return undefined;
  return once(body, "ready").then(
    () => undefined,
    (error: { readonly code?: unknown }) => {
      const isMissing = error.code === "ENOENT";
      if (!isMissing) onError(error);
      response.remove("content-length");
      response.type = "text";
      response.status = isMissing ? 404 : 500;
      response.body = statusTexts[response.status];
    },
  );
}
