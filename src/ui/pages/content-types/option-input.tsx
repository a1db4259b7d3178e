/** An input for one option of an attribute, chosen by its schema. */
import { useId, useState } from "preact/hooks";
import { developerDetails } from "../../developer-details.ts";
import type { Attribute } from "../../model.ts";
import { Check } from "../../widgets/check.tsx";
import { SelectField } from "../../widgets/select.tsx";
import { TextField } from "../../widgets/text-field.tsx";
import { type Option, optionLabel, relationWords } from "./attribute-options.ts";
import type { Draft } from "./draft.ts";
import type { OptionSchema, Schemas } from "./schemas.ts";

export interface OptionInputProps {
  readonly option: Option;
  readonly definition: Attribute;
  readonly draft: Draft;
  readonly schemas: Schemas;
  /** Undefined takes the option away. */
  readonly onChange: (value: unknown) => void;
  /** Called with true while the input has a text that is no value of the option. */
  readonly onUnreadable: (isUnreadable: boolean) => void;
  /** What is wrong with its value beside the others. */
  readonly problem?: string | undefined;
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

const listChoices = (schema: OptionSchema | undefined): string[] | undefined => {
  const values = schema?.anyOf?.map((choice) => choice.const);
  return values?.every((value): value is string => typeof value === "string") ? values : undefined;
};

interface Named {
  readonly uid: string;
  readonly schema: { readonly displayName: string };
}

/** With the uid where a name alone does not say which one it is. */
function namedChoices(items: readonly Named[]): Choice[] {
  const names = Map.groupBy(items, ({ schema }) => schema.displayName);
  return items.map(({ uid, schema: { displayName } }) => {
    const isAlone = names.get(displayName)!.length === 1 && !developerDetails.value;
    return { value: uid, label: isAlone ? displayName : `${displayName} (${uid})` };
  });
}

const textChoices = ({ attributes }: Draft): Choice[] =>
  attributes
    .filter(({ definition: { type } }) => type === "string" || type === "text")
    .map(({ name }) => ({ value: name, label: name }));

const choiceSources: Readonly<Record<string, (props: OptionInputProps) => readonly Choice[]>> = {
  target: ({ schemas }) => namedChoices(schemas.types),
  component: ({ schemas }) => namedChoices(schemas.components),
  components: ({ schemas }) => namedChoices(schemas.components),
  targetField: ({ draft }) => textChoices(draft),
};

/** The options of a select; undefined for other inputs. */
function choices(props: OptionInputProps): readonly Choice[] | undefined {
  const { key, schema } = props.option;
  const sourced = choiceSources[key]?.(props);
  if (sourced) return sourced;
  const label = key === "relation" ? relationWords : String;
  return (listChoices(schema) ?? listChoices(schema.items))?.map((value) => ({ value, label: label(value) }));
}

function Checkbox({ option, definition, onChange }: OptionInputProps) {
  // true unless the schema file sets them
  const isOnByDefault = option.key === "writable" || option.key === "searchable";
  const isOn = (definition[option.key] ?? isOnByDefault) === true;
  return (
    <Check
      class="type-check"
      label={optionLabel(option.key)}
      isOn={isOn}
      onChange={(next) => onChange(next === isOnByDefault ? undefined : next)}
    />
  );
}

interface ChoicesProps extends OptionInputProps {
  readonly items: readonly Choice[];
}

function MultiChoice({ items, option, definition, problem, onChange }: ChoicesProps) {
  const id = useId();
  const own = definition[option.key];
  const chosen = new Set(Array.isArray(own) ? (own as string[]) : []);
  return (
    <fieldset class="field" aria-describedby={problem ? id : undefined}>
      <legend class="field-label">{optionLabel(option.key)}</legend>
      {items.map(({ value, label }) => (
        <Check
          key={value}
          class="type-check"
          label={label}
          isOn={chosen.has(value)}
          onChange={() => {
            const next = chosen.symmetricDifference(new Set([value]));
            onChange(items.map((item) => item.value).filter((item) => next.has(item)));
          }}
        />
      ))}
      {problem ? (
        <p id={id} class="field-problem">
          {problem}
        </p>
      ) : null}
    </fieldset>
  );
}

interface ParsedInputProps extends OptionInputProps {
  readonly parse: (text: string) => unknown;
  readonly print: (value: unknown) => string;
  readonly rows?: number;
}

/** An input for a parsed value: shows what was typed until it parses. */
function ParsedInput(props: ParsedInputProps) {
  const { option, definition, onChange, onUnreadable, problem, parse, print, rows } = props;
  const [text, setText] = useState(print(definition[option.key]));
  const [unreadable, setUnreadable] = useState("");
  const change = (next: string): void => {
    setText(next);
    try {
      onChange(next.trim() === "" ? undefined : parse(next));
      setUnreadable("");
      onUnreadable(false);
    } catch (error) {
      setUnreadable((error as Error).message);
      onUnreadable(true);
    }
  };
  return (
    <TextField
      label={optionLabel(option.key)}
      problem={unreadable || problem}
      value={text}
      {...(rows ? { rows } : {})}
      spellcheck={false}
      onChange={change}
    />
  );
}

function parseNumber(text: string): number {
  const value = Number(text);
  if (!Number.isFinite(value)) throw new Error("This is not a number");
  return value;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error("This is not JSON");
  }
}

const splitLines = (text: string): string[] =>
  text
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

const printPlain = (value: unknown): string => (value === undefined || value === null ? "" : String(value));
const printJson = (value: unknown): string => (value === undefined ? "" : JSON.stringify(value));

function SingleChoice({ items, option: { key }, definition, problem, onChange }: ChoicesProps) {
  const value = printPlain(definition[key]);
  const isOffered = value === "" || items.some((item) => item.value === value);
  return (
    <SelectField
      label={optionLabel(key)}
      value={value}
      problem={problem}
      options={[
        ["", "None"],
        ...items.map((item) => [item.value, item.label] as const),
        ...(isOffered ? [] : [[value, value] as const]),
      ]}
      onChoose={(chosen) => onChange(chosen === "" ? undefined : chosen)}
    />
  );
}

export function OptionInput(props: OptionInputProps) {
  const { definition, option } = props;
  const { key, schema } = option;
  const items = choices(props);
  if (items && (schema.type === "array" || schema.items)) return <MultiChoice {...props} items={items} />;
  if (items) return <SingleChoice {...props} items={items} />;
  if (key === "default" && Array.isArray(definition.enum))
    return <SingleChoice {...props} items={definition.enum.map((value) => ({ value, label: value }))} />;
  if (schema.type === "boolean" && key !== "default") return <Checkbox {...props} />;
  if (schema.type === "boolean") return <ParsedInput {...props} parse={parseJson} print={printJson} />;
  if (schema.type === "integer" || schema.type === "number") {
    // larger numbers are strings in files, too
    const isBig = definition.type === "biginteger";
    return <ParsedInput {...props} parse={isBig ? (text) => text.trim() : parseNumber} print={printPlain} />;
  }
  if (schema.type === "array") {
    const print = (value: unknown): string => (Array.isArray(value) ? value.join("\n") : "");
    return <ParsedInput {...props} parse={splitLines} print={print} rows={6} />;
  }
  if (schema.type === "string") return <ParsedInput {...props} parse={(text) => text} print={printPlain} />;
  return <ParsedInput {...props} parse={parseJson} print={printJson} rows={3} />;
}
