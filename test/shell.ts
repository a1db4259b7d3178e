/** Runs the shell commands of documents, and compares what they print with what is shown. */
import { expect } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type CodeBlock, codeBlocks } from "./documents.ts";
import { PROGRAM } from "./program.ts";
import { until } from "./until.ts";

export interface Step {
  readonly command: string;
  /** Empty if nothing is shown. */
  readonly output: string;
}

const consoleSteps = (screen: string): readonly Step[] =>
  screen
    .split(/^\$ /m)
    .filter((text) => text.trim() !== "")
    .map((text) => {
      const [command = "", ...output] = text.split("\n");
      return { command, output: output.join("\n").trim() };
    });

/** The commands of a document in order, and its files: a block in a language for data that follows commands is what the last one prints. */
export function stepsOf(text: string): readonly (Step | CodeBlock)[] {
  const blocks = codeBlocks(text);
  return blocks.flatMap((block, index): readonly (Step | CodeBlock)[] => {
    const { language, file, code } = block;
    if (file !== "") return [block];
    if (language === "console") return consoleSteps(code);
    if (language !== "sh") return [];
    const next = blocks[index + 1];
    const shown = next?.follows && ["json", "text"].includes(next.language) ? next.code.trim() : "";
    const commands = code.trimEnd().split(/(?<!\\)\n/);
    return commands.map((command, at) => ({ command, output: at === commands.length - 1 ? shown : "" }));
  });
}

/** A pattern of what is shown: ids, times, hashes, ports and home folders differ, and … stands for anything. */
export const patternOf = (shown: string): RegExp =>
  new RegExp(
    `^${shown
      .trim()
      .split(/ *… */)
      .map((part) => part.replaceAll(/[.*+?^${}()|[\]\\]/g, "\\$&"))
      .join(".*")
      .replaceAll(/"documentId":"[a-z0-9]{24}"/g, '"documentId":"[a-z0-9]{24}"')
      .replaceAll(/"id":\d+/g, '"id":\\d+')
      .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\\\.\d{3}Z/g, "[\\d:.TZ-]{24}")
      .replaceAll(/_[0-9a-f]{10}/g, "_[0-9a-f]{10}")
      .replaceAll("/home/ada/", "/\\S*")
      .replaceAll("localhost:1337", "localhost:\\d+")}`,
    "s",
  );

const isServer = (command: string): boolean => /^(\w+=\S+ )?galley (serve|mirror|test-server)\b/.test(command);
/** A restore needs that the server is stopped. */
const stopsServers = (command: string): boolean => isServer(command) || command.startsWith("galley restore");
const keepsRunning = (command: string): boolean => isServer(command) || /--on-change|next dev$/.test(command);

export interface ShellOptions {
  readonly folder: string;
  readonly port: number;
  readonly environment: Readonly<Record<string, string>>;
  /** What commands say, and what is there in its place. */
  readonly standIns?: Readonly<Record<string, string>>;
}

export class Shell {
  readonly #options: ShellOptions;
  readonly #running: { readonly command: string; readonly child: Bun.Subprocess }[] = [];

  constructor(options: ShellOptions) {
    this.#options = options;
    const bin = join(options.folder, "bin");
    mkdirSync(bin, { recursive: true });
    writeFileSync(join(bin, "galley"), `#!/bin/sh\nexec ${PROGRAM.join(" ")} "$@"\n`, { mode: 0o755 });
  }

  /** Writes a file, or runs a command, which prints what is shown and succeeds; servers keep running until another one starts. */
  async follow(step: Step | CodeBlock): Promise<void> {
    if (!("command" in step)) {
      const path = join(this.#options.folder, step.file);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, this.#withPort(step.code));
      return;
    }
    const { command, output } = step;
    if (stopsServers(command)) await this.stop(isServer);
    const child = this.#start(command);
    let [printed, errors] = ["", ""];
    const reading = Promise.all([
      (async () => {
        for await (const chunk of child.stdout) printed += new TextDecoder().decode(chunk);
      })(),
      (async () => {
        for await (const chunk of child.stderr) errors += new TextDecoder().decode(chunk);
      })(),
    ]);
    const pattern = patternOf(output);
    if (keepsRunning(command)) {
      this.#running.push({ command, child });
      await until(`"${command}" has printed what is shown: ${errors}`, () => {
        if (child.exitCode !== null) throw new Error(`${command} has ended: ${errors}`);
        return printed.includes("\n") && pattern.test(printed.trim());
      });
      if (isServer(command)) await until(`"${command}" answers`, async () => (await this.#health(command)) === 204);
      return;
    }
    await reading;
    expect({ command, code: await child.exited, errors }).toMatchObject({ command, code: 0 });
    const whole = new RegExp(`${pattern.source}$`, "s");
    expect(printed.trim()).toMatch(output === "" ? pattern : whole);
  }

  /** What a command prints. */
  async print(command: string): Promise<string> {
    const child = this.#start(command);
    const text = await new Response(child.stdout).text();
    if ((await child.exited) !== 0) throw new Error(`${command}: ${await new Response(child.stderr).text()}`);
    return text.trim();
  }

  async stop(which: (command: string) => boolean = () => true): Promise<void> {
    const stopped = this.#running.filter(({ command }) => which(command));
    for (const entry of stopped) {
      if (entry.child.exitCode === null) process.kill(-entry.child.pid, "SIGTERM");
      await entry.child.exited;
      this.#running.splice(this.#running.indexOf(entry), 1);
    }
  }

  async #health(command: string): Promise<number | undefined> {
    const path = command.includes("test-server") ? "_branches/main/_health" : "_health";
    const response = await fetch(`http://localhost:${this.#options.port}/${path}`).catch(() => undefined);
    return response?.status;
  }

  #withPort(text: string): string {
    return text.replaceAll("localhost:1337", `localhost:${this.#options.port}`);
  }

  #start(command: string): Bun.Subprocess<"ignore", "pipe", "pipe"> {
    const { folder, port, environment, standIns = {} } = this.#options;
    let runnable = this.#withPort(command);
    for (const [name, standIn] of Object.entries(standIns)) runnable = runnable.replaceAll(name, standIn);
    // what asks on a terminal
    runnable = runnable.replace(/^galley (import|pull|push|restore)\b/, "$& --yes");
    return Bun.spawn(["sh", "-c", runnable], {
      cwd: folder,
      env: {
        PATH: `${join(folder, "bin")}:${dirname(process.execPath)}:${process.env.PATH}`,
        HOME: folder,
        PORT: `${port}`,
        ...environment,
      },
      detached: true,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
  }
}
