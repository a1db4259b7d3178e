/** Copies the content of a running Strapi into a temporary archive. */
import { join } from "node:path";
import { withTemporaryFolder } from "../engine/storage/temporary-folder.ts";
import type { Progress } from "../lib/progress.ts";
import type { Project } from "../server/project/project.ts";
import type { RemoteAddress } from "../transfer/remote/address.ts";
import type { RestPullResult } from "../transfer/remote/rest/pull.ts";
import type { Selection } from "../transfer/selection.ts";
import type { CommandCall } from "./command.ts";
import { withProgress } from "./progress.ts";

export interface PullSource {
  readonly address: RemoteAddress;
  readonly token: string;
  readonly selection: Selection;
  /** For an API token, with which REST answers; without it, the token is one for transfers. */
  readonly project?: Pick<Project, "model" | "schema" | "settings"> | undefined;
  /** As in `RestPullOptions`. */
  readonly since?: Date | undefined;
}

/** `startedAt`: by the clock of the server. Without all of them after a transfer. */
type Pulled = Partial<RestPullResult> & { readonly startedAt?: Date | undefined };

/** Writes the archive below a folder, calls `use` with its path, and removes the folder. */
export async function withPulled<T>(
  call: CommandCall,
  folder: string,
  { address, token, selection, project, since }: PullSource,
  use: (file: string, pulled: Pulled) => Promise<T>,
): Promise<T> {
  const { writeArchive } = await import("../transfer/export/archive-writer.ts");
  const { RestClient } = await import("../transfer/remote/rest/client.ts");
  const { pullOverRest } = await import("../transfer/remote/rest/pull.ts");
  const { pullInto } = await import("../transfer/remote/pull.ts");
  return withTemporaryFolder(folder, async () => {
    const file = join(folder, "pull.tar");
    const pull = (progress: Progress) =>
      writeArchive({ file }, async (writer): Promise<Pulled> => {
        if (!project) {
          await pullInto(writer, address, { token, selection, temporaryFolder: join(folder, "media"), progress });
          return {};
        }
        const { model, schema, settings } = project;
        const client = new RestClient(address.root, { prefix: settings.rest.prefix, token });
        const options = { client, model, schema, selection, since, temporaryFolder: folder, progress };
        return { ...(await pullOverRest(writer, options)), startedAt: client.startedAt };
      });
    return use(file, await withProgress(call, pull));
  });
}
