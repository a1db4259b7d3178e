import type { ProjectReport } from "../errors.ts";
import { isSection, type Section } from "./files.ts";

type Kind = "string" | "number" | "boolean";

/** One section of the configuration, by dotted keys. A value that is not of the kind that is due is reported, and missing. */
export class Reader {
  readonly #section: Section;
  readonly #file: string;
  readonly #report: ProjectReport;

  constructor(section: Section, file: string, report: ProjectReport) {
    this.#section = section;
    this.#file = file;
    this.#report = report;
  }

  #refuse(key: string, reason: string): undefined {
    this.#report.refuse(this.#file, key, reason);
  }

  #find(key: string): unknown {
    let value: unknown = this.#section;
    for (const step of key.split(".")) value = isSection(value) ? value[step] : undefined;
    return value ?? undefined;
  }

  #typed(key: string, kind: Kind): unknown {
    const value = this.#find(key);
    if (value === undefined || (typeof value === kind && !Number.isNaN(value))) return value;
    return this.#refuse(key, `must be a ${kind}, not ${JSON.stringify(value)}`);
  }

  isSection(key: string): boolean {
    return isSection(this.#find(key));
  }

  text(key: string): string | undefined {
    return this.#typed(key, "string") as string | undefined;
  }

  flag(key: string): boolean | undefined {
    return this.#typed(key, "boolean") as boolean | undefined;
  }

  number(key: string, least = 0): number | undefined {
    const value = this.#typed(key, "number") as number | undefined;
    if (value === undefined || value >= least) return value;
    return this.#refuse(key, `must be at least ${least}, not ${value}`);
  }

  texts(key: string): string[] | undefined {
    const value = this.#find(key);
    if (value === undefined) return undefined;
    if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value;
    return this.#refuse(key, "must be a list of texts");
  }

  /** A section whose values are all whole numbers above zero. */
  counts(key: string): Record<string, number> | undefined {
    const value = this.#find(key);
    if (value === undefined) return undefined;
    const fits = (item: unknown) => Number.isInteger(item) && (item as number) > 0;
    if (isSection(value) && Object.values(value).every(fits)) return value as Record<string, number>;
    return this.#refuse(key, "must hold whole numbers above zero");
  }
}
