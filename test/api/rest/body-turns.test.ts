/** Bodies that arrive in many small pieces are parsed with turns for others. */
import { expect, test } from "bun:test";
import { readBody, readFormFields } from "../../../src/api/rest/body.ts";
import { BODY_DEFAULTS } from "../../../src/engine/config/body-settings.ts";

const PIECES = 400_000;

/** A body of single bytes, all of which have arrived. */
function inBytes(type: string, start: string, end: string): Request {
  const bytes = Buffer.from(`${start}${"x".repeat(PIECES)}${end}`);
  let at = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at === bytes.length) controller.close();
      else controller.enqueue(bytes.subarray(at, ++at));
    },
  });
  return new Request("http://localhost/", { method: "POST", body, headers: { "content-type": type } });
}

const settings = {
  ...BODY_DEFAULTS,
  limits: { json: 1_000_000, form: 1_000_000, text: 1_000_000 },
};
const FIELD = '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\n';
const readings: Readonly<Record<string, () => Promise<unknown>>> = {
  json: () => readBody(inBytes("application/json", '{"text":"', '"}'), settings),
  urlencoded: () => readBody(inBytes("application/x-www-form-urlencoded", "text=", ""), settings),
  multipart: () => readFormFields(inBytes("multipart/form-data; boundary=x", FIELD, "\r\n--x--\r\n"), settings.forms),
};

for (const [name, read] of Object.entries(readings)) {
  test(name, async () => {
    let turns = 0;
    let timer = setImmediate(function count() {
      turns++;
      timer = setImmediate(count);
    });
    const { user, system } = process.threadCpuUsage();
    const body = await read();
    const after = process.threadCpuUsage();
    clearImmediate(timer);
    expect(body).toEqual({ text: "x".repeat(PIECES) });
    const milliseconds = (after.user + after.system - user - system) / 1_000;
    // one is due after 10 milliseconds of processor time
    expect(turns).toBeGreaterThan(Math.max(2, milliseconds / 50));
  }, 180_000);
}
