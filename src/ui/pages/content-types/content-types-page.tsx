/** Content-types and components: `/admin/types`, and `/admin/types/UID` for one of them. */
import { useEffect, useState } from "preact/hooks";
import { errorMessage } from "../../api/client.ts";
import { countText } from "../../count-text.ts";
import { schemaGeneration, start } from "../../model.ts";
import type { PageProps } from "../../page.ts";
import { hrefTo } from "../../router.ts";
import { NotFound } from "../../shell/not-found.tsx";
import { useContentChanges } from "../../use-content-changes.ts";
import { Alert } from "../../widgets/alert.tsx";
import { Icon } from "../../widgets/icon.tsx";
import { SkeletonLines } from "../../widgets/skeleton.tsx";
import { NEW_COMPONENT, NEW_TYPE, savedDraft } from "./draft.ts";
import { refreshSchemas } from "./refresh-schemas.ts";
import { SchemaEditor } from "./schema-editor.tsx";
import { schemas } from "./schemas.ts";
import { TypeList } from "./type-list.tsx";

export function ContentTypesPage({ segments: [name] }: PageProps) {
  const [problem, setProblem] = useState("");
  const generation = schemaGeneration.value;
  const refresh = (): void => {
    refreshSchemas().then(
      () => setProblem(""),
      (error: unknown) => setProblem(errorMessage(error)),
    );
  };
  // again when files have changed: in another window, or on disk
  useEffect(refresh, [generation]);
  useContentChanges(() => {
    if (problem) refresh();
  });
  const all = schemas.value;
  if (!all)
    return problem ? (
      <Alert class="page-problem" text={problem} retry={refresh} />
    ) : (
      <div class="page" aria-busy="true">
        <SkeletonLines />
      </div>
    );
  const canChange = start.value?.canChangeFiles === true;
  const saved = name === undefined ? undefined : savedDraft(name, all);
  return (
    <div class={name === undefined ? "types-page" : "types-page types-open"}>
      <TypeList schemas={all} current={name} canChange={canChange} />
      <div class="types-main">
        <Alert class="page-problem" text={problem} retry={refresh} />
        {name === undefined ? null : (
          <a class="button-link types-back" href={hrefTo("types")}>
            <Icon name="back" /> Content-types
          </a>
        )}
        {canChange ? null : (
          <p class="hint">
            Types cannot be changed here: the project is an archive, in memory, or served by several processes.
          </p>
        )}
        {name === undefined ? (
          <>
            <h1>Content-types</h1>
            <p class="muted">
              {countText(all.types.length, "type")} and {countText(all.components.length, "component")}. Choose one, or
              make a new one.
            </p>
            {canChange ? (
              <p class="buttons">
                <a class="button button-primary" href={hrefTo("types", [NEW_TYPE])}>
                  <Icon name="add" />
                  New content-type
                </a>
                <a class="button" href={hrefTo("types", [NEW_COMPONENT])}>
                  <Icon name="add" />
                  New component
                </a>
              </p>
            ) : null}
          </>
        ) : saved ? (
          <SchemaEditor key={name} name={name} saved={saved} schemas={all} canChange={canChange} />
        ) : (
          <NotFound what={`There is no content-type or component ${name}.`} />
        )}
      </div>
    </div>
  );
}
