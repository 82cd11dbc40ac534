/** The parts of a step that have a log of their own. */
export const logUnits = [
  'Execute',
  'Fetch Files',
  'Initialize',
  'Prepare',
  'Apply',
  'Wait for Steady State',
  'Wrap Up',
  'Prune',
  'Rollback',
  'Recreate Pruned Resources',
  'Delete Failed Release Resources',
  'Delete',
  'Scale',
  'Swap Service Selectors',
  'Traffic Split',
  'Preview',
] as const;
export type LogUnit = (typeof logUnits)[number];

export interface LogLine {
  readonly unit: LogUnit;
  readonly level: 'INFO' | 'WARN' | 'ERROR';
  readonly message: string;
}

export interface LoggedRun {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** Whose lines: of a cluster, or of the run itself. */
export interface LogPlace {
  /** Its id. */
  readonly cluster?: string | undefined;
  readonly step: string;
  /** The number of the grant, or of the step where nothing is granted. */
  readonly grant: number;
}

/** What steps said. */
export interface RunLogs extends RunLogReader {
  /**
   * Says lines once. Each unit at a place is told from its first line on, whoever tells it and however often: of a call with five lines of a unit that has three, the last two
   * are new. Never throws and never waits.
   */
  append(run: LoggedRun, place: LogPlace, lines: readonly LogLine[]): void;
  /** Says lines that come one after the other, such as events of a cluster. What is told again after a crash is said again. */
  add(run: LoggedRun, place: LogPlace, lines: readonly LogLine[]): void;
  /** From now on these values are stars in whatever is said of the run. */
  hide(uid: string, secrets: Iterable<string>): void;
  /** Nothing is kept of a run any more. Never throws. */
  remove(uid: string): void;
  /** The uids of the runs that something is kept of. Never throws. */
  kept(): string[];
}

/** One line as it was said. */
export interface LogEntry {
  /** RFC 3339 in UTC. */
  readonly ts: string;
  readonly level: LogLine['level'];
  /** The id of the cluster; absent for what the run itself said. */
  readonly cluster?: string;
  readonly step: string;
  readonly unit: LogUnit;
  /** The number of the grant: tells attempts from each other. */
  readonly grant: number;
  /** Counted from 0 within a unit of a grant. */
  readonly seq: number;
  readonly msg: string;
}

/** Which lines. All when empty. */
export interface LogQuery {
  /** Ids of clusters. With `''`: what the run itself said. */
  readonly clusters?: readonly string[] | undefined;
  readonly step?: string | undefined;
  readonly unit?: string | undefined;
  /** None that are older. */
  readonly since?: Date | undefined;
}

export interface RunLogReader {
  /** What was said: by the run itself, then by one cluster after the other, each in order. */
  read(uid: string, query?: LogQuery): AsyncIterable<LogEntry>;
  /** What was said, then what is being said, as it comes. Ends after the signal fires, when all was given that was said until then. */
  follow(uid: string, query: LogQuery, signal: AbortSignal): AsyncIterable<LogEntry>;
}
