/** Scripts that complete commands and options in a shell, made from the table of commands. */
import type { Command, Option } from "./command.ts";

type Commands = readonly Command[];

const optionNames = ({ options }: Command): string[] => [...Object.keys(options), "help"].map((name) => `--${name}`);

/** Of first words: commands, and groups such as "token". */
const firstWords = (commands: Commands): string[] => [...new Set(commands.map(({ name }) => name.split(" ")[0]!))];

/** Second words by the first, for commands of two words. */
function groups(commands: Commands): [first: string, second: string[]][] {
  const pairs = commands.map(({ name }) => name.split(" ")).filter(({ length }) => length > 1);
  return [...Map.groupBy(pairs, ([first]) => first!)].map(([first, rest]) => [first, rest.map(([, word]) => word!)]);
}

function bash(commands: Commands): string {
  const cases = [
    ...groups(commands).map(([first, second]) => `    ${first}) words="${second.join(" ")}" ;;`),
    ...commands.map(
      (command) => `    "${command.name}"|"${command.name} "*) words="${optionNames(command).join(" ")}" ;;`,
    ),
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

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

function zsh(commands: Commands): string {
  const described = (text: string): string => text.replaceAll(":", "\\:");
  const words = commands.map(({ name, summary }) => quoted(`${described(name)}:${summary}`));
  const specification = (name: string, { type, value, summary }: Option): string =>
    quoted(
      `--${name}[${summary.replaceAll(/[[\]]/g, "\\$&")}]${type === "string" ? `:${value ?? "value"}:_files` : ""}`,
    );
  const cases = commands.map(({ name, options }) => {
    const rows = Object.entries(options).map(([option, row]) => specification(option, row));
    return `    ${quoted(name)}) _arguments ${[...rows, "'--help[Show this help]'", "'*:file:_files'"].join(" ")} ;;`;
  });
  return `#compdef galley
_galley() {
  local -a commands
  commands=(${words.join(" ")})
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local name="$words[2]" shifted=1
  if (( \${commands[(I)$name *]} )); then
    if (( CURRENT == 3 )); then
      local -a rest
      rest=(\${\${(M)commands:#$name *}#$name })
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
  const top = `not __fish_seen_subcommand_from ${firsts.join(" ")}`;
  const lines = firsts.map((first) => {
    const summary = commands.find(({ name }) => name === first)?.summary ?? `Commands for ${first}s`;
    return `complete -c galley -n ${quoted(top)} -f -a ${first} -d ${quoted(summary)}`;
  });
  for (const { name, summary, options } of commands) {
    const [first, second] = name.split(" ");
    const seen = [first, second]
      .flatMap((word) => (word ? [`__fish_seen_subcommand_from ${word}`] : []))
      .join("; and ");
    if (second !== undefined) {
      const condition = `__fish_seen_subcommand_from ${first}; and not __fish_seen_subcommand_from ${second}`;
      lines.push(`complete -c galley -n ${quoted(condition)} -f -a ${second} -d ${quoted(summary)}`);
    }
    for (const [option, { type, summary: text }] of Object.entries(options))
      lines.push(
        `complete -c galley -n ${quoted(seen)} -l ${option}${type === "string" ? " -r" : ""} -d ${quoted(text)}`,
      );
  }
  return `${lines.join("\n")}\n`;
}

/** By the shell's name. */
export const shells: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh, fish };
