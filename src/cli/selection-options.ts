/** The options that leave out a part of a transfer, with the names, values and refusals of `strapi export`. */

import { hintFor } from "../lib/nearest.ts";
import { dataKinds, excludableKinds, Selection } from "../transfer/selection.ts";
import { type CommandCall, type Options, UsageError } from "./command.ts";

export const selectionOptions: Options = {
  only: {
    type: "string",
    value: "data",
    summary: `Only these, separated by commas: ${Object.keys(dataKinds).join(", ")}`,
    choices: Object.keys(dataKinds),
    isList: true,
  },
  exclude: {
    type: "string",
    value: "data",
    summary: `All but these: ${Object.keys(excludableKinds).join(", ")} (files and their records)`,
    choices: Object.keys(excludableKinds),
    isList: true,
  },
  "only-content-types": {
    type: "string",
    value: "uids",
    summary: "Only documents of these types, separated by commas",
  },
  "exclude-content-types": { type: "string", value: "uids", summary: "No documents of these types" },
};

const lazyAdministration = () =>
  require("../engine/schema/builtin/administration.ts") as typeof import("../engine/schema/builtin/administration.ts");

const parseList = (text: string | undefined): string[] | undefined => text?.split(",").map((item) => item.trim());

function parseKinds<Kind extends string>(
  { text }: CommandCall,
  option: string,
  kinds: Readonly<Record<Kind, unknown>>,
): Kind[] | undefined {
  const list = parseList(text(option));
  const isKind = (name: string): name is Kind => Object.hasOwn(kinds, name);
  const invalid = list?.filter((name) => !isKind(name)) ?? [];
  if (invalid.length > 0)
    throw new UsageError(
      `Invalid options for "${option}": ${invalid.join(",")}${hintFor(invalid[0]!, Object.keys(kinds))} (it takes ${Object.keys(kinds).join(", ")})`,
    );
  return list?.filter(isKind);
}

const refuseBoth = (what: string, names: readonly string[]): void => {
  if (names.length > 0) throw new UsageError(`${what}. Found in both: ${names.join(",")}`);
};

/** Throws a UsageError. The content-types are not compared with those of a project. */
export function parseSelection(call: CommandCall): Selection {
  const only = parseKinds(call, "only", dataKinds);
  const exclude = parseKinds(call, "exclude", excludableKinds);
  const onlyTypes = parseList(call.text("only-content-types"));
  const excludeTypes = parseList(call.text("exclude-content-types"));
  const excludedStages = new Set<string>(exclude?.flatMap((kind) => excludableKinds[kind].stages));
  refuseBoth(
    `Data types may not be used in both "exclude" and "only" in the same command`,
    only?.filter((kind) => dataKinds[kind].stages.every((stage) => excludedStages.has(stage))) ?? [],
  );
  const selection = new Selection({ only, exclude, onlyTypes, excludeTypes });
  const { excluded } = selection.namedTypes;
  refuseBoth(
    `Content types may not be used in both "--exclude-content-types" and "--only-content-types"`,
    onlyTypes?.filter((uid) => excluded.includes(uid)) ?? [],
  );
  return selection;
}

/** `known`: uids of content-types, besides those of the administration. Throws a UsageError for others. */
export function checkContentTypes({ namedTypes }: Selection, known: Iterable<string>): void {
  const { administrationTypes } = lazyAdministration();
  const uids = new Set([...known, ...administrationTypes.map(({ uid }) => uid)]);
  for (const [option, named] of [
    ["exclude", namedTypes.excluded],
    ["only", namedTypes.only],
  ] as const) {
    const unknown = named.filter((uid) => !uids.has(uid));
    const hints = unknown.map((uid) => `${uid}${hintFor(uid, uids)}`);
    if (unknown.length > 0)
      throw new UsageError(`Unknown content type(s) for --${option}-content-types: ${hints.join(", ")}`);
  }
}

/** The options as given, for messages: "--only content"; empty without any. */
export const selectionText = ({ text }: CommandCall): string =>
  Object.keys(selectionOptions)
    .flatMap((name) => (text(name) === undefined ? [] : [`--${name} ${text(name)}`]))
    .join(" ");
