/** An input for one option of an attribute, chosen by its schema. */
import { useId, useState } from "preact/hooks";
import { developerDetails } from "../../developer-details.ts";
import type { Attribute } from "../../model.ts";
import { Select } from "../../widgets/select.tsx";
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

const Problem = ({ id, text }: { readonly id: string; readonly text: string | undefined }) =>
  text ? (
    <p id={id} class="field-problem">
      {text}
    </p>
  ) : null;

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
  const id = useId();
  const value = props.definition[props.option.key];
  const chosen = new Set(Array.isArray(value) ? (value as string[]) : []);
  return (
    <fieldset class="field" aria-describedby={props.problem ? id : undefined}>
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
      <Problem id={id} text={props.problem} />
    </fieldset>
  );
}

/** An input for a parsed value: shows what was typed until it parses. */
function ParsedInput({
  option,
  definition,
  onChange,
  onUnreadable,
  problem: other,
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
  const [unreadable, setUnreadable] = useState("");
  const problem = unreadable || other;
  const common = {
    id,
    class: "input",
    value: text,
    "aria-invalid": Boolean(problem),
    "aria-describedby": problem ? `${id}-problem` : undefined,
    onInput: ({ currentTarget: { value } }: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) => {
      setText(value);
      try {
        onChange(value.trim() === "" ? undefined : parse(value));
        setUnreadable("");
        onUnreadable(false);
      } catch (error) {
        setUnreadable((error as Error).message);
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
      <Problem id={`${id}-problem`} text={problem} />
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
    const isOffered = value === "" || offered.some((item) => item.value === value);
    return (
      <div class="field">
        <label class="field-label" for={id}>
          {optionLabel(key)}
        </label>
        <Select
          id={id}
          value={value}
          isInvalid={Boolean(props.problem)}
          describedBy={props.problem ? `${id}-problem` : undefined}
          options={[
            ["", "None"],
            ...offered.map((item) => [item.value, item.label] as const),
            ...(isOffered ? [] : [[value, value] as const]),
          ]}
          onChoose={(chosen) => onChange(chosen === "" ? undefined : chosen)}
        />
        <Problem id={`${id}-problem`} text={props.problem} />
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
