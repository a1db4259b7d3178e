/** The request behind a list or a document, as snippets to copy, and its response for a chosen caller. */
import { useMemo, useState } from "preact/hooks";
import type { Access } from "../access/access-model.ts";
import { CallerSelect } from "../access/caller-select.tsx";
import { readCaller } from "../access/callers.ts";
import { Steps } from "../access/steps.tsx";
import { useExplanation } from "../access/use-explanation.ts";
import { useAnswer } from "../api/use-answer.ts";
import { hasDrafts, start } from "../model.ts";
import { SITE_BASE, siteUrl } from "../page-paths.ts";
import { Alert } from "../widgets/alert.tsx";
import { Announcer } from "../widgets/announce.tsx";
import { CopyButton } from "../widgets/copy-button.tsx";
import { Dialog } from "../widgets/dialog.tsx";
import { SelectField } from "../widgets/select.tsx";
import type { ContentRequest, PublicationStatus } from "./content-request.ts";
import { graphqlText, playgroundUrl } from "./graphql.ts";
import { clientText, fetchText, restPath, restText, type SnippetTarget } from "./texts.ts";

export interface RequestDialogProps {
  readonly createRequest: (status: PublicationStatus) => ContentRequest;
  /** Of what is shown. */
  readonly shownStatus?: PublicationStatus;
  readonly onClose: () => void;
}

const snippetFormats = { rest: "REST", fetch: "fetch", client: "@strapi/client", graphql: "GraphQL" } as const;
type SnippetFormat = keyof typeof snippetFormats;

const writers: Readonly<Record<SnippetFormat, (request: ContentRequest, target: SnippetTarget) => string>> = {
  rest: restText,
  fetch: fetchText,
  client: clientText,
  graphql: (request) => {
    const { query, variables } = graphqlText(request);
    return Object.keys(variables).length > 0
      ? `${query}\n# Variables\n${JSON.stringify(variables, undefined, 2)}\n`
      : query;
  },
};

export function RequestDialog({ createRequest, shownStatus = "published", onClose }: RequestDialogProps) {
  const [form, setForm] = useState<SnippetFormat>("rest");
  const [status, setStatus] = useState<PublicationStatus>(shownStatus);
  const [callerKey, setCallerKey] = useState("public");
  const access = useAnswer<{ data: Access }>("/access");
  const request = useMemo(() => createRequest(status), [status]);
  const { restPrefix = "/api", graphqlEndpoint = "/graphql" } = start.value ?? {};
  const target = { origin: window.location.origin + SITE_BASE, prefix: restPrefix, hasToken: callerKey !== "public" };
  const text = writers[form](request, target);
  const path = restPath(request, target);
  const graphql = useMemo(() => graphqlText(request), [request]);
  const isGraphql = form === "graphql";

  const caller = readCaller(callerKey);
  const { query, variables } = graphql;
  const { explanation, problem } = useExplanation(isGraphql ? { caller, query, variables } : { caller, url: path });
  return (
    <Dialog title="API request" shape="side" onClose={onClose}>
      <div class="stack request">
        <div class="request-choices">
          <CallerSelect roles={access.data?.data.roles ?? []} value={callerKey} onChoose={setCallerKey} />
          {hasDrafts(request.type) ? (
            <SelectField
              label="Version"
              value={status}
              options={[
                ["published", "Published"],
                ["draft", "Draft"],
              ]}
              onChoose={(chosen) => setStatus(chosen as PublicationStatus)}
            />
          ) : null}
          <SelectField
            label="Format"
            value={form}
            options={Object.entries(snippetFormats)}
            onChoose={(chosen) => setForm(chosen as SnippetFormat)}
          />
        </div>
        <section class="stack request-text" aria-label="Request">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls */}
          <pre tabIndex={0}>{text}</pre>
          <div class="request-actions">
            <CopyButton text={text} label="Copy the request" />
            {isGraphql ? (
              <a href={playgroundUrl(siteUrl(graphqlEndpoint), graphql)} target="_blank" rel="noreferrer">
                Playground
              </a>
            ) : null}
          </div>
          {isGraphql && graphql.missing.length > 0 ? (
            <p class="hint">GraphQL has no parameter for {graphql.missing.join(" and ")}.</p>
          ) : null}
        </section>
        <Alert class="page-problem" text={problem} />
        {explanation ? <Steps explanation={explanation} /> : null}
      </div>
      <Announcer />
    </Dialog>
  );
}
