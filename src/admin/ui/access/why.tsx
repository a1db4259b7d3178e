/** "Why can't the public see this?": a request, a caller, and the decision with its reasons. */

import { useEffect, useState } from "preact/hooks";
import { messageOf } from "../api/client.ts";
import { useAnswer } from "../api/use-answer.ts";
import { start } from "../model.ts";
import { route, setParams } from "../router.ts";
import { ImmediateSelect } from "../widgets/immediate-select.tsx";
import type { Access } from "./access-model.ts";
import { callerChoices, callerKey, readCaller } from "./callers.ts";
import { type Explanation, explain } from "./explanation.ts";
import { Steps } from "./steps.tsx";
import type { Token } from "./token-dialog.tsx";

const METHODS = ["GET", "POST", "PUT", "DELETE"];
const GRAPHQL = "GraphQL";

export function Why({ access }: { readonly access: Access }) {
  const { search } = route.value;
  const requested = {
    method: search.get("method") ?? "GET",
    url: search.get("url") ?? "",
    query: search.get("query") ?? "",
    caller: readCaller(search.get("caller")),
  };
  const [method, setMethod] = useState(requested.query === "" ? requested.method : GRAPHQL);
  const [url, setUrl] = useState(requested.url);
  const [query, setQuery] = useState(requested.query);
  const [explanation, setExplanation] = useState<Explanation>();
  const [problem, setProblem] = useState<string>();
  const tokens = useAnswer<{ data: readonly Token[] }>("/admin/api-tokens");
  const key = JSON.stringify(requested);
  useEffect(() => {
    setMethod(requested.query === "" ? requested.method : GRAPHQL);
    setUrl(requested.url);
    setQuery(requested.query);
    if (requested.url === "" && requested.query === "") return;
    let isCurrent = true;
    const { caller } = requested;
    explain(
      requested.query === ""
        ? { caller, method: requested.method, url: requested.url }
        : { caller, query: requested.query },
    ).then(
      (answer) => {
        if (!isCurrent) return;
        setExplanation(answer);
        setProblem(undefined);
      },
      (error: unknown) => {
        if (!isCurrent) return;
        setExplanation(undefined);
        setProblem(messageOf(error));
      },
    );
    return () => {
      isCurrent = false;
    };
  }, [key]);
  const isGraphql = method === GRAPHQL;
  const choices = callerChoices(access, tokens.data?.data.map(({ name }) => name) ?? []);
  return (
    <section class="why" aria-label="Why does a request get its response?">
      <form
        class="why-form"
        onSubmit={(event) => {
          event.preventDefault();
          setParams(
            isGraphql
              ? { query, url: undefined, method: undefined }
              : { url, method: method === "GET" ? undefined : method, query: undefined },
          );
        }}
      >
        <label class="field" for="why-caller">
          <span class="field-label">As</span>
          <ImmediateSelect
            id="why-caller"
            value={callerKey(requested.caller)}
            options={choices.map(({ key, label }) => [key, label])}
            onChoose={(caller) => setParams({ caller })}
          />
        </label>
        <label class="field">
          <span class="field-label">Method</span>
          <select class="input" value={method} onChange={({ currentTarget }) => setMethod(currentTarget.value)}>
            {[...METHODS, GRAPHQL].map((name) => (
              <option key={name} value={name}>
                {name}
              </option>
            ))}
          </select>
        </label>
        {isGraphql ? (
          <label class="field why-target">
            <span class="field-label">Operation</span>
            <textarea
              class="input mono"
              rows={6}
              spellcheck={false}
              value={query}
              onInput={({ currentTarget }) => setQuery(currentTarget.value)}
            />
          </label>
        ) : (
          <label class="field why-target">
            <span class="field-label">URL</span>
            <input
              class="input mono"
              placeholder={`${start.value?.restPrefix ?? "/api"}/…`}
              spellcheck={false}
              value={url}
              onInput={({ currentTarget }) => setUrl(currentTarget.value)}
            />
          </label>
        )}
        <button type="submit" class="button button-primary" disabled={(isGraphql ? query : url).trim() === ""}>
          Explain
        </button>
      </form>
      <p class="hint">Reads run as this caller. Writes are checked, but not executed.</p>
      {problem ? (
        <p class="page-problem" role="alert">
          {problem}
        </p>
      ) : null}
      {explanation ? <Steps explanation={explanation} /> : null}
    </section>
  );
}
