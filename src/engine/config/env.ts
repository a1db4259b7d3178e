/** The `env` helper for configuration functions, which reads the environment and the project's `.env`. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { jsonProblem } from "../../lib/json-syntax.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment overrides the file; `ENV_PATH` sets another file. */
export function loadEnvironment(root: string, environment: Environment): Environment {
  const file = environment.ENV_PATH ?? join(root, ".env");
  if (!existsSync(file)) return environment;
  const { parse } = require("dotenv") as typeof import("dotenv");
  return { ...parse(readFileSync(file)), ...environment };
}

/** What the project's `.env` has set in `process.env`: a reload replaces it. */
const provided = new Map<string, string | undefined>();

/** The names that nothing but the project's `.env` sets in `process.env`. */
export const providedNames = (environment: Environment): string[] =>
  Object.keys(environment).filter(
    (name) => process.env[name] === undefined || process.env[name] === provided.get(name),
  );

/** As in Strapi, code reads the project's `.env` from `process.env`. */
export function provideEnvironment(environment: Environment): void {
  for (const name of providedNames(environment)) {
    process.env[name] = environment[name];
    provided.set(name, environment[name]);
  }
}

type Reader<T> = (key: string, defaultValue?: T) => T | undefined;

const parseList = (text: string): string[] =>
  text
    .replace(/^\[([\s\S]*)\]$/, "$1")
    .split(",")
    .map((item) => item.replace(/^ +| +$/g, "").replace(/^"+|"+$/g, ""));

function parseJson(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error(`Invalid json environment variable ${key}: ${jsonProblem(text) ?? (cause as Error).message}`, {
      cause,
    });
  }
}

/** Defaults apply only to undefined variables, not to empty ones. */
export function createEnv(environment: Environment) {
  const reader =
    <T>(parse: (text: string, key: string) => T): Reader<T> =>
    (key, defaultValue) => {
      const text = environment[key];
      return text === undefined ? defaultValue : parse(text, key);
    };
  return Object.assign(
    reader((text) => text),
    {
      int: reader((text) => Number.parseInt(text, 10)),
      float: reader((text) => Number.parseFloat(text)),
      bool: reader((text) => text === "true"),
      json: reader(parseJson),
      array: reader(parseList),
      date: reader((text) => new Date(text)),
      oneOf: (key: string, expected: readonly string[], defaultValue?: string) => {
        if (!expected) throw new Error("env.oneOf requires expectedValues");
        if (defaultValue && !expected.includes(defaultValue))
          throw new Error("env.oneOf requires defaultValue to be included in expectedValues");
        const text = environment[key];
        return text !== undefined && expected.includes(text) ? text : defaultValue;
      },
    },
  );
}
