/** The state of a bulk edit: what is chosen, its preview, its progress and its outcome. */
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import { clearProblems } from "../../edit/form/problems.ts";
import type { Group } from "../../edit/form/tree.ts";
import type { Attribute, ContentType } from "../../model.ts";
import {
  type Edit,
  type Outcome,
  type Preview,
  type SendOptions,
  sendEdit,
  sendPreview,
} from "./bulk-edit-requests.ts";
import {
  changeableAttributes,
  choicesFor,
  type EditChoiceName,
  editChoices,
  emptyValue,
  isEmptyValue,
} from "./edit-choices.ts";
import { createValueForm, readValueForm } from "./value-form.ts";

interface BulkEditState {
  readonly name: string;
  /** Undefined until one is chosen. */
  readonly attribute: Attribute | undefined;
  readonly choice: EditChoiceName;
  /** The field of the new value. */
  readonly form: Group | undefined;
  readonly preview: Preview | undefined;
  readonly outcome: { readonly edit: Edit; readonly outcome: Outcome } | undefined;
  readonly progress: string | undefined;
  readonly problem: string | undefined;
  readonly chooseAttribute: (name: string) => void;
  readonly choose: (choice: EditChoiceName) => void;
  /** Requests the preview, and after it the change. */
  readonly submit: () => Promise<void>;
  /** Ends a change after the request that was sent. Returns whether one is running. */
  readonly stop: () => boolean;
}

const NO_VALUE = `There is no value yet. To remove the value of the documents, choose “${editChoices.empty.label}”.`;

export function useBulkEdit(
  type: ContentType,
  locale: string | undefined,
  documentIds: readonly string[],
  onChanged: () => void,
): BulkEditState {
  const [name, setName] = useState("");
  const [choice, setChoice] = useState<EditChoiceName>("set");
  const [preview, setPreview] = useState<Preview & { readonly edit: Edit }>();
  const [outcome, setOutcome] = useState<BulkEditState["outcome"]>();
  const [progress, setProgress] = useState<string>();
  const [problem, setProblem] = useState<string>();
  const running = useRef<AbortController>(undefined);
  /** Incremented with each change of the form, so that a preview of an earlier value is not used. */
  const generation = useRef(0);
  useEffect(() => () => running.current?.abort(), []);
  const attributes = changeableAttributes(type);
  const attribute = attributes.find(([own]) => own === name)?.[1];
  const changed = (): void => {
    generation.current++;
    setPreview(undefined);
    setProblem(undefined);
  };
  const form = useMemo(() => attribute && createValueForm(name, attribute, changed), [name]);

  /** Undefined without a valid value. */
  const readEdit = async (): Promise<Edit | undefined> => {
    if (!attribute || !form) return undefined;
    const { change, needsValue } = editChoices[choice];
    const target = { uid: type.uid, locale, attribute: name, change };
    if (!needsValue) return { ...target, value: emptyValue(attribute) };
    clearProblems(form);
    const read = await readValueForm(form);
    if (!read) return undefined;
    if (!isEmptyValue(read.value)) return { ...target, value: read.value };
    setProblem(NO_VALUE);
    return undefined;
  };

  const run = async <T>(verb: string, count: number, work: (options: SendOptions) => Promise<T>) => {
    const controller = new AbortController();
    running.current = controller;
    const onProgress = (handled: number): void =>
      setProgress(`${handled.toLocaleString()} of ${count.toLocaleString()} ${verb}…`);
    setProblem(undefined);
    try {
      return await work({ signal: controller.signal, onProgress });
    } catch (error) {
      if ((error as Error).name !== "AbortError") setProblem(errorMessage(error));
      return undefined;
    } finally {
      running.current = undefined;
      setProgress(undefined);
    }
  };

  const change = async ({ edit, ...previewed }: Preview & { readonly edit: Edit }): Promise<void> => {
    const { changes } = previewed;
    const done = await run("changed", changes.length, (options) => sendEdit(edit, previewed, options));
    if (done) setOutcome({ edit, outcome: done });
    onChanged();
  };

  const check = async (): Promise<void> => {
    const edit = await readEdit();
    if (!edit) return;
    const { current } = generation;
    const checked = await run("checked", documentIds.length, (options) => sendPreview(edit, documentIds, options));
    if (checked && generation.current === current) setPreview({ ...checked, edit });
  };

  return {
    name,
    attribute,
    choice,
    form,
    preview,
    outcome,
    progress,
    problem,
    chooseAttribute: (chosen) => {
      const found = attributes.find(([own]) => own === chosen)?.[1];
      setName(chosen);
      setChoice((found && choicesFor(found)[0]) ?? "set");
      changed();
    },
    choose: (chosen) => {
      setChoice(chosen);
      changed();
    },
    submit: () => (preview ? change(preview) : check()),
    stop: () => {
      const isRunning = running.current !== undefined && preview !== undefined;
      if (isRunning) running.current?.abort();
      return isRunning;
    },
  };
}
