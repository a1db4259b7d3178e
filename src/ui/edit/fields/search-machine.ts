/**
 * The combobox's state machine, whose text is in the input alone. As a part of its state, each key would render the component,
 * and the machine would write the text of an earlier key into the input a frame later: letters typed meanwhile would be lost.
 */
import * as combobox from "@zag-js/combobox";
import { trackLastInput } from "../../widgets/last-input.ts";

type Machine = typeof combobox.machine;

const { context: contextOf, implementations } = combobox.machine;

export const machine: Machine = {
  ...combobox.machine,
  context(params) {
    const context = contextOf!(params);
    const { inputValue } = context;
    const text = params.bindable.ref(inputValue.initial ?? "");
    const set: typeof inputValue.set = (next) => {
      const value = typeof next === "function" ? next(text.get()) : next;
      if (value === text.get()) return;
      text.set(value);
      const input = params.scope.getById<HTMLInputElement>(String(params.scope.ids?.input));
      if (input && input.value !== value) input.value = value;
      params.prop("onInputValueChange")?.({ inputValue: value });
    };
    return { ...context, inputValue: { ...inputValue, get: text.get, set } };
  },
  implementations: {
    ...implementations,
    actions: { ...implementations?.actions, syncInputValue: () => {} },
    effects: { ...implementations?.effects, trackFocusVisible: trackLastInput },
  },
};
