/** `shadowCRUD(uid)` of GraphQL's extension service: which parts of the generated schema the code disables. */

type Part = "output" | "input" | "filters";

export interface ShadowRules {
  disabled?: boolean;
  queriesDisabled?: boolean;
  mutationsDisabled?: boolean;
  disabledActions?: string[];
  disabledParts?: Record<string, Part[]>;
}

const ALL_PARTS: readonly Part[] = ["output", "input", "filters"];

function fieldRules(parts: Part[], disabled: Set<string>, name: string) {
  const add = (...own: readonly Part[]) => {
    parts.push(...own);
    return field;
  };
  const has = (part: Part): boolean => !parts.includes(part);
  const field = {
    isEnabled: () => !disabled.has(name),
    isDisabled: () => disabled.has(name),
    hasInputEnabled: () => has("input"),
    hasOutputEnabled: () => has("output"),
    hasFiltersEnabled: () => has("filters"),
    // Strapi's own spelling
    hasFiltersEnabeld: () => has("filters"),
    disable: () => {
      disabled.add(name);
      return add(...ALL_PARTS);
    },
    disableOutput: () => add("output"),
    disableInput: () => add("input"),
    disableFilters: () => add("filters"),
  };
  return field;
}

/** Changes `rules`. */
export function shadowCrud(rules: ShadowRules, disabledFields: Set<string>) {
  const isActionEnabled = (action: string): boolean =>
    !(rules.disabledActions ?? []).some((name) => name === action || name === "*");
  const actions = {
    isEnabled: () => rules.disabled !== true,
    isDisabled: () => rules.disabled === true,
    areQueriesEnabled: () => rules.queriesDisabled !== true,
    areQueriesDisabled: () => rules.queriesDisabled === true,
    areMutationsEnabled: () => rules.mutationsDisabled !== true,
    areMutationsDisabled: () => rules.mutationsDisabled === true,
    isActionEnabled,
    isActionDisabled: (action: string) => !isActionEnabled(action),
    disable: () => {
      rules.disabled = true;
      return actions;
    },
    disableQueries: () => {
      rules.queriesDisabled = true;
      return actions;
    },
    disableMutations: () => {
      rules.mutationsDisabled = true;
      return actions;
    },
    disableAction: (action: string) => {
      rules.disabledActions = [...(rules.disabledActions ?? []), action];
      return actions;
    },
    disableActions: (names: readonly string[] = []) => {
      for (const name of names) actions.disableAction(name);
      return actions;
    },
    field: (name: string) => {
      const parts = rules.disabledParts?.[name] ?? [];
      rules.disabledParts = { ...rules.disabledParts, [name]: parts };
      return fieldRules(parts, disabledFields, name);
    },
  };
  return actions;
}
