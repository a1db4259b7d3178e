/** The server's explanation of an access decision, with links to what decides it. */
import { api } from "../api/client.ts";
import { documentHref } from "../document-href.ts";
import { findType } from "../model.ts";
import { hrefTo } from "../router.ts";
import type { CallerName } from "./callers.ts";

type Link =
  | {
      readonly kind: "permission";
      readonly action: string;
      readonly caller: { readonly kind: CallerName["kind"]; readonly type?: string; readonly name?: string };
    }
  | { readonly kind: "document"; readonly uid: string; readonly documentId: string; readonly locale: string | null }
  | { readonly kind: "type"; readonly uid: string };

export interface Step {
  readonly outcome: "passed" | "refused" | "dropped" | "remark";
  readonly text: string;
  readonly link?: Link;
}

export interface Explanation {
  readonly steps: readonly Step[];
  readonly answer?: { readonly status: number; readonly body: unknown };
}

export interface ExplainRequest {
  readonly caller: CallerName;
  /** A REST request. */
  readonly method?: string;
  readonly url?: string;
  /** A GraphQL operation. */
  readonly query?: string;
  readonly variables?: unknown;
}

/** Throws as `request` does. */
export const explain = async (request: ExplainRequest): Promise<Explanation> =>
  (await api.post<{ data: Explanation }>("/explain", request)).data;

export interface LinkTarget {
  readonly label: string;
  readonly href: string;
}

/** The page on which the outcome of a step can be changed. */
export function findTarget(link: Link): LinkTarget | undefined {
  if (link.kind === "permission") {
    const { action, caller } = link;
    if (caller.kind === "token") return { label: "Change the token", href: hrefTo("access", ["tokens"]) };
    const role = caller.kind === "role" ? caller.type : "public";
    return { label: "Change the permission", href: hrefTo("access", ["roles"], { role, action }) };
  }
  const type = findType(link.uid);
  if (!type) return undefined;
  if (link.kind === "type") return { label: `Open ${type.info.displayName}`, href: hrefTo("content", [link.uid]) };
  return {
    label: "Open the document",
    href: documentHref(link, { locale: link.locale }),
  };
}
