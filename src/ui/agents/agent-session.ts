/** A session of an agent, as the server describes it. */
export interface AgentSession {
  readonly id: number;
  readonly name: string;
  readonly startedAt: string;
  /** The tools that changed something, in order. */
  readonly changes: readonly string[];
  /** Paths of changed files. */
  readonly files: readonly string[];
  /** What others may have changed since: files, "the content" and "the uploaded files". */
  readonly others: readonly string[];
  /** Files of upload providers that stay as they are. */
  readonly notRestored: readonly string[];
}
