export type ReconcileResult = 'settled' | 'requeued' | 'failed' | 'stalled';

/** The four numbers of a loop: how many keys wait, how long the oldest has, how runs ended and how long they took. */
export interface ControllerStats {
  readonly name: string;
  readonly depth: number;
  readonly oldestWaitMs: number;
  readonly results: Readonly<Record<ReconcileResult, number>>;
  observe(result: ReconcileResult, durationMs: number): void;
  /** In the text format of Prometheus, without the lines that describe them. */
  print(): string[];
}

const bucketSeconds = [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 60];

export function controllerStats(name: string, queue: { readonly depth: number; readonly oldestWaitMs: number }): ControllerStats {
  const results: Record<ReconcileResult, number> = { settled: 0, requeued: 0, failed: 0, stalled: 0 };
  const perBucket = bucketSeconds.map(() => 0);
  let count = 0;
  let sumSeconds = 0;
  const label = `controller="${name}"`;

  return {
    name,
    get depth() {
      return queue.depth;
    },
    get oldestWaitMs() {
      return queue.oldestWaitMs;
    },
    results,
    observe(result, durationMs) {
      const seconds = durationMs / 1000;
      results[result]++;
      count++;
      sumSeconds += seconds;
      const bucket = bucketSeconds.findIndex(limit => seconds <= limit);
      if (bucket >= 0) perBucket[bucket]!++;
    },
    print() {
      let below = 0;
      return [
        `drover_controller_depth{${label}} ${queue.depth}`,
        `drover_controller_oldest_wait_seconds{${label}} ${queue.oldestWaitMs / 1000}`,
        ...Object.entries(results).map(([result, total]) => `drover_controller_reconciles_total{${label},result="${result}"} ${total}`),
        ...bucketSeconds.map((limit, i) => `drover_controller_duration_seconds_bucket{${label},le="${limit}"} ${(below += perBucket[i]!)}`),
        `drover_controller_duration_seconds_bucket{${label},le="+Inf"} ${count}`,
        `drover_controller_duration_seconds_sum{${label}} ${sumSeconds}`,
        `drover_controller_duration_seconds_count{${label}} ${count}`,
      ];
    },
  };
}

const descriptions = [
  ['drover_controller_depth', 'gauge', 'Keys that wait to be looked at.'],
  ['drover_controller_oldest_wait_seconds', 'gauge', 'How long the oldest of them has waited.'],
  ['drover_controller_reconciles_total', 'counter', 'Looks by how they ended.'],
  ['drover_controller_duration_seconds', 'histogram', 'How long looks took.'],
] as const;

/** The numbers of all controllers in the text format of Prometheus, metric by metric. */
export function printControllerStats(all: readonly ControllerStats[]): string {
  const lines = all.flatMap(stats => stats.print());
  return descriptions
    .flatMap(([name, type, help]) => [
      `# HELP ${name} ${help}`,
      `# TYPE ${name} ${type}`,
      ...lines.filter(line => line.startsWith(`${name}{`) || line.startsWith(`${name}_`)),
    ])
    .map(line => `${line}\n`)
    .join('');
}
