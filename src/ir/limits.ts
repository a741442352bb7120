/**
 * Limits that turn a hostile or mistyped input into an error instead of an exhausted machine. Each has a
 * default, is named in the error it causes, and can be raised on the command line (`--limit name=value`).
 */
export interface Limits {
  /** Bytes of one input file. */
  readonly fileBytes: number;
  /** Ranks of a collective and chips of a topology. */
  readonly ranks: number;
  /** Chunks per shard (C), and slots of one buffer. */
  readonly chunks: number;
  /** Transfers of an elaborated schedule, operations of a plan, links of a topology. */
  readonly operations: number;
  /** Operations of all the plans together that a schedule is verified as, over a range of ranks. */
  readonly rangeOperations: number;
  /** Memory slots of all ranks together, and slots that the operations of a plan touch, while it is verified. */
  readonly slots: number;
  /** Statements and expressions evaluated while a file is elaborated. */
  readonly evaluations: number;
}

/**
 * Max number of operations × bulks whose times are stored, of a simulation (20 bytes each) or a run. It limits the links of all routes and the rows
 * of a timeline as well.
 */
export const maxTimedOperations = 2 ** 24;

export const defaultLimits: Limits = {
  fileBytes: 256 * 2 ** 20,
  ranks: 65_536,
  chunks: 1_048_576,
  operations: 8_000_000,
  rangeOperations: 100_000_000,
  slots: 2 ** 27,
  evaluations: 200_000_000,
};
