/** Sends a list of requests from a process of its own, as fast as they are answered. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { onLoadCore } from "./cores.ts";
import { TOKEN } from "./data.ts";

export interface Load {
  readonly connections: number;
  readonly seconds: number;
  /** A folder for the list of requests. */
  readonly scratch: string;
  /** Different for each load on the same server, up to 100: numbers in requests start from it. */
  readonly offset: number;
}

export interface Measured {
  /** Answers a second. */
  readonly rate: number;
  readonly p99Ms: number;
}

const unitMs: Readonly<Record<string, number>> = { us: 0.001, ms: 1, s: 1000, m: 60_000 };

function milliseconds(text: string | undefined): number {
  const [, number, unit] = /^([\d.]+)(us|ms|s|m)$/.exec(text ?? "") ?? [];
  if (!number || !unit) throw new Error(`wrk told no latency but "${text}"`);
  return Number(number) * unitMs[unit]!;
}

/** Throws for any answer that is not a success, and for broken connections: figures of errors are no figures. */
export function load(url: string, requests: readonly string[], options: Load): Measured {
  const file = join(options.scratch, "requests.tsv");
  writeFileSync(file, `${requests.join("\n")}\n`);
  const { connections, seconds, offset } = options;
  const { stdout, stderr, exitCode } = Bun.spawnSync(
    onLoadCore([
      "wrk",
      "-t1",
      `-c${connections}`,
      `-d${seconds}s`,
      "--timeout",
      "10s",
      "--latency",
      "-s",
      join(import.meta.dir, "urls.lua"),
      url,
    ]),
    { env: { ...process.env, REQUESTS: file, TOKEN, OFFSET: String(offset) } },
  );
  const output = stdout.toString();
  const refused = /Non-2xx or 3xx responses: (\d+)/.exec(output)?.[1];
  const broken = /Socket errors: (.*)/.exec(output)?.[1];
  const rate = Number(/Requests\/sec:\s+([\d.]+)/.exec(output)?.[1]);
  if (refused) throw new Error(`${refused} requests were refused`);
  if (broken) throw new Error(`connections broke: ${broken}`);
  if (exitCode !== 0 || !(rate > 0)) throw new Error(`wrk failed:\n${output}${stderr}`);
  return { rate, p99Ms: milliseconds(/^\s*99%\s+(\S+)/m.exec(output)?.[1]) };
}
