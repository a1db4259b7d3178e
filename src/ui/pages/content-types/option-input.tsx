/** An input for one option of an attribute, chosen by its schema. */
import { useId, useState } from "preact/hooks";
import type { Attribute } from "../../model.ts";
import { type Option, optionLabel } from "./attribute-options.ts";
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
}

interface Choice {
  readonly value: string;
  readonly label: string;
}

const listChoices = (schema: OptionSchema | undefined): string[] | undefined => {
  const values = schema?.anyOf?.map((choice) => choice.const);
  return values?.every((value): value is string => typeof value === "string") ? values : undefined;
};

const typeChoices = ({ types }: Schemas): Choice[] =>
  types.map(({ uid, schema }) => ({ value: uid, label: `${schema.displayName} (${uid})` }));
const componentChoices = ({ components }: Schemas): Choice[] =>
  components.map(({ uid, schema }) => ({ value: uid, label: `${schema.displayName} (${uid})` }));
const textChoices = ({ attributes }: Draft): Choice[] =>
  attributes
    .filter(({ definition: { type } }) => type === "string" || type === "text")
    .map(({ name }) => ({ value: name, label: name }));

const choiceSources: Readonly<Record<string, (props: OptionInputProps) => readonly Choice[]>> = {
  target: ({ schemas }) => typeChoices(schemas),
  component: ({ schemas }) => componentChoices(schemas),
  components: ({ schemas }) => componentChoices(schemas),
  targetField: ({ draft }) => textChoices(draft),
};

/** The options of a select; undefined for other inputs. */
function choices(props: OptionInputProps): readonly Choice[] | undefined {
  const { key, schema } = props.option;
  const sourced = choiceSources[key]?.(props);
  if (sourced) return sourced;
  return (listChoices(schema) ?? listChoices(schema.items))?.map((value) => ({ value, label: value }));
}

function Checkbox({ option, definition, onChange }: OptionInputProps) {
  // true unless the schema file sets them
  const isOnByDefault = option.key === "writable" || option.key === "searchable";
  const isOn = (definition[option.key] ?? isOnByDefault) === true;
  return (
    <label class="type-check">
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget: { checked } }) => onChange(checked === isOnByDefault ? undefined : checked)}
      />
      {optionLabel(option.key)}
    </label>
  );
}

function MultiChoice({ items, ...props }: OptionInputProps & { readonly items: readonly Choice[] }) {
  const value = props.definition[props.option.key];
  const chosen = new Set(Array.isArray(value) ? (value as string[]) : []);
  return (
    <fieldset class="field">
      <legend class="field-label">{optionLabel(props.option.key)}</legend>
      {items.map((item) => (
        <label key={item.value} class="type-check">
          <input
            type="checkbox"
            checked={chosen.has(item.value)}
            onChange={({ currentTarget: { checked } }) =>
              props.onChange(
                items
                  .map((other) => other.value)
                  .filter((other) => (other === item.value ? checked : chosen.has(other))),
              )
            }
          />
          {item.label}
        </label>
      ))}
    </fieldset>
  );
}

/** An input for a parsed value: shows what was typed until it parses. */
function ParsedInput({
  option,
  definition,
  onChange,
  onUnreadable,
  parse,
  print,
  rows,
}: OptionInputProps & {
  readonly parse: (text: string) => unknown;
  readonly print: (value: unknown) => string;
  readonly rows?: number;
}) {
  const id = useId();
  const [text, setText] = useState(print(definition[option.key]));
  const [problem, setProblem] = useState("");
  const common = {
    id,
    class: "input",
    value: text,
    "aria-invalid": problem !== "",
    "aria-describedby": problem ? `${id}-problem` : undefined,
    onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      setText(value);
      try {
        onChange(value.trim() === "" ? undefined : parse(value));
        setProblem("");
        onUnreadable(false);
      } catch (error) {
        setProblem((error as Error).message);
        onUnreadable(true);
      }
    },
  };
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {optionLabel(option.key)}
      </label>
      {rows ? <textarea {...common} rows={rows} spellcheck={false} /> : <input {...common} spellcheck={false} />}
      {problem ? (
        <p id={`${id}-problem`} class="field-problem">
          {problem}
        </p>
      ) : null}
    </div>
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

export function OptionInput(props: OptionInputProps) {
  const { option, definition, onChange } = props;
  const { key, schema } = option;
  const id = useId();
  const items = choices(props);
  if (items && (schema.type === "array" || schema.items)) return <MultiChoice {...props} items={items} />;
  if (items || (key === "default" && Array.isArray(definition.enum))) {
    const offered = items ?? (definition.enum as string[]).map((value) => ({ value, label: value }));
    const value = printPlain(definition[key]);
    return (
      <div class="field">
        <label class="field-label" for={id}>
          {optionLabel(key)}
        </label>
        <select
          id={id}
          class="input"
          value={value}
          onChange={({ currentTarget }) => onChange(currentTarget.value === "" ? undefined : currentTarget.value)}
        >
          <option value="">None</option>
          {offered.map((item) => (
            <option key={item.value} value={item.value}>
              {item.label}
            </option>
          ))}
          {value !== "" && !offered.some((item) => item.value === value) ? (
            <option value={value}>{value}</option>
          ) : null}
        </select>
      </div>
    );
  }
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
