/** The history of a document: compares its versions with the form, and restores one. */
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { StatusBadge } from "../list/status-badge.tsx";
import { formatLabel } from "../model.ts";
import { type Person, personName } from "../person-name.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { Check } from "../widgets/check.tsx";
import { confirm } from "../widgets/confirm.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { TimeAgo } from "../widgets/time-ago.tsx";
import { attempt, showDone } from "../widgets/toasts.tsx";
import { restoreVersion } from "./document-actions.ts";
import { differing } from "./form/same-values.ts";
import { collectValues } from "./form/tree.ts";
import { readValues, type Values } from "./form/values.ts";
import type { OpenDocument } from "./open-document.ts";
import { SideBySide } from "./side-by-side.tsx";

interface PastVersion {
  readonly id: number;
  readonly createdAt: string;
  readonly status: string;
  readonly data: Values;
  readonly createdBy?: Person;
  readonly meta: {
    readonly unknownAttributes: {
      readonly added: Readonly<Record<string, unknown>>;
      readonly removed: Readonly<Record<string, unknown>>;
    };
  };
}

interface Answer {
  readonly data: readonly PastVersion[];
  readonly meta: { readonly pagination: { readonly page: number; readonly pageCount: number } };
}

const formatTime = ({ createdAt }: PastVersion): string => new Date(createdAt).toLocaleString();

/** Counts relations whose targets no longer exist, including those in components. */
function missingLinkCount(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const { missingCount } = ((value as { meta?: { missingCount?: unknown } }).meta ?? {}) as { missingCount?: unknown };
  const own = typeof missingCount === "number" ? missingCount : 0;
  return Object.values(value).reduce((sum: number, inner) => sum + missingLinkCount(inner), own);
}

/** Warns about values that cannot be restored. */
function Losses({ version }: { readonly version: PastVersion }) {
  const { added, removed } = version.meta.unknownAttributes;
  const missing = missingLinkCount(version.data);
  const names = (attributes: object): string => Object.keys(attributes).map(formatLabel).join(", ");
  const lines = [
    Object.keys(added).length > 0
      ? `Added later, and emptied if you restore this version: ${names(added)}.`
      : undefined,
    Object.keys(removed).length > 0 ? `No longer in the content-type: ${names(removed)}.` : undefined,
    missing > 0
      ? `${missing === 1 ? "One link points" : `${missing} links point`} to a document or file that no longer exists.`
      : undefined,
  ].filter((line) => line !== undefined);
  return lines.length === 0 ? null : <p class="notice">{lines.join(" ")}</p>;
}

interface HistoryProps {
  readonly open: OpenDocument;
  readonly onClose: () => void;
}

export function History({ open, onClose }: HistoryProps) {
  const [page, setPage] = useState(1);
  const [chosen, setChosen] = useState<number>();
  const [showsAll, setShowsAll] = useState(false);
  const { data, problem } = useAnswer<Answer>("/content-manager/history-versions", {
    contentType: open.type.uid,
    documentId: open.documentId,
    locale: open.locale,
    page,
  });
  const versions = data?.data ?? [];
  const { attributes } = open.type;
  // the newest one is usually what the form has: the first that differs is looked at
  const newest = useMemo(() => {
    const form = open.form.peek();
    const own = form ? collectValues(form) : {};
    const differs = ({ data }: PastVersion): boolean =>
      differing(attributes, own, readValues(attributes, data)).length > 0;
    return versions.find(differs) ?? versions[0];
  }, [data]);
  const version = versions.find(({ id }) => id === chosen) ?? newest;
  const values = useMemo(() => version && readValues(attributes, version.data), [version]);
  const pageCount = data?.meta.pagination.pageCount ?? 1;

  const restore = async (): Promise<void> => {
    if (!version) return;
    const isConfirmed = await confirm({
      title: `Restore the version of ${formatTime(version)}?`,
      text: open.isChanged.peek()
        ? "The draft gets the content of that version. Unsaved changes are lost."
        : "The draft gets the content of that version. The current content stays in the history.",
      action: "Restore",
      isDangerous: open.isChanged.peek(),
    });
    if (!isConfirmed) return;
    await attempt(async () => {
      await restoreVersion(open, version.id);
      showDone(`Restored the version of ${formatTime(version)}`);
      onClose();
    });
  };

  return (
    <Dialog
      title="History"
      shape={data && versions.length === 0 ? "small" : "wide"}
      onClose={onClose}
      actions={
        version ? (
          <>
            <Check label="Show equal fields" isOn={showsAll} onChange={setShowsAll} />
            <Button kind="primary" text="Restore this version" onClick={restore} />
          </>
        ) : undefined
      }
    >
      <Alert text={problem} />
      {data && versions.length === 0 ? <p>No versions yet. Each save on this page stores one, for 90 days.</p> : null}
      {version && values ? (
        <div class="history">
          <nav aria-label="Versions">
            <ul class="history-list">
              {versions.map((item) => (
                <li key={item.id}>
                  <button
                    type="button"
                    class="history-item"
                    aria-current={item === version ? "true" : undefined}
                    onClick={() => setChosen(item.id)}
                  >
                    <TimeAgo time={item.createdAt} />
                    <StatusBadge status={item.status} />
                    <span class="muted">{personName(item.createdBy)}</span>
                  </button>
                </li>
              ))}
            </ul>
            {pageCount > 1 ? (
              <div class="history-pages">
                <Button kind="link" text="Newer" disabled={page === 1} onClick={() => setPage(page - 1)} />
                <Button kind="link" text="Older" disabled={page >= pageCount} onClick={() => setPage(page + 1)} />
              </div>
            ) : null}
          </nav>
          <section aria-label="The version">
            <Losses version={version} />
            <SideBySide open={open} ownTitle="Now" otherTitle="This version" other={values} showsAll={showsAll} />
          </section>
        </div>
      ) : null}
    </Dialog>
  );
}
