/** The options of an attribute's type, by what they are about. */
import type { Attribute } from "../../model.ts";
import { groupOf, listOptions, optionGroups } from "./attribute-options.ts";
import { isMorph } from "./attribute-problems.ts";
import type { Draft } from "./draft.ts";
import { OptionInput } from "./option-input.tsx";
import { RelationPicture, relationSentence } from "./relation-words.tsx";
import type { Schemas } from "./schemas.ts";

interface AttributeProps {
  readonly draft: Draft;
  readonly definition: Attribute;
  readonly schemas: Schemas;
}

/** The relation in words, with its picture. */
function RelationSummary({ draft, definition, schemas }: AttributeProps) {
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

interface OptionSectionsProps extends AttributeProps {
  readonly findProblem: (key: string) => string | undefined;
  readonly onChange: (key: string, value: unknown) => void;
  readonly onUnreadable: (key: string, isUnreadable: boolean) => void;
}

export function OptionSections({ findProblem, onChange, onUnreadable, ...attribute }: OptionSectionsProps) {
  const { definition, schemas } = attribute;
  const { type, relation } = definition;
  // only relations to any type have an attribute of the other side to name
  const all = listOptions(type, schemas).filter(({ key }) => key !== "morphBy" || isMorph(relation));
  const groups = optionGroups.map((title) => ({ title, options: all.filter(({ key }) => groupOf(key) === title) }));
  return groups.map(({ title, options }) =>
    options.length === 0 ? null : (
      <section key={title} class="option-group" aria-label={title}>
        <h3>{title}</h3>
        <div class="type-grid">
          {options.map((option) => (
            <OptionInput
              key={option.key}
              {...attribute}
              option={option}
              problem={findProblem(option.key)}
              onChange={(value) => onChange(option.key, value)}
              onUnreadable={(isUnreadable) => onUnreadable(option.key, isUnreadable)}
            />
          ))}
          {title === "Basics" && type === "relation" ? <RelationSummary {...attribute} /> : null}
        </div>
      </section>
    ),
  );
}
