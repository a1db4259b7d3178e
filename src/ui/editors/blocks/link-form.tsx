/** Where a link leads: a line below the toolbar, while a link is edited. */
import { useLayoutEffect, useRef, useState } from "preact/hooks";
import { Button } from "../../widgets/button.tsx";
import { uniqueId } from "../dom.ts";
import { typedTarget } from "./link-target.ts";

export interface LinkFormProps {
  /** Empty for a new link. */
  readonly url: string;
  readonly onSet: (url: string) => void;
  readonly onRemove: () => void;
  readonly onClose: () => void;
}

export function LinkForm({ url, onSet, onRemove, onClose }: LinkFormProps) {
  const input = useRef<HTMLInputElement>(null);
  const [problemId] = useState(() => uniqueId("link-problem"));
  const [isInvalid, setInvalid] = useState(false);
  // before the next key, which is meant for it
  useLayoutEffect(() => input.current?.select(), []);
  const submit = (): void => {
    const target = typedTarget(input.current?.value.trim() ?? "");
    if (target === undefined) setInvalid(true);
    else onSet(target);
  };
  return (
    // not a form: the page's own is around it
    <fieldset
      class="link-form"
      aria-label="Link"
      onKeyDown={(event) => {
        if (event.key === "Enter" && event.target === input.current) submit();
        else if (event.key === "Escape") onClose();
        else return;
        event.preventDefault();
        event.stopPropagation();
      }}
    >
      <input
        ref={input}
        class="input"
        aria-label="URL"
        placeholder="https://… or /path"
        defaultValue={url}
        aria-invalid={isInvalid}
        aria-describedby={isInvalid ? problemId : undefined}
        onInput={() => setInvalid(false)}
      />
      <Button text={url === "" ? "Set link" : "Change link"} onClick={submit} />
      {url === "" ? null : <Button text="Remove link" onClick={onRemove} />}
      <Button text="Cancel" onClick={onClose} />
      {isInvalid ? (
        <p id={problemId} class="field-problem" role="alert">
          A link begins with https:, http:, ftp:, mailto:, tel: or with a slash.
        </p>
      ) : null}
    </fieldset>
  );
}
