/** The results as the README shows them, in Markdown. */
import type { Comparison } from "./compare.ts";
import type { Figures } from "./measure.ts";
import { median } from "./median.ts";
import { timeOf } from "./results.ts";
import type { StartUp } from "./start-up.ts";

const NAMES = { galley: "Galley", floor: "hand-written", reference: "Strapi 5.54" } as const;

/** Workloads by the README's name for them; two that share a row stand beside each other. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  "list of 25": ["list"],
  "one document": ["one"],
  "`populate=*` of 25": ["populate"],
  "filter through a relation, two levels": ["deep"],
  "`$containsi` over all titles": ["search"],
  "GraphQL, 10 with three relations": ["graphql"],
  "the same URL repeatedly": ["same"],
  "create, update": ["create", "update"],
};

const rounded = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en") : value.toFixed(value < 20 ? 1 : 0);

/** Requests for a second of processor time: what a core can do. */
const rate = (figures: Figures | undefined, work: string): number => 1_000_000 / timeOf(figures, work);

/** Empty for what was not measured. */
const cell = (values: readonly number[]): string =>
  values
    .filter((value) => !Number.isNaN(value))
    .map(rounded)
    .join(", ");

const row = (cells: readonly string[]): string =>
  `|${cells.map((text) => (text === "" ? " " : ` ${text} `)).join("|")}|`;

export function readmeTable(comparison: Comparison): string {
  const { galley, reference } = comparison;
  const lines = Object.entries(ROWS).map(([name, works]) => {
    const rates = (Object.keys(NAMES) as (keyof typeof NAMES)[]).map((target) =>
      cell(works.map((work) => rate(comparison[target], work))),
    );
    const times = cell(works.map((work) => Math.round(rate(galley, work) / rate(reference, work))));
    return row([name, ...rates, times.replaceAll(".0", "")]);
  });
  return [row(["request", ...Object.values(NAMES), "Galley / Strapi"]), "|---|---|---|---|---|", ...lines].join("\n");
}

/** The sentence below the table. */
export function readmeSizes({ galley, reference }: Comparison, startUp: StartUp): string {
  const ms = (value: number): string => `${value.toFixed(0)} ms`;
  const mb = (figures: Figures | undefined): string => `${median(figures?.loadedMb ?? []).toFixed(0)} MB`;
  const startMs = (of: Figures | undefined): number => median(of?.startMs ?? []);
  const start = `Strapi: ${(startMs(reference) / 1000).toFixed(1)} s; `;
  return [
    `Start to the first response with a list: ${ms(startMs(startUp.galley))} (${reference ? start : ""}an empty executable: ${ms(startMs(startUp.empty))}).`,
    `Idle memory after the run: ${mb(galley)}${reference ? ` (Strapi: ${mb(reference)})` : ""}.`,
  ].join(" ");
}
