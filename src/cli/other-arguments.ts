/** Parses rare forms of arguments (`--name=value`, for example), and reports invalid ones. */
import { parseArgs } from "node:util";
import { hintFor } from "../lib/nearest.ts";
import { mapValues } from "../lib/records.ts";
import { type Arguments, type Options, UsageError } from "./command.ts";

/** `name`: the command's name. Throws a UsageError for invalid arguments. */
export function parseRareForms(name: string, options: Options, args: readonly string[]): Arguments {
  const types = mapValues(options, ({ type, short, multiple = false }) => ({
    type,
    multiple,
    ...(short ? { short } : {}),
  }));
  const config = { args: [...args], options: types, allowPositionals: true };
  const { tokens } = parseArgs({ ...config, strict: false, tokens: true });
  for (const token of tokens) {
    if (token.kind !== "option") continue;
    const option = Object.hasOwn(options, token.name) ? options[token.name] : undefined;
    if (option?.type === "string" && !token.value)
      throw new UsageError(`--${token.name} needs a value: --${token.name} <${option.value}>`);
    if (option) continue;
    const known = Object.keys(options).map((option) => `--${option}`);
    const hint = hintFor(token.rawName, known);
    throw new UsageError(`unknown option ${token.rawName}${hint} (galley ${name} --help lists the options)`);
  }
  try {
    return parseArgs(config);
  } catch (error) {
    // the first sentence has the problem; others explain `parseArgs`
    const [problem] = (error as Error).message.split(/\.\s/);
    throw new UsageError(`${problem} (galley ${name} --help lists the options)`);
  }
}
