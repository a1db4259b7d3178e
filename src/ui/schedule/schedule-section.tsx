/** When a document is published and unpublished by the server. */
import { useId, useState } from "preact/hooks";
import { api } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import type { OpenDocument } from "../edit/open-document.ts";
import { timeText } from "../edit/time-text.ts";
import { localDateTime } from "../local-date-time.ts";
import { Button } from "../widgets/button.tsx";
import { DateInput } from "../widgets/date-input.tsx";
import { Field } from "../widgets/field.tsx";
import { useWork } from "../widgets/use-work.ts";

type Action = "publish" | "unpublish";

interface Entry {
  readonly action: Action;
  readonly at: string;
  readonly problem: string | null;
}

const labels = { publish: "Publish at", unpublish: "Unpublish at" } as const satisfies Record<Action, string>;
const actions = Object.keys(labels) as Action[];

interface ScheduleProps {
  readonly open: OpenDocument;
  readonly documentId: string;
}

/** What the inputs show: local times without seconds. */
const shownTimes = (entries: readonly Entry[]): Readonly<Record<Action, string>> => {
  const at = (action: Action): string => {
    const entry = entries.find((item) => item.action === action && item.problem === null);
    return entry ? localDateTime(entry.at).slice(0, 16) : "";
  };
  return { publish: at("publish"), unpublish: at("unpublish") };
};

const toIso = (text: string): string | null => (text === "" ? null : new Date(text).toISOString());

export function Schedule({ open, documentId }: ScheduleProps) {
  const id = useId();
  const target = { contentType: open.type.uid, documentId, locale: open.locale };
  const { data, problem, reload } = useAnswer<{ readonly data: readonly Entry[] }>("/schedule", target);
  const [edited, setEdited] = useState<Partial<Record<Action, string>>>({});
  const [isBusy, run] = useWork(reload);
  if (!data) return problem ? <p class="field-problem">{problem}</p> : null;
  const times = { ...shownTimes(data.data), ...edited };
  const failed = data.data.filter((entry) => entry.problem !== null);
  const put = async (): Promise<void> => {
    await api.put("/schedule", { ...target, publish: toIso(times.publish), unpublish: toIso(times.unpublish) });
    setEdited({});
  };
  const save = (event: Event): Promise<unknown> => {
    event.preventDefault();
    return run(put, times.publish || times.unpublish ? "Scheduled" : "Nothing is scheduled any more");
  };
  return (
    <form class="schedule" onSubmit={save}>
      {actions.map((action) => (
        <Field key={action} id={`${id}-${action}`} label={labels[action]}>
          <DateInput
            id={`${id}-${action}`}
            kind="datetime"
            value={times[action]}
            onChange={(value) => setEdited({ ...edited, [action]: value })}
          />
        </Field>
      ))}
      {failed.map(({ action, at, problem: reason }) => (
        <p key={action} class="field-problem">
          {`It was not ${action}ed at ${timeText(at)}: ${reason}`}
        </p>
      ))}
      <Button text="Schedule" type="submit" disabled={isBusy || Object.keys(edited).length === 0} />
    </form>
  );
}
