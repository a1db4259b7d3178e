/** Requests for sample documents. */
import { api } from "./api/client.ts";

export interface Samples {
  readonly made: number;
  /** Why documents were refused. */
  readonly refused: readonly string[];
  /** Relations left empty because no document exists to link to. */
  readonly unlinked: readonly string[];
  readonly hasGivenUp: boolean;
}

export interface SampleRequest {
  readonly uid: string;
  readonly count: number;
  /** Offset: the number of documents created with this seed before. */
  readonly from: number;
  readonly seed: string;
  readonly locale: string | undefined;
  readonly publish: boolean;
}

export const newSeed = (): string => crypto.randomUUID().slice(0, 8);

export const makeSamples = async (body: SampleRequest): Promise<Samples> =>
  (await api.post<{ readonly data: Samples }>("/sample", body)).data;
