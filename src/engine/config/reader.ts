import type { ProjectReport } from "../../lib/errors.ts";
import { isSecretName } from "../../lib/redact.ts";
import { isSection, type Section } from "./files.ts";

const isText = (value: unknown): boolean => typeof value === "string";

type Kind = "string" | "number" | "boolean";

/** Casts values of another kind, as in Strapi: environment variables are strings. Undefined if that is impossible. */
const casts: Readonly<Record<Kind, (value: unknown) => unknown>> = {
  string: (value) => (typeof value === "number" ? String(value) : undefined),
  number: (value) => (typeof value === "string" && value.trim() !== "" ? Number(value) : undefined),
  boolean: (value) => (value === "true" ? true : value === "false" ? false : undefined),
};

/** A value for a message; of a secret only its type. */
function printKind(value: unknown, key: string): string {
  if (typeof value === "function") return "a function";
  // JSON has no NaN, which `env.int` returns for a word
  return isSecretName(key) ? `of type ${typeof value}` : Number.isNaN(value) ? "NaN" : String(JSON.stringify(value));
}

/** In milliseconds. */
const spans: Readonly<Record<string, number>> = {
  ms: 1,
  sec: 1_000,
  min: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
  week: 604_800_000,
  month: 2_628_000_000,
  year: 31_536_000_000,
};

/**
 * Reads one section of the configuration by dotted keys. A value of the wrong kind is reported and ignored: Strapi starts
 * with it as well.
 */
export class Reader {
  readonly #section: Section;
  readonly #file: string;
  readonly #report: ProjectReport;

  constructor(section: Section, file: string, report: ProjectReport) {
    this.#section = section;
    this.#file = file;
    this.#report = report;
  }

  /** Reports an invalid value as a warning; the default is used. */
  ignore(key: string, reason: string): undefined {
    this.#report.warn(this.#file, key, `${reason}; the default is used`);
  }

  #find(key: string): unknown {
    let value: unknown = this.#section;
    for (const step of key.split(".")) value = isSection(value) ? value[step] : undefined;
    return value ?? undefined;
  }

  #typed(key: string, kind: Kind): unknown {
    const raw = this.#find(key);
    if (raw === undefined) return undefined;
    const value = typeof raw === kind ? raw : casts[kind](raw);
    if (value !== undefined && !Number.isNaN(value)) return value;
    return this.ignore(key, `must be a ${kind}, not ${printKind(raw, key)}`);
  }

  isSection(key: string): boolean {
    return isSection(this.#find(key));
  }

  isFunction(key: string): boolean {
    return typeof this.#find(key) === "function";
  }

  text(key: string): string | undefined {
    return this.#typed(key, "string") as string | undefined;
  }

  flag(key: string): boolean | undefined {
    return this.#typed(key, "boolean") as boolean | undefined;
  }

  number(key: string, minimum = 0): number | undefined {
    const value = this.#typed(key, "number") as number | undefined;
    if (value === undefined || value >= minimum) return value;
    return this.ignore(key, `must be at least ${minimum}, not ${value}`);
  }

  #fitting<T>(key: string, fits: (value: unknown) => boolean, reason: string): T | undefined {
    const value = this.#find(key);
    return value === undefined || fits(value) ? (value as T | undefined) : this.ignore(key, reason);
  }

  textList(key: string): readonly string[] | undefined {
    return this.#fitting(key, (value) => Array.isArray(value) && value.every(isText), "must be a list of texts");
  }

  /** Seconds, or a string such as "30d". */
  lifespan(key: string): string | number | undefined {
    const value = this.#find(key);
    return typeof value === "number" ? this.number(key) : this.text(key);
  }

  /** Milliseconds above zero, or a section such as `{ min: 5, sec: 30 }`. */
  milliseconds(key: string): number | undefined {
    const value = this.#find(key);
    if (!isSection(value)) return this.number(key, 1);
    const parts = Object.entries(value).map(([name, count]) => (spans[name] ?? Number.NaN) * Number(count));
    const sum = parts.reduce((total, part) => total + part, 0);
    return sum >= 1 ? sum : this.ignore(key, `must be a time such as { "min": 5 }, not ${printKind(value, key)}`);
  }

  /** A section whose values are texts. */
  texts(key: string): Record<string, string> | undefined {
    return this.#fitting(key, (value) => isSection(value) && Object.values(value).every(isText), "must hold texts");
  }

  /** A section whose values are positive integers. */
  positiveIntegers(key: string): Record<string, number> | undefined {
    const isPositive = (item: unknown) => Number.isInteger(item) && (item as number) > 0;
    const fits = (value: unknown) => isSection(value) && Object.values(value).every(isPositive);
    return this.#fitting(key, fits, "must hold whole numbers above zero");
  }
}
