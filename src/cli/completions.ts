/** `galley completions`: prints a shell script that completes commands and options, made from the table of commands. */
import { type Command, type CommandCall, help, type Option, UsageError } from "./command.ts";

type Commands = readonly Command[];

const optionNames = ({ options }: Command): string[] => Object.keys({ ...options, help }).map((name) => `--${name}`);

/** Distinct first words: commands, and groups such as "token". */
const firstWords = (commands: Commands): string[] => [...new Set(commands.map(({ name }) => name.split(" ")[0]!))];

const findSummary = (commands: Commands, first: string): string =>
  commands.find(({ name }) => name === first)?.summary ?? `Commands for ${first}s`;

/** Second words by the first, for commands of two words. */
function groups(commands: Commands): [first: string, second: string[]][] {
  const pairs = commands.map(({ name }) => name.split(" ")).filter(({ length }) => length > 1);
  return [...Map.groupBy(pairs, ([first]) => first!)].map(([first, rest]) => [first, rest.map(([, word]) => word!)]);
}

function bash(commands: Commands): string {
  const withChoices = commands.flatMap(({ name, options = {} }) =>
    Object.entries(options).flatMap(([option, { choices }]) =>
      choices ? [`    "${name} "*"--${option}"|"${name} --${option}") words="${choices.join(" ")}" ;;`] : [],
    ),
  );
  const cases = [
    ...groups(commands).map(([first, second]) => `    ${first}) words="${second.join(" ")}" ;;`),
    ...withChoices,
    ...commands.map((command) => {
      const words = [...(command.choices ?? []), ...optionNames(command)].join(" ");
      return `    "${command.name}"|"${command.name} "*) words="${words}" ;;`;
    }),
  ];
  return `_galley() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" line words=""
  line="\${COMP_WORDS[*]:1:COMP_CWORD-1}"
  case "$line" in
    "") words="${firstWords(commands).join(" ")}" ;;
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _galley galley
`;
}

const shellQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(commands: Commands): string {
  const escapeColons = (text: string): string => text.replaceAll(":", "\\:");
  const word = (name: string, summary: string): string => shellQuote(`${escapeColons(name)}:${summary}`);
  const firsts = firstWords(commands).map((name) => word(name, findSummary(commands, name)));
  const seconds = commands.flatMap(({ name, summary }) => (name.includes(" ") ? [word(name, summary)] : []));
  const formatValues = (choices: readonly string[] | undefined): string =>
    choices ? `(${choices.join(" ")})` : "_files";
  const specification = (name: string, { type, value, summary, choices }: Option): string => {
    const argument = type === "string" ? `:${value ?? "value"}:${formatValues(choices)}` : "";
    return shellQuote(`--${name}[${summary.replaceAll(/[[\]]/g, "\\$&")}]${argument}`);
  };
  const cases = commands.map(({ name, options = {}, choices }) => {
    const rows = Object.entries(options).map(([option, row]) => specification(option, row));
    const rest = [...rows, "'--help[Show this help]'", shellQuote(`*:argument:${formatValues(choices)}`)];
    return `    ${shellQuote(name)}) _arguments ${rest.join(" ")} ;;`;
  });
  return `#compdef galley
_galley() {
  local -a words_of_one words_of_two
  words_of_one=(${firsts.join(" ")})
  words_of_two=(${seconds.join(" ")})
  if (( CURRENT == 2 )); then
    _describe command words_of_one
    return
  fi
  local name="$words[2]" shifted=1
  if (( \${words_of_two[(I)$name *]} )); then
    if (( CURRENT == 3 )); then
      local -a rest
      rest=(\${\${(M)words_of_two:#$name *}#$name })
      _describe command rest
      return
    fi
    name="$name $words[3]"
    shifted=2
  fi
  shift $shifted words
  (( CURRENT -= shifted ))
  case "$name" in
${cases.join("\n")}
  esac
}
compdef _galley galley
`;
}

function fish(commands: Commands): string {
  const firsts = firstWords(commands);
  const topCondition = `not __fish_seen_subcommand_from ${firsts.join(" ")}`;
  const lines = firsts.map((first) => {
    return `complete -c galley -n ${shellQuote(topCondition)} -f -a ${first} -d ${shellQuote(findSummary(commands, first))}`;
  });
  for (const { name, summary, options, choices: words } of commands) {
    const [first, second] = name.split(" ");
    const condition = [first, second]
      .flatMap((word) => (word ? [`__fish_seen_subcommand_from ${word}`] : []))
      .join("; and ");
    if (second !== undefined) {
      const condition = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}`;
      lines.push(`complete -c galley -n ${shellQuote(condition)} -f -a ${second} -d ${shellQuote(summary)}`);
    }
    if (words) lines.push(`complete -c galley -n ${shellQuote(condition)} -f -a ${shellQuote(words.join(" "))}`);
    for (const [option, { type, summary: text, choices }] of Object.entries({ ...options, help })) {
      const values = choices ? ` -x -a ${shellQuote(choices.join(" "))}` : " -r";
      lines.push(
        `complete -c galley -n ${shellQuote(condition)} -l ${option}${type === "string" ? values : ""} -d ${shellQuote(text)}`,
      );
    }
  }
  return `${lines.join("\n")}\n`;
}

/** Script generators by shell. */
export const shells: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };

async function runCompletions({ arguments: [shell = ""], print }: CommandCall, commands: readonly Command[]) {
  const generate = Object.hasOwn(shells, shell) ? shells[shell] : undefined;
  if (!generate) throw new UsageError(`which shell? galley completions ${Object.keys(shells).join("|")}`);
  print(generate(commands.filter(({ hidden }) => !hidden)).trimEnd());
  return 0;
}

/** `commands` returns all commands, including this one. */
export const createCompletions = (commands: () => readonly Command[]): Command => ({
  name: "completions",
  summary: "Print the completion script for a shell: bash, zsh or fish",
  usage: "<shell>",
  choices: ["bash", "zsh", "fish"],
  run: (call) => runCompletions(call, commands()),
});
