/** The draft and the published version side by side. */
import { useMemo, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { Alert } from "../widgets/alert.tsx";
import { Check } from "../widgets/check.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import type { Version } from "./document-requests.ts";
import { readValues } from "./form/values.ts";
import type { OpenDocument } from "./open-document.ts";
import { SideBySide } from "./side-by-side.tsx";

interface CompareProps {
  readonly open: OpenDocument;
  readonly onClose: () => void;
}

export function Compare({ open, onClose }: CompareProps) {
  const [showsAll, setShowsAll] = useState(false);
  const { data, problem } = useAnswer<{ readonly data: Version }>(open.path, {
    locale: open.locale,
    status: "published",
  });
  const published = useMemo(() => data && readValues(open.type.attributes, data.data), [data]);
  return (
    <Dialog
      title="Draft and published"
      shape="wide"
      onClose={onClose}
      actions={<Check label="Show equal fields" isOn={showsAll} onChange={setShowsAll} />}
    >
      <Alert text={problem} />
      {published ? (
        <SideBySide
          open={open}
          ownTitle="Draft"
          otherTitle="Published"
          other={published}
          otherStatus="published"
          showsAll={showsAll}
        />
      ) : null}
    </Dialog>
  );
}
