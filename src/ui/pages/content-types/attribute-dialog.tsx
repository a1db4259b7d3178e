/** One attribute: its name, its type, and every option of the type. */
import { useId, useMemo, useRef, useState } from "preact/hooks";
import type { Attribute } from "../../model.ts";
import { Button } from "../../widgets/button.tsx";
import { Check } from "../../widgets/check.tsx";
import { Dialog } from "../../widgets/dialog.tsx";
import { useGuardedClose } from "../../widgets/guarded-close.ts";
import { attributeKinds, groupOf, listOptions, optionGroups, withType } from "./attribute-options.ts";
import { isMorph, missingOptions, nameProblem, wrongOptions } from "./attribute-problems.ts";
import {
  type Draft,
  type DraftAttribute,
  isLocalized,
  newAttribute,
  withLocalized,
  withLocalizedAttribute,
} from "./draft.ts";
import { OptionInput } from "./option-input.tsx";
import { RelationPicture, relationSentence } from "./relation-words.tsx";
import type { PluginOptions, Schemas } from "./schemas.ts";
import { TypeGrid } from "./type-grid.tsx";
import { TypeIcon } from "./type-icon.tsx";
import { VisibilityInput } from "./visibility-input.tsx";

export interface AttributeDialogProps {
  readonly draft: Draft;
  /** Undefined for a new one. */
  readonly attribute: DraftAttribute | undefined;
  readonly schemas: Schemas;
  /** `isLast`: no other one follows in the same dialog. */
  readonly onDone: (attribute: DraftAttribute, isLast: boolean) => void;
  readonly onClose: () => void;
}

const withOption = (definition: Attribute, key: string, value: unknown): Attribute => {
  const { [key]: _, ...rest } = definition;
  return (value === undefined ? rest : { ...rest, [key]: value }) as Attribute;
};

/** The relation in words, with its picture. */
function RelationSummary({
  draft,
  definition,
  schemas,
}: Pick<AttributeDialogProps, "draft" | "schemas"> & { readonly definition: Attribute }) {
  const { relation, target, targetAttribute } = definition;
  const other = schemas.types.find(({ uid }) => uid === target)?.schema.displayName;
  const sentence = relationSentence({
    relation: String(relation),
    source: draft.displayName || "document",
    target: other ?? "document",
    isTwoWay: Boolean(targetAttribute),
  });
  if (!sentence) return null;
  return (
    <p class="row relation-words" role="status">
      <RelationPicture relation={String(relation)} />
      <span>{sentence}.</span>
    </p>
  );
}

