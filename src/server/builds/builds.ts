/** `.galley/builds.json`: what the commands of `galley run` have last read, by their folders and texts. */
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { tryParseJson } from "../../lib/coerce.ts";
import { isRecord } from "../../lib/is-record.ts";
import { replaceFile } from "../../lib/replace-file.ts";

/** A project may have several sites that are built by the same command. */
export interface Site {
  readonly folder: string;
  readonly command: readonly string[];
}

const nameOf = ({ folder, command }: Site): string => `${folder}: ${command.join(" ")}`;

interface Build {
  /** Of the change feed: what is written after it was not read by the build, or only perhaps. */
  readonly token: string;
  readonly finishedAt: string;
  /** The file with its requests, if they were recorded. */
  readonly record?: string;
}

/** The latest are kept. */
const MAX_BUILDS = 20;

const isBuild = (value: unknown): value is Build => isRecord(value) && typeof value.token === "string";

export class Builds {
  readonly #file: string;

  /** `folder`: the project's `.galley`. */
  constructor(folder: string) {
    this.#file = join(folder, "builds.json");
  }

  /** None if the file is damaged: builds then begin anew. */
  #read(): readonly (readonly [command: string, build: Build])[] {
    if (!existsSync(this.#file)) return [];
    const builds = tryParseJson(readFileSync(this.#file, "utf8"));
    if (!isRecord(builds)) return [];
    return Object.entries(builds).filter((entry): entry is [string, Build] => isBuild(entry[1]));
  }

  find(site: Site): Build | undefined {
    const name = nameOf(site);
    return this.#read().find(([other]) => other === name)?.[1];
  }

  /** The latest whose requests were recorded. */
  lastRecorded(): (Build & { readonly command: string; readonly record: string }) | undefined {
    const found = this.#read().findLast(([, { record }]) => typeof record === "string");
    return found && { ...found[1], command: found[0], record: found[1].record! };
  }

  save(site: Site, build: Build): void {
    const name = nameOf(site);
    const others = this.#read().filter(([other]) => other !== name);
    const kept = [...others, [name, build] as const].slice(-MAX_BUILDS);
    const text = `${JSON.stringify(Object.fromEntries(kept), null, 2)}\n`;
    replaceFile(this.#file, (unfinished) => writeFileSync(unfinished, text));
  }
}
