/** `galley licenses`: prints the licences of all packages in the executable. */
import { type Command, type CommandCall, UsageError } from "../command.ts";

async function runLicenses({ print }: CommandCall): Promise<number> {
  if (!Bun.isStandaloneExecutable)
    throw new UsageError("this runs from source: the packages' licences are in node_modules");
  // resolved when the executable is compiled, after `scripts/embed-licenses.ts`
  const { default: path } = await import("../../../dist/licenses.txt", { with: { type: "file" } });
  print(new TextDecoder().decode(Bun.gunzipSync(await Bun.file(path).bytes())));
  return 0;
}

export const licenses: Command = {
  name: "licenses",
  summary: "Print the licences of the bundled packages",
  run: runLicenses,
};
