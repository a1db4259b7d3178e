/** What a store may answer to an archive that is put into it. */
import { afterAll, afterEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { download } from "../../../src/server/published/download.ts";
import { publishedLocation } from "../../../src/server/published/location.ts";
import { upload } from "../../../src/server/published/upload.ts";

const folder = mkdtempSync(join(tmpdir(), "galley-upload-test-"));
const file = join(folder, "content.tar.gz");
writeFileSync(file, new Uint8Array(3_000_000).fill(7));
const LIMITS = { stallMs: 500, totalMs: 20_000 };

let answer: (request: Request, attempt: number) => Response | Promise<Response>;
let attempts = 0;
const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: (request) => answer(request, ++attempts) });
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});
afterEach(() => {
  attempts = 0;
});

const environment = {
  S3_ACCESS_KEY_ID: "id",
  S3_SECRET_ACCESS_KEY: "a secret",
  S3_SESSION_TOKEN: "a session",
  S3_ENDPOINT: `http://127.0.0.1:${server.port}`,
};
const send = () => upload(file, { object: { bucket: "b", key: "c.tar.gz" }, environment }, LIMITS, [1, 1]);
async function refused(reason: string): Promise<void> {
  await expect(send()).rejects.toThrow(`s3://b/c.tar.gz: cannot be written: ${reason}`);
}

test("puts it in one signed request, with its length", async () => {
  let received: unknown;
  answer = async (request) => {
    const { searchParams, pathname } = new URL(request.url);
    received = [request.method, pathname, request.headers.get("content-length"), (await request.bytes()).length];
    return new Response(null, { status: searchParams.has("X-Amz-Signature") ? 200 : 403 });
  };
  expect(await send()).toBe(3_000_000);
  expect(received).toEqual(["PUT", "/b/c.tar.gz", "3000000", 3_000_000]);
});

test("a store that is busy is asked again, and not for ever", async () => {
  answer = (_, attempt) => new Response(null, { status: attempt < 3 ? 503 : 200 });
  expect(await send()).toBe(3_000_000);
  attempts = 0;
  answer = () => new Response(null, { status: 500 });
  await refused("answers 500");
  expect(attempts).toBe(3);
});

test("a refusal is shown by its code alone, at once", async () => {
  const words = `<Error><Code>AccessDenied</Code><Message>a session \u001b[2J</Message></Error>`;
  answer = () => new Response(words, { status: 403 });
  const error = await send().catch((reason: Error) => reason.message);
  expect(error).toBe("s3://b/c.tar.gz: cannot be written: answers 403 (AccessDenied)");
  expect(attempts).toBe(1);
});

test("redirects are not followed", async () => {
  answer = ({ url }) => Response.redirect(url, 307);
  await refused("answers 307: the bucket has another endpoint or region");
  expect(attempts).toBe(1);
});

test("a body without end is not read", async () => {
  const endless = (): ReadableStream =>
    new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) });
  answer = () => new Response(endless());
  expect(await send()).toBe(3_000_000);
  answer = () => new Response(endless(), { status: 403 });
  await refused("answers 403");
});

test("a store that takes nothing more is given up", async () => {
  answer = () => new Promise<Response>(() => {});
  await refused("took nothing for 0.5 seconds");
  expect(attempts).toBe(1);
});

test("a store that is not there, and a lost connection", async () => {
  const gone = { ...environment, S3_ENDPOINT: "http://127.0.0.1:1" };
  const object = { bucket: "b", key: "c.tar.gz" };
  const error = await upload(file, { object, environment: gone }, LIMITS, [1]).catch(({ message }: Error) => message);
  expect(error).toStartWith("s3://b/c.tar.gz: cannot be written: ");
  expect(error).not.toContain("X-Amz");
});

test("what is not HTTP is reported without the signed URL, also when an archive is read", async () => {
  const socket = { data: (connection: { end(text: string): void }) => connection.end("SSH-2.0-none\r\n") };
  using other = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
  const wrong = { ...environment, S3_ENDPOINT: `http://127.0.0.1:${other.port}` };
  const object = { bucket: "b", key: "c.tar.gz" };
  const messageOf = ({ message }: Error): string => message;
  const messages = [
    await upload(file, { object, environment: wrong }, LIMITS, []).then(String, messageOf),
    await download(publishedLocation("s3://b/c.tar.gz", wrong), undefined, join(folder, "d")).then(String, messageOf),
  ];
  for (const message of messages) {
    expect(message).toStartWith("s3://b/c.tar.gz: ");
    expect(message).not.toMatch(/X-Amz|session/);
  }
});
