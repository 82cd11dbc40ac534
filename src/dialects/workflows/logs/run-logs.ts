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
  readonly cluster?: string | undefined;
  readonly step: string;
  /** The number of the grant, or of the step where nothing is granted. */
  readonly grant: number;
}

/** What steps said. */
export interface RunLogs {
  /** Says lines once: those that were said at the same place and unit, counted from the first, are not said again. Never throws and never waits. */
  append(run: LoggedRun, place: LogPlace, lines: readonly LogLine[]): void;
  /** Nothing is kept of a run any more. */
  remove(uid: string): void;
}
