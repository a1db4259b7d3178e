/** Fills a type with sample documents. */
import { useEffect, useRef, useState } from "preact/hooks";
import { errorMessage } from "../api/client.ts";
import { type ContentType, formatLabel, hasDrafts } from "../model.ts";
import { makeSamples, newSeed, type Samples } from "../sample-requests.ts";
import { Check } from "../widgets/check.tsx";
import { FormDialog } from "../widgets/form-dialog.tsx";
import { TextField } from "../widgets/text-field.tsx";
import { showDone } from "../widgets/toasts.tsx";

/** Documents in a request: others are answered in between. */
const BATCH = 20;
const MAX_COUNT = 10_000;
const MAX_SEED = 100;

type Outcome = Omit<Samples, "hasGivenUp">;

const EMPTY_OUTCOME: Outcome = { made: 0, refused: [], unlinked: [] };

const joined = (left: readonly string[], right: readonly string[]): readonly string[] => [
  ...new Set([...left, ...right]),
];

interface SampleDialogProps {
  readonly type: ContentType;
  readonly locale: string | undefined;
  readonly onClose: () => void;
}

export function SampleDialog({ type, locale, onClose }: SampleDialogProps) {
  const [count, setCount] = useState("20");
  const [seed, setSeed] = useState(newSeed);
  const [publish, setPublish] = useState(false);
  const [outcome, setOutcome] = useState<Outcome>();
  const [isBusy, setIsBusy] = useState(false);
  const [problem, setProblem] = useState<string>();
  const isClosed = useRef(false);
  useEffect(
    () => () => {
      isClosed.current = true;
    },
    [],
  );
  const total = Number(count);
  const isNumber = Number.isInteger(total) && total >= 1 && total <= MAX_COUNT;

  const make = async (): Promise<void> => {
    setIsBusy(true);
    setProblem(undefined);
    let sum = EMPTY_OUTCOME;
    try {
      for (let from = 0; from < total && !isClosed.current; from += BATCH) {
        setOutcome(sum);
        const request = { uid: type.uid, count: Math.min(BATCH, total - from), from, seed, locale, publish };
        const { made, refused, unlinked, hasGivenUp } = await makeSamples(request);
        sum = {
          made: sum.made + made,
          refused: joined(sum.refused, refused),
          unlinked: joined(sum.unlinked, unlinked),
        };
        if (hasGivenUp) break;
      }
    } catch (error) {
      setProblem(errorMessage(error));
    }
    setIsBusy(false);
    setOutcome(sum);
    // the same ones are not to be made twice
    setSeed(newSeed());
    if (sum.made > 0) showDone(`Created ${sum.made} sample ${sum.made === 1 ? "document" : "documents"}`);
    if (sum.made === total && sum.unlinked.length === 0) onClose();
  };

  return (
    <FormDialog
      title={`Sample content for ${type.info.displayName}`}
      action={isBusy ? `${outcome?.made ?? 0} created…` : "Create"}
      canSubmit={isNumber && !isBusy}
      problem={problem}
      onSubmit={make}
      onClose={onClose}
    >
      <p class="hint">
        Plausible documents that pass the validation of the type. Relations link to existing documents.
      </p>
      <label class="field">
        <span class="field-label">How many</span>
        <input
          class="input"
          type="number"
          min={1}
          max={MAX_COUNT}
          value={count}
          aria-invalid={!isNumber}
          onInput={({ currentTarget }) => setCount(currentTarget.value)}
        />
        <span class={isNumber ? "hint" : "field-problem"} role="status">
          A whole number from 1 to {MAX_COUNT.toLocaleString()}
        </span>
      </label>
      <TextField
        label="Seed"
        hint="The same seed creates the same documents in an empty project."
        value={seed}
        maxLength={MAX_SEED}
        onChange={setSeed}
      />
      {hasDrafts(type) ? <Check label="Publish them" isOn={publish} onChange={setPublish} /> : null}
      <div role="status">
        {outcome && !isBusy ? <p>Created: {outcome.made.toLocaleString()}</p> : null}
        {outcome && outcome.unlinked.length > 0 ? (
          <p class="hint">
            Left empty, since there is nothing to link to: {outcome.unlinked.map(formatLabel).join(", ")}
          </p>
        ) : null}
        {outcome && outcome.refused.length > 0 ? (
          <p class="field-problem">Refused: {outcome.refused.join("; ")}</p>
        ) : null}
      </div>
    </FormDialog>
  );
}
