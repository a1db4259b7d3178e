/** What runs statements on a large database in other processes, so that this one goes on answering requests. */
import type { SqlValue } from "../attributes/index.ts";
import type { Row } from "./connection.ts";

export interface Statement {
  readonly sql: string;
  readonly params: readonly SqlValue[];
}

export interface TableIndex {
  readonly table: string;
  readonly name: string;
  readonly columns: readonly string[];
}

export interface LongReads {
  /** The rows of a statement. Rejects with ServiceUnavailableError if that takes too long. */
  read(statement: Statement): Promise<readonly Row[]>;
  /** Returns whether the index exists now; another process may be writing. */
  createIndex(index: TableIndex): Promise<boolean>;
  /** Ends the processes. */
  close(): void;
}
