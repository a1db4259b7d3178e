/** Raw bytes on a connection: what no client library would send. */
import type { Choices } from "./choices.ts";
import { generate } from "./requests.ts";
import { oddText } from "./values.ts";

const LINE = "\r\n";
const hosts = ["localhost", "a b", "[", "", "x".repeat(3_000), "localhost:99999", "é"];

/** A request, more or less. */
export function rawBytes(random: Choices): Uint8Array {
  const { method, path, headers, body } = generate(random);
  const lines = [
    `${random.chance(0.9) ? method : oddText(random)} ${random.chance(0.9) ? path : oddText(random)} HTTP/1.${random.below(3)}`,
  ];
  if (random.chance(0.9)) lines.push(`Host: ${random.chance(0.7) ? "localhost" : random.pick(hosts)}`);
  for (const [name, value] of Object.entries(headers)) lines.push(`${name}: ${value}`);
  const content = Buffer.from(body ?? "").subarray(0, 100_000);
  const kind = random.below(10);
  if (kind < 6) lines.push(`Content-Length: ${content.length}`);
  else if (kind < 8) lines.push(`Content-Length: ${random.below(content.length + 100)}`);
  if (kind > 6) lines.push("Transfer-Encoding: chunked");
  const whole = Buffer.concat([Buffer.from(lines.join(LINE) + LINE + LINE), content]);
  const bytes = Buffer.from(random.chance(0.4) ? whole.subarray(0, random.below(whole.length + 1)) : whole);
  for (let times = random.below(4); times > 0 && bytes.length > 0; times--)
    bytes[random.below(bytes.length)] = random.below(256);
  return bytes;
}

/** The beginning of what comes back within the time; then the connection is cut. */
export async function exchange(port: number, bytes: Uint8Array, withinMs: number): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let answer = "";
  const socket = await Bun.connect({
    hostname: "127.0.0.1",
    port,
    socket: {
      data: (_socket, data) => {
        if (answer.length < 10_000) answer += data.toString("latin1");
        resolve();
      },
      close: () => resolve(),
      error: () => resolve(),
    },
  });
  socket.write(bytes);
  // there is nothing more to come, so that the server does not wait for it
  socket.shutdown();
  await Promise.race([promise, Bun.sleep(withinMs)]);
  socket.terminate();
  return answer;
}
