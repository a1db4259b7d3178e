/** Receives how far long work is: `done` of `total`, in any unit; without a total, a count. Called often. */
export type Progress = (label: string, done: number, total?: number) => void;
