/** The preview of a saved document: beside the form where the site may be framed, otherwise a link to it. */
import type { RefObject } from "preact";
import { useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import type { OpenDocument } from "../edit/open-document.ts";
import { lazy } from "../lazy.tsx";
import { hasDrafts } from "../model.ts";
import { PREVIEW_PARAM, route, setParams } from "../router.ts";
import { Icon } from "../widgets/icon.tsx";
import type { PreviewStatus } from "./preview-pane.tsx";

const PreviewPane = lazy(async () => (await import("./preview-pane.tsx")).PreviewPane);

interface Preview {
  readonly url: string;
  readonly isFramed: boolean;
}

interface PreviewActionsProps {
  readonly open: OpenDocument;
  /** The section of the page with the form. */
  readonly section: RefObject<HTMLElement | null>;
}

const setOpen = (isOpen: boolean): void =>
  setParams({ [PREVIEW_PARAM]: isOpen ? "open" : undefined }, { replace: true });

/** The site of another origin: one of the page's own could use its session. */
const isForeign = (url: string): boolean => new URL(url).origin !== window.location.origin;

export function PreviewActions({ open, section }: PreviewActionsProps) {
  const [status, setStatus] = useState<PreviewStatus>("draft");
  const { data } = useAnswer<{ readonly data: Preview | null }>(`/preview/${open.type.uid}`, {
    documentId: open.version.value?.documentId,
    locale: open.locale,
    ...(hasDrafts(open.type) ? { status } : {}),
  });
  const preview = data?.data;
  if (!preview) return null;
  if (!preview.isFramed || !isForeign(preview.url))
    return (
      <a class="button" href={preview.url} target="_blank" rel="noreferrer">
        <Icon name="external" />
        <span class="button-label">View on site</span>
      </a>
    );
  const isOpen = route.value.search.has(PREVIEW_PARAM);
  return (
    <>
      <button type="button" class="button" aria-pressed={isOpen} onClick={() => setOpen(!isOpen)}>
        <Icon name="eye" />
        <span class="button-label">Preview</span>
      </button>
      {isOpen ? (
        <PreviewPane
          open={open}
          section={section}
          url={preview.url}
          status={status}
          onStatus={setStatus}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
