/** How the form of a content-type or a component shows its fields: labels, hints, widths, order, and which names a document. */
import { useEffect, useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { editableAttributes } from "../edit/form/values.ts";
import {
  type Attribute,
  type ComponentType,
  type ContentType,
  findComponent,
  findType,
  formatLabel,
  loadStart,
} from "../model.ts";
import type { PageProps } from "../page.ts";
import { hrefTo } from "../router.ts";
import { NotFound } from "../shell/not-found.tsx";
import { Alert } from "../widgets/alert.tsx";
import { Announcer } from "../widgets/announce.tsx";
import { Button } from "../widgets/button.tsx";
import { Check } from "../widgets/check.tsx";
import { DragHandle } from "../widgets/drag-handle.tsx";
import { SelectField } from "../widgets/select.tsx";
import { SkeletonLines } from "../widgets/skeleton.tsx";
import { moved, type Sortable, useSortable } from "../widgets/sortable.ts";
import { TextField } from "../widgets/text-field.tsx";
import { useWork } from "../widgets/use-work.ts";
import { type Configuration, changeField, type FieldView, readView, type ViewForm, writeView } from "./view-form.ts";

type Viewed = ContentType | ComponentType;

interface Answer {
  readonly data: { readonly contentType?: Configuration; readonly component?: Configuration };
}

const WIDTHS = [
  [4, "A third"],
  [6, "A half"],
  [8, "Two thirds"],
  [12, "Full width"],
] as const;

/** Types whose fields always have the full width. */
const WIDE_TYPES: ReadonlySet<string> = new Set(["blocks", "component", "dynamiczone", "json", "richtext"]);
const NAMING_TYPES: ReadonlySet<string> = new Set(
  "string text uid email enumeration integer biginteger decimal float date datetime".split(" "),
);

interface RowProps {
  readonly field: FieldView;
  readonly attribute: Attribute;
  readonly place: Sortable;
  readonly onChange: (change: Partial<FieldView>) => void;
}

function FieldRow({ field, attribute, place, onChange }: RowProps) {
  const sortable = useSortable(place);
  const title = formatLabel(field.name);
  const required = attribute.required === true;
  return (
    <li class="view-row" ref={sortable.item}>
      <DragHandle sortable={sortable} name={title} />
      <strong class="view-name">{title}</strong>
      <TextField
        label="Label"
        aria-label={`Label of ${title}`}
        placeholder={title}
        value={field.label}
        maxLength={255}
        onChange={(label) => onChange({ label })}
      />
      <TextField
        label="Hint"
        aria-label={`Hint of ${title}`}
        value={field.hint}
        maxLength={500}
        onChange={(hint) => onChange({ hint })}
      />
      <SelectField
        label="Width"
        fullLabel={`Width of ${title}`}
        isDisabled={WIDE_TYPES.has(attribute.type)}
        value={String(field.size)}
        options={WIDTHS.map(([size, text]) => [String(size), text])}
        placeholder={`${field.size} of 12`}
        onChoose={(size) => onChange({ size: Number(size) })}
      />
      <Check
        label="Shown"
        isOn={field.isShown || required}
        isDisabled={required}
        onChange={(isShown) => onChange({ isShown })}
      />
    </li>
  );
}

function ViewEditor({
  viewed,
  path,
  configuration,
}: {
  readonly viewed: Viewed;
  readonly path: string;
  readonly configuration: Configuration;
}) {
  const attributes = Object.fromEntries(editableAttributes(viewed.attributes));
  const read = (): ViewForm => readView(configuration, Object.keys(attributes), viewed.view?.cells !== undefined);
  const [form, setForm] = useState(read);
  const [isBusy, run] = useWork();
  // it is read again with each change of content, which must not undo what is being entered
  useEffect(() => setForm(read()), [JSON.stringify(configuration)]);
  const naming = Object.entries(viewed.attributes).filter(([, { type }]) => NAMING_TYPES.has(type));
  const move = (from: number, to: number): void => setForm({ ...form, fields: moved(form.fields, from, to) });
  const save = (event: Event): Promise<unknown> => {
    event.preventDefault();
    const fields = form.fields.map((field) => ({
      ...field,
      isShown: field.isShown || attributes[field.name]?.required === true,
    }));
    const put = async (): Promise<void> => {
      await api.put(path, writeView(configuration, { ...form, fields }, read()));
      await loadStart();
    };
    return run(put, "Saved");
  };
  return (
    <form onSubmit={save} class="view-form">
      <SelectField
        class="input input-inline"
        label="Named by"
        value={form.mainField}
        options={[...naming.map(([name]) => [name, formatLabel(name)] as const), ["id", "Its number"]]}
        onChoose={(mainField) => setForm({ ...form, mainField })}
      />
      <ol class="view-rows">
        {form.fields.map((field, index) => (
          <FieldRow
            key={field.name}
            field={field}
            attribute={attributes[field.name] ?? { type: "string" }}
            place={{ listId: "view", index, count: form.fields.length, isDisabled: false, move }}
            onChange={(change) => setForm(changeField(form, field.name, change))}
          />
        ))}
      </ol>
      <Button kind="primary" text="Save" type="submit" disabled={isBusy} />
      <Announcer />
    </form>
  );
}

/** The components in a type, whose entries have views of their own. */
const componentsIn = ({ attributes }: Viewed): readonly ComponentType[] =>
  [
    ...new Set(
      Object.values(attributes).flatMap(({ component, components }) => [component ?? [], components ?? []].flat()),
    ),
  ]
    .map((uid) => findComponent(String(uid)))
    .filter((component) => component !== undefined);

export function ViewPage({ segments: [uid = ""] }: PageProps) {
  const type = findType(uid);
  const viewed: Viewed | undefined = type ?? findComponent(uid);
  const path = `/content-manager/${type ? "content-types" : "components"}/${uid}/configuration`;
  const { data, problem, reload } = useAnswer<Answer>(viewed ? path : undefined);
  if (!viewed) return <NotFound what={`There is no content-type ${uid}.`} />;
  const configuration = data?.data.contentType ?? data?.data.component;
  const components = componentsIn(viewed);
  return (
    <div class="page" aria-busy={!configuration && !problem}>
      <header class="page-head">
        <h1>Form of {viewed.info.displayName}</h1>
      </header>
      <Alert class="page-problem" text={problem} retry={reload} />
      {components.length > 0 ? (
        <p class="hint">
          Components have forms of their own:{" "}
          {components.map((item, index) => (
            <span key={item.uid}>
              {index > 0 ? ", " : ""}
              <a href={hrefTo("views", [item.uid])}>{item.info.displayName}</a>
            </span>
          ))}
        </p>
      ) : null}
      {configuration || problem ? null : <SkeletonLines />}
      {configuration ? <ViewEditor key={uid} viewed={viewed} path={path} configuration={configuration} /> : null}
    </div>
  );
}
