/** What the shells themselves complete with the scripts that they are given. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Command } from "../../src/cli/command.ts";
import { shells } from "../../src/cli/completions.ts";

const scratch = mkdtempSync(join(tmpdir(), "galley-completions-"));
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const command = (name: string, options: Command["options"] = {}, others: Partial<Command> = {}): Command => ({
  name,
  summary: `It's [${name}]: "$HOME" \`id\``,
  usage: "",
  options,
  run: async () => 0,
  ...others,
});
const commands = [
  command("serve", { port: { type: "string", value: "number", summary: "It's a [port]: $(id)" } }),
  command("init", { template: { type: "string", value: "name", summary: "Which", choices: ["blog", "empty"] } }),
  command("token create"),
  command("token list", { json: { type: "boolean", summary: "JSON" } }),
  command("completions", {}, { choices: ["bash", "zsh"] }),
];
for (const [shell, write] of Object.entries(shells)) writeFileSync(join(scratch, shell), write(commands));
writeFileSync(join(scratch, "a-file"), "");

function run(program: string, ...args: string[]): string {
  const env = { PATH: process.env.PATH, HOME: scratch, TERM: "dumb" };
  const { stdout, stderr } = Bun.spawnSync([program, ...args], { cwd: scratch, env, timeout: 20_000 });
  return stdout.toString() + stderr.toString();
}

/** Types a line and a tab into a zsh, whose `compadd` prints what it would offer. */
const ZSH_SETUP = `PROMPT=
autoload -Uz compinit; compinit -u -D
source ./zsh
bindkey '^I' complete-word
done-line () { echo -E - END }
comppostfuncs=( done-line exit )
compadd () {
  if [[ \${@[1,(i)(-|--)]} == *-(O|A|D)\\ * ]]; then builtin compadd "$@"; return $?; fi
  local -a hits
  builtin compadd -A hits "$@"
  local hit; for hit in $hits; do echo -E - "HIT:$hit"; done
}
echo ready`;
const ZSH = `zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "source ./setup.zsh"
while zpty -r z line; do [[ $line == ready* ]] && break; done
zpty -w z "$1"$'\t'
while zpty -r z line; do
  [[ $line == *HIT:* ]] && print -r -- "\${\${line##*HIT:}%$'\r\n'}"
  [[ $line == END* ]] && break
done`;
writeFileSync(join(scratch, "setup.zsh"), ZSH_SETUP);

/** What a shell offers at the end of a line. */
const offers: Readonly<Record<string, (line: string) => string>> = {
  bash: (line) => {
    const words = line.split(" ");
    const set = `COMP_WORDS=(${words.map((word) => `'${word}'`).join(" ")}); COMP_CWORD=${words.length - 1}`;
    return run("bash", "-c", `source ./bash; ${set}; _galley; printf '%s\n' "\${COMPREPLY[@]}"`);
  },
  zsh: (line) => run("zsh", "-f", "-c", ZSH, "zsh", line),
  fish: (line) => run("fish", "-N", "-c", `source ./fish; complete -C '${line}'`).replaceAll(/\t.*/g, ""),
};

/** By line; shells offer files as well where a path may stand. */
const expected: Readonly<Record<string, readonly string[]>> = {
  "galley ": ["completions", "init", "serve", "token"],
  "galley to": ["token"],
  "galley token ": ["create", "list"],
  "galley serve --p": ["--port"],
  "galley serve blog --p": ["--port"],
  "galley token list --": ["--help", "--json"],
  "galley completions z": ["zsh"],
  "galley init --template ": ["blog", "empty"],
  "galley init --template bl": ["blog"],
};

for (const [shell, offer] of Object.entries(offers)) {
  describe.skipIf(Bun.which(shell) === null)(shell, () => {
    for (const [line, words] of Object.entries(expected)) {
      test(line, () => expect(offer(line).split("\n").filter(Boolean).sort()).toEqual([...words]));
    }
  });
}

test("every option is in every script", () => {
  for (const write of Object.values(shells)) {
    const script = write(commands);
    for (const word of ["port", "json", "create", "list"]) expect(script).toContain(word);
  }
});
