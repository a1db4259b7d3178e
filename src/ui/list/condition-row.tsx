/** One condition of a filter: the path of a field, a comparison, and what it is compared with. */
import { localDateTime } from "../local-date-time.ts";
import { type Attribute, type ContentType, formatLabel } from "../model.ts";
import { shortTime } from "../time-of-day.ts";
import { IconButton } from "../widgets/button.tsx";
import { DateInput } from "../widgets/date-input.tsx";
import type { DateKind } from "../widgets/date-text.ts";
import { Select } from "../widgets/select.tsx";
import {
  attributeAt,
  type Condition,
  isOperator,
  listOperators,
  nestedAttributes,
  operatorLabel,
  operators,
} from "./conditions.ts";

/** Types that the server does not filter by. */
const UNFILTERED = new Set(["dynamiczone", "password", "json", "blocks"]);
/** Relations can be circular. */
const MAX_DEPTH = 4;

/** What links to documents of any type: it has no fields of its own to compare. */
export const isPolymorphic = ({ type, target }: Attribute): boolean => type === "relation" && target === undefined;

const isFilterable = ([, attribute]: [string, Attribute]): boolean =>
  !UNFILTERED.has(attribute.type) && !isPolymorphic(attribute);

interface PathProps {
  readonly attributes: Readonly<Record<string, Attribute>>;
  readonly path: readonly string[];
  readonly label: string;
  readonly depth: number;
  readonly onChange: (path: readonly string[]) => void;
}

/** One select for each step of the path. */
function PathSelect({ attributes, path: [name = "", ...rest], label, depth, onChange }: PathProps) {
  const nested = depth < MAX_DEPTH ? nestedAttributes(attributes[name]) : undefined;
  return (
    <>
      <Select
        label={label}
        value={name}
        options={[
          ...(depth > 0 ? [["", "itself"] as const] : []),
          ...Object.entries(attributes)
            .filter(isFilterable)
            .map(([key]) => [key, formatLabel(key)] as const),
        ]}
        onChoose={(key) => onChange(key === "" ? [] : [key])}
      />
      {nested ? (
        <PathSelect
          attributes={nested}
          path={rest}
          label={`Field of ${formatLabel(name)}`}
          depth={depth + 1}
          onChange={(inner) => onChange([name, ...inner])}
        />
      ) : null}
    </>
  );
}

const dateKinds: Readonly<Record<string, DateKind>> = {
  date: "date",
  time: "time",
  datetime: "datetime",
  timestamp: "datetime",
};

const NUMBER = "\\s*[\\-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][\\-+]?\\d+)?\\s*";
const WHOLE_NUMBER = "\\s*[\\-+]?\\d+\\s*";
/** What can be compared with attributes of a type, for the browser to check. */
const patterns: Readonly<Record<string, { readonly pattern: string; readonly title: string }>> = {
  integer: { pattern: NUMBER, title: "A number" },
  float: { pattern: NUMBER, title: "A number" },
  decimal: { pattern: NUMBER, title: "A number" },
  biginteger: { pattern: WHOLE_NUMBER, title: "A whole number" },
};

/** Texts are also compared with the empty one. */
const isRequired = (type: string | undefined): boolean =>
  type !== undefined && (type in patterns || type in dateKinds || type === "boolean" || type === "enumeration");

interface ValueProps {
  readonly attribute: Attribute | undefined;
  readonly value: string;
  readonly label: string;
  readonly onChange: (value: string) => void;
}

function ValueInput({ attribute, value, label, onChange }: ValueProps) {
  const type = attribute?.type;
  const options = type === "boolean" ? ["true", "false"] : (attribute?.enum as readonly string[] | undefined);
  if (options)
    return (
      <Select
        label={label}
        isRequired
        value={value}
        placeholder="Choose…"
        options={options.map((choice) => [choice, choice])}
        onChoose={onChange}
      />
    );
  const kind = dateKinds[type ?? ""];
  if (kind)
    return (
      <DateInput
        kind={kind}
        label={label}
        isRequired
        value={{ date: value, time: shortTime(value), datetime: localDateTime(value) }[kind]}
        onChange={(text) => onChange(kind === "datetime" && text !== "" ? new Date(text).toISOString() : text)}
      />
    );
  return (
    <input
      class="input"
      type="text"
      aria-label={label}
      {...patterns[type ?? ""]}
      required={isRequired(type)}
      value={value}
      onInput={({ currentTarget }) => onChange(currentTarget.value)}
    />
  );
}

interface RowProps {
  readonly type: ContentType;
  readonly condition: Condition;
  readonly onChange: (condition: Condition) => void;
  readonly onRemove: () => void;
}

export function ConditionRow({ type, condition, onChange, onRemove }: RowProps) {
  const { path, operator, values } = condition;
  const attribute = attributeAt(type, path);
  const operatorNames = attribute ? listOperators(attribute) : [];
  const changePath = (next: readonly string[]): void => {
    const names = listOperators(attributeAt(type, next) ?? { type: "string" });
    onChange({ path: next, operator: names.includes(operator) ? operator : names[0]!, values: [] });
  };
  const change = (index: number, value: string): void =>
    onChange({ ...condition, values: Object.assign([...values], { [index]: value }) });
  const valueCount = operators[operator].values;
  return (
    <li class="condition">
      <PathSelect attributes={type.attributes} path={path} label="Field" depth={0} onChange={changePath} />
      <Select
        label="Comparison"
        value={operator}
        options={[...new Set([...operatorNames, operator])].map((name) => [name, operatorLabel(name, attribute?.type)])}
        onChoose={(name) => {
          if (isOperator(name)) onChange({ ...condition, operator: name });
        }}
      />
      {valueCount === "one" ? (
        <ValueInput
          attribute={attribute}
          value={values[0] ?? ""}
          label="Value"
          onChange={(value) => change(0, value)}
        />
      ) : null}
      {valueCount === "two" ? (
        <>
          <ValueInput
            attribute={attribute}
            value={values[0] ?? ""}
            label="From"
            onChange={(value) => change(0, value)}
          />
          <ValueInput attribute={attribute} value={values[1] ?? ""} label="To" onChange={(value) => change(1, value)} />
        </>
      ) : null}
      {valueCount === "many" ? (
        <textarea
          class="input"
          aria-label="Values, one on each line"
          placeholder={attribute?.type === "date" ? "yyyy-mm-dd, one on each line" : "One on each line"}
          rows={3}
          required
          value={values.join("\n")}
          onInput={({ currentTarget }) => onChange({ ...condition, values: currentTarget.value.split("\n") })}
        />
      ) : null}
      <IconButton icon="close" label="Remove this condition" onClick={onRemove} />
    </li>
  );
}
