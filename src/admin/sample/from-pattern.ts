/** Generates strings that match a regular expression of a schema. */
import type { AST } from "@eslint-community/regexpp";
import { matchesSchema } from "../../engine/attributes/text-rules.ts";
import type { Random } from "./random.ts";

/** Maximum repetitions for unbounded quantifiers. */
const MAX_REPEATS = 8;
/** Parts of a string, empty ones included. A pattern that needs more yields a string that does not match. */
const MAX_PARTS = 1_000;
const ATTEMPTS = 20;

const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));
const LIKELY = [..."abcdefghijklmnopqrstuvwxyz0123456789"];

/** Assertions such as lookaheads are ignored; the caller tests the result against the pattern. */
function stringGenerator(random: Random) {
  const groups = new Map<AST.CapturingGroup, string>();
  let parts = 0;

  function generate(list: readonly AST.Alternative[]): string {
    return random
      .pick(list)
      .elements.map((element) => generateElement(element))
      .join("");
  }

  function generateElement(element: AST.Element): string {
    if (++parts > MAX_PARTS) return "";
    switch (element.type) {
      case "Character":
        return String.fromCodePoint(element.value);
      case "CharacterSet":
      case "CharacterClass":
        return pickCharacter(element);
      case "Quantifier":
        return repeated(element);
      case "Group":
        return generate(element.alternatives);
      case "CapturingGroup": {
        const text = generate(element.alternatives);
        groups.set(element, text);
        return text;
      }
      case "Backreference":
        return groups.get([element.resolved].flat()[0] as AST.CapturingGroup) ?? "";
      default:
        return "";
    }
  }

  function pickCharacter({ raw }: AST.Element): string {
    const isIn = new RegExp(`^${raw}$`);
    const likely = LIKELY.filter((character) => isIn.test(character));
    const fitting = likely.length > 0 ? likely : PRINTABLE.filter((character) => isIn.test(character));
    return fitting.length > 0 ? random.pick(fitting) : "";
  }

  function repeated({ min, max, element }: AST.Quantifier): string {
    const count = random.between(min, Math.max(min, Math.min(max, min + MAX_REPEATS)));
    let text = "";
    for (let made = 0; made < count && parts <= MAX_PARTS; made++) text += generateElement(element);
    return text;
  }
  return generate;
}

/** Undefined if no matching string was found. */
export function stringMatching(random: Random, source: string): string | undefined {
  const { RegExpParser } = require("@eslint-community/regexpp") as typeof import("@eslint-community/regexpp");
  const pattern = new RegExpParser().parsePattern(source);
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const text = stringGenerator(random)(pattern.alternatives);
    if (matchesSchema(source, text, "") === undefined) return text;
  }
  return undefined;
}
