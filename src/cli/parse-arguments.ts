/** Parses the arguments of a command. */
import { type Arguments, type Command, help, type Option, type Options, UsageError } from "./command.ts";

/** Parses the common forms (`--name value`, `--flag`); undefined for all other forms and for invalid arguments. */
function parseCommonForms(options: Options, args: readonly string[]): Arguments | undefined {
  const values: Record<string, string | true> = {};
  const positionals: string[] = [];
  for (let index = 0; index < args.length; index++) {
    const argument = args[index]!;
    const name = argument.slice("--".length);
    if (!argument.startsWith("-")) positionals.push(argument);
    else if (!argument.startsWith("--") || !Object.hasOwn(options, name) || options[name]?.multiple) return undefined;
    else if (options[name]?.type === "boolean") values[name] = true;
    else {
      const value = args[++index];
      // a negative number is a value, not an option; an empty value is refused there
      if (!value || (value.startsWith("-") && !/^-\d+$/.test(value))) return undefined;
      values[name] = value;
    }
  }
  return { values, positionals };
}

/** Of those in brackets, without what belongs to an option or follows "--". */
const countArguments = (usage: string): number =>
  usage.replaceAll(/\[?--\S*( <[^>]*>)?\]?/g, "").match(/<[^>]*>|\[[^\]]*\]/g)?.length ?? 0;

const lazyOtherArguments = () => require("./other-arguments.ts") as typeof import("./other-arguments.ts");

/** Parses the arguments of a command. Throws a UsageError for unknown options, other values than the choices of one, and surplus arguments. */
export function parseCommand(command: Command, args: readonly string[]): Arguments {
  const options = { ...command.options, help };
  const parsed = parseCommonForms(options, args) ?? lazyOtherArguments().parseRareForms(command.name, options, args);
  const { name, usage = "" } = command;
  const surplus = parsed.positionals.slice(countArguments(usage));
  if (surplus.length > 0)
    throw new UsageError(`too many arguments: ${surplus.join(" ")} (usage: galley ${name} ${usage})`);
  for (const [option, { choices, isList }] of Object.entries<Option>(options)) {
    const value = parsed.values[option];
    if (choices && !isList && typeof value === "string" && !choices.includes(value))
      throw new UsageError(`--${option} must be one of ${choices.join(", ")}, not "${value}"`);
  }
  return parsed;
}
