/** "Why can't the public see this?": a request, a caller, and the decision with its reasons. */
import { useEffect, useState } from "preact/hooks";
import { useAnswer } from "../api/use-answer.ts";
import { start } from "../model.ts";
import { route, setParams } from "../router.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { SelectField } from "../widgets/select.tsx";
import { TextField } from "../widgets/text-field.tsx";
import type { Access } from "./access-model.ts";
import { callerChoices, callerKey } from "./callers.ts";
import { Steps } from "./steps.tsx";
import type { Token } from "./token-dialog.tsx";
import { type ExplainedRequest, readRequest, useExplanation } from "./use-explanation.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"];
const GRAPHQL = "GraphQL";

const formatMethod = ({ query, method }: ExplainedRequest): string => (query === "" ? method : GRAPHQL);

function CallerSelect({ access, requested }: { readonly access: Access; readonly requested: ExplainedRequest }) {
  const tokens = useAnswer<{ data: readonly Token[] }>("/admin/api-tokens");
  const choices = callerChoices(access, tokens.data?.data.map(({ name }) => name) ?? []);
  return (
    <SelectField
      label="As"
      value={callerKey(requested.caller)}
      options={choices.map(({ key, label }) => [key, label])}
      onChoose={(caller) => setParams({ caller })}
    />
  );
}

/** What is typed goes into the URL when it is submitted. */
function RequestForm({ access, requested }: { readonly access: Access; readonly requested: ExplainedRequest }) {
  const [method, setMethod] = useState(formatMethod(requested));
  const [url, setUrl] = useState(requested.url);
  const [query, setQuery] = useState(requested.query);
  useEffect(() => {
    setMethod(formatMethod(requested));
    setUrl(requested.url);
    setQuery(requested.query);
  }, [requested.method, requested.url, requested.query]);
  const isGraphql = method === GRAPHQL;
  const submit = (event: Event): void => {
    event.preventDefault();
    setParams(
      isGraphql
        ? { query, url: undefined, method: undefined }
        : { url, method: method === "GET" ? undefined : method, query: undefined },
    );
  };
  return (
    <form class="why-form" onSubmit={submit}>
      <CallerSelect access={access} requested={requested} />
      <SelectField
        label="Method"
        value={method}
        options={[...METHODS, GRAPHQL].map((name) => [name, name])}
        onChoose={setMethod}
      />
      <div class="why-target">
        {isGraphql ? (
          <TextField
            label="Operation"
            class="input mono"
            rows={6}
            spellcheck={false}
            value={query}
            onChange={setQuery}
          />
        ) : (
          <TextField
            label="URL"
            class="input mono"
            placeholder={`${start.value?.restPrefix ?? "/api"}/…`}
            spellcheck={false}
            value={url}
            onChange={setUrl}
          />
        )}
      </div>
      <Button kind="primary" text="Explain" type="submit" disabled={(isGraphql ? query : url).trim() === ""} />
    </form>
  );
}

export function Why({ access }: { readonly access: Access }) {
  const requested = readRequest(route.value.search);
  const { explanation, problem } = useExplanation(requested);
  return (
    <section class="stack why" aria-label="Why does a request get its response?">
      <RequestForm access={access} requested={requested} />
      <p class="hint">Reads run as this caller. Writes are checked, but not executed.</p>
      <Alert class="page-problem" text={problem} />
      {explanation ? <Steps explanation={explanation} /> : null}
    </section>
  );
}
