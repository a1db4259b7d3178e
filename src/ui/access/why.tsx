/** "Why can't the public see this?": a request, a caller, and the decision with its reasons. */
import { useEffect, useState } from "preact/hooks";
import { start } from "../model.ts";
import { route, setParams } from "../router.ts";
import { Alert } from "../widgets/alert.tsx";
import { Button } from "../widgets/button.tsx";
import { SelectField } from "../widgets/select.tsx";
import { TextField } from "../widgets/text-field.tsx";
import type { Access } from "./access-model.ts";
import { CallerSelect } from "./caller-select.tsx";
import { callerKey } from "./callers.ts";
import { Steps } from "./steps.tsx";
import { type ExplainedRequest, readRequest, useExplanation } from "./use-explanation.ts";

const METHODS = ["GET", "POST", "PUT", "DELETE"];
const GRAPHQL = "GraphQL";

const formatMethod = ({ query, method }: ExplainedRequest): string => (query === "" ? method : GRAPHQL);

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
      <CallerSelect
        roles={access.roles}
        value={callerKey(requested.caller)}
        onChoose={(caller) => setParams({ caller })}
      />
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
  const { caller, method, url, query } = requested;
  const isEmpty = url === "" && query === "";
  const { explanation, problem } = useExplanation(
    isEmpty ? undefined : query === "" ? { caller, method, url } : { caller, query },
  );
  return (
    <section class="stack why" aria-label="Why does a request get its response?">
      <RequestForm access={access} requested={requested} />
      <p class="hint">Reads run as this caller. Writes are checked, but not executed.</p>
      <Alert class="page-problem" text={problem} />
      {explanation ? <Steps explanation={explanation} /> : null}
    </section>
  );
}
