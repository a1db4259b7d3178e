/** How content comes in, for a project without any, and where the API is. */
import { documentHref } from "../document-href.ts";
import { findType, isOfProject, shownTypes, start } from "../model.ts";
import { siteUrl } from "../page-paths.ts";
import { hrefTo } from "../router.ts";
import { CopyButton } from "../widgets/copy-button.tsx";
import { Icon } from "../widgets/icon.tsx";

const firstType = () => shownTypes.value.find(isOfProject);

/** A request for a type with published content, or for the first one. */
export function ApiExample({ uid }: { readonly uid: string | undefined }) {
  const type = findType(uid ?? "") ?? firstType();
  if (!type || !start.value) return null;
  const { info, kind } = type;
  const path = (kind === "singleType" ? info.singularName : info.pluralName) ?? "";
  const address = window.location.origin + siteUrl(start.value.restPrefix);
  const command = `curl "${address}/${path}"`;
  return (
    <section class="stack home-card">
      <h2>The API</h2>
      <p>
        Published content is at <code>{address}</code>. <a href={hrefTo("access", ["roles"])}>Roles</a> say who may read
        it, <a href={hrefTo("access", ["tokens"])}>tokens</a> are for programs.
      </p>
      <p class="row home-command">
        <code>{command}</code>
        <CopyButton text={command} label="Copy the request" />
      </p>
    </section>
  );
}

export function FirstSteps() {
  const type = firstType();
  return (
    <section class="stack home-card">
      <h2>First steps</h2>
      {type ? (
        <p>There is no content yet. Write the first document, or fill the list with samples to try the API.</p>
      ) : (
        <p>A content-type says what a document consists of: a title, a text, an image. Begin with one.</p>
      )}
      <p class="buttons empty-actions home-actions">
        {type ? (
          <a class="button button-primary" href={documentHref({ uid: type.uid, documentId: "new" })}>
            <Icon name="add" />
            {type.kind === "singleType" ? type.info.displayName : `New ${type.info.displayName}`}
          </a>
        ) : null}
        {start.value?.canChangeFiles ? (
          <a class={type ? "button" : "button button-primary"} href={hrefTo("types")}>
            <Icon name="types" />
            {type ? "Content-types" : "Make a content-type"}
          </a>
        ) : null}
      </p>
    </section>
  );
}