export function AttributeDialog({ draft, attribute, schemas, onDone, onClose }: AttributeDialogProps) {
  const id = useId();
  const [name, setName] = useState(attribute?.name ?? "");
  const isOfLocalizedType = draft.what === "type" && isLocalized(draft);
  const blank: Attribute = isOfLocalizedType ? withLocalizedAttribute({ type: "string" }) : { type: "string" };
  const [definition, setDefinition] = useState<Attribute>(attribute?.definition ?? blank);
  const [isChecked, setChecked] = useState(false);
  const [unreadable, setUnreadable] = useState<ReadonlySet<string>>(new Set());
  /** Counts those that were added, so that the inputs of the next one are new. */
  const [count, setCount] = useState(0);
  const nameInput = useRef<HTMLInputElement>(null);
  const guard = useGuardedClose(onClose);
  const problem = nameProblem(name, draft, attribute, schemas.reserved);
  // an empty name is told when it is to be added
  const shownProblem = isChecked || name !== "" ? problem : undefined;
  const { type } = definition;
  const pluginOptions = (definition.pluginOptions ?? {}) as PluginOptions;
  const wrong = wrongOptions(definition);
  const missing = missingOptions(definition);
  const done = (isLast: boolean): void => {
    setChecked(true);
    const problems = [problem, ...Object.values(wrong), ...Object.values(missing)];
    if (problems.some((text) => text !== undefined) || unreadable.size > 0) return;
    onDone(attribute ? { ...attribute, name, definition } : newAttribute(name, definition), isLast);
    if (isLast) return;
    setName("");
    setDefinition(blank);
    setChecked(false);
    setCount(count + 1);
    nameInput.current?.focus();
  };
  const mark = (key: string, isUnreadable: boolean): void =>
    setUnreadable((before) => (before.has(key) === isUnreadable ? before : before.symmetricDifference(new Set([key]))));
  // a key in the name renders none of them
  const options = useMemo(() => {
    // only relations to any type have an attribute of the other side to name
    const all = listOptions(type, schemas).filter(({ key }) => key !== "morphBy" || isMorph(definition.relation));
    return optionGroups.map((group) => {
      const own = all.filter(({ key }) => groupOf(key) === group);
      return own.length === 0 ? null : (
        <section key={group} class="option-group" aria-label={group}>
          <h3>{group}</h3>
          <div class="type-grid">
            {own.map((option) => (
              <OptionInput
                key={`${count}-${type}-${option.key}`}
                option={option}
                definition={definition}
                draft={draft}
                schemas={schemas}
                problem={wrong[option.key] ?? (isChecked ? missing[option.key] : undefined)}
                onChange={(value) => setDefinition((before) => withOption(before, option.key, value))}
                onUnreadable={(isUnreadable) => mark(option.key, isUnreadable)}
              />
            ))}
            {group === "Basics" && type === "relation" ? <RelationSummary {...{ draft, definition, schemas }} /> : null}
          </div>
        </section>
      );
    });
  }, [definition, draft, schemas, isChecked, count]);
  const grid = (
    <TypeGrid
      value={type}
      onChange={(next) => {
        setDefinition(withType(definition, next, schemas));
        setUnreadable(new Set());
      }}
    />
  );
  return (
    <Dialog
      title={attribute ? `Attribute ${attribute.name}` : "New attribute"}
      shape="wide"
      onClose={guard.close}
      actions={
        <>
          <Button kind="ghost" text="Cancel" onClick={onClose} />
          {attribute ? null : <Button text="Add and another" onClick={() => done(false)} />}
          <Button kind="primary" text={attribute ? "Done" : "Add"} onClick={() => done(true)} />
        </>
      }
    >
      <div class="stack attribute-form" onInput={guard.onInput}>
        <div class="field">
          <label class="field-label" for={`${id}-name`}>
            Name
          </label>
          <input
            id={`${id}-name`}
            ref={nameInput}
            class="input"
            autofocus
            value={name}
            spellcheck={false}
            autocomplete="off"
            aria-invalid={shownProblem !== undefined}
            aria-describedby={`${id}-name-note`}
            onInput={({ currentTarget }) => setName(currentTarget.value.trim())}
            onKeyDown={({ key }) => {
              if (key === "Enter") done(true);
            }}
          />
          <p id={`${id}-name-note`} class={shownProblem ? "field-problem" : "hint"}>
            {shownProblem ??
              (attribute?.original && attribute.original !== name
                ? `Was ${attribute.original}. Its values are kept.`
                : "The key in the API.")}
          </p>
        </div>
        {attribute ? (
          <details class="kind-change">
            <summary class="row">
              <TypeIcon type={type} />
              <strong>{attributeKinds[type]?.label ?? type}</strong>
              <span class="hint">{attributeKinds[type]?.hint}</span>
              <span class="button-link">Change the type</span>
            </summary>
            {grid}
          </details>
        ) : (
          grid
        )}
        {options}
        <div class="type-grid">
          <VisibilityInput
            draft={draft}
            attribute={attribute}
            definition={definition}
            onChange={(conditions) => setDefinition((before) => withOption(before, "conditions", conditions))}
          />
          {isOfLocalizedType ? (
            <Check
              class="type-check"
              label="Different in each locale"
              isOn={isLocalized({ pluginOptions })}
              onChange={(isOn) =>
                setDefinition(withOption(definition, "pluginOptions", withLocalized(pluginOptions, isOn)))
              }
            />
          ) : null}
        </div>
      </div>
    </Dialog>
  );
}
