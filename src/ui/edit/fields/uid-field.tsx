/** A UID: generated from its target field, and checked for availability. */
import { useEffect, useRef, useState } from "preact/hooks";
import { api, errorMessage } from "../../api/client.ts";
import { Button, IconButton } from "../../widgets/button.tsx";
import { useEdit } from "../edit-context.ts";
import { collectValues } from "../form/tree.ts";
import type { FieldProps } from "./field-props.ts";
import { inputProps } from "./text-fields.tsx";

/** Delay of requests after the last key press. */
const SETTLE_MS = 300;

interface Availability {
  readonly isAvailable: boolean;
  readonly suggestion: string | null;
}

export function UidField(props: FieldProps) {
  const { node, group, isReadOnly } = props;
  const { document } = useEdit();
  const [availability, setAvailability] = useState<Availability>();
  const [problem, setProblem] = useState<string>();
  // generated again when the target field changes, until the user types one
  const isDerived = useRef(document.version.peek() === undefined && !node.value.peek());
  const contentTypeUID = group.component ?? document.type.uid;
  const query = { locale: document.locale };
  const target = group.nodes.get(String(node.attribute.targetField ?? ""));
  const value = node.value.value as string | null;
  const saved = document.version.value?.[node.name];

  const generate = async (): Promise<void> => {
    try {
      const body = { contentTypeUID, field: node.name, data: collectValues(group) };
      const { data } = await api.post<{ data: string }>("/content-manager/uid/generate", body, { query });
      node.value.value = data;
      setProblem(undefined);
    } catch (error) {
      setProblem(errorMessage(error));
    }
  };

  const source = target?.kind === "leaf" ? target.value.value : undefined;
  useEffect(() => {
    if (!isDerived.current || isReadOnly || typeof source !== "string" || source === "") return;
    const timer = setTimeout(generate, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [source]);

  useEffect(() => {
    setAvailability(undefined);
    if (!value || value === saved || isReadOnly) return;
    const timer = setTimeout(async () => {
      try {
        const body = { contentTypeUID, field: node.name, value };
        const found = await api.post<Availability>("/content-manager/uid/check-availability", body, { query });
        if (node.value.peek() === value) setAvailability(found);
        setProblem(undefined);
      } catch (error) {
        setProblem(errorMessage(error));
      }
    }, SETTLE_MS);
    return () => clearTimeout(timer);
  }, [value, saved]);

  return (
    <>
      <div class="input-row">
        <div>
          <input
            {...inputProps(props)}
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={value ?? ""}
            onInput={({ currentTarget }) => {
              isDerived.current = currentTarget.value === "";
              node.value.value = currentTarget.value === "" ? null : currentTarget.value;
            }}
          />
        </div>
        {isReadOnly ? null : <IconButton icon="refresh" label={`Generate ${node.name} again`} onClick={generate} />}
      </div>
      <p class="hint" role="status">
        {availability?.isAvailable === true ? "Available" : null}
        {availability?.isAvailable === false ? (
          <>
            <span class="field-problem">Already in use.</span>{" "}
            {availability.suggestion ? (
              <Button
                kind="link"
                text={`Use ${availability.suggestion}`}
                onClick={() => {
                  node.value.value = availability.suggestion;
                }}
              />
            ) : null}
          </>
        ) : null}
        {problem}
      </p>
    </>
  );
}
