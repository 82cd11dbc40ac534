import { describeMetrics } from './metric-text.ts';
import type { WorkQueue } from './work-queue.ts';

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

/** What controller-runtime calls them. A loop that is stalled waits for a person, which it has no word for. */
const resultLabels: Readonly<Record<ReconcileResult, string>> = {
  settled: 'success',
  requeued: 'requeue_after',
  failed: 'error',
  stalled: 'stalled',
};

/** What a queue tells about itself. */
export type QueueNumbers = Pick<WorkQueue, 'depth' | 'oldestWaitMs' | 'runningMs'>;

export function controllerStats(name: string, queue: QueueNumbers): ControllerStats {
  const results: Record<ReconcileResult, number> = { settled: 0, requeued: 0, failed: 0, stalled: 0 };
  const perBucket = bucketSeconds.map(() => 0);
  let count = 0;
  let sumSeconds = 0;
  const label = `controller="${name}"`;
  const time = 'controller_runtime_reconcile_time_seconds';

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
      const { runningMs } = queue;
      return [
        `workqueue_depth{name="${name}",${label}} ${queue.depth}`,
        `workqueue_unfinished_work_seconds{name="${name}",${label}} ${runningMs.reduce((sum, ms) => sum + ms, 0) / 1000}`,
        `workqueue_longest_running_processor_seconds{name="${name}",${label}} ${Math.max(0, ...runningMs) / 1000}`,
        `controller_runtime_active_workers{${label}} ${runningMs.length}`,
        `drover_workqueue_oldest_wait_seconds{name="${name}",${label}} ${queue.oldestWaitMs / 1000}`,
        ...Object.entries(results).map(
          ([result, total]) => `controller_runtime_reconcile_total{${label},result="${resultLabels[result as ReconcileResult]}"} ${total}`,
        ),
        `controller_runtime_reconcile_errors_total{${label}} ${results.failed}`,
        ...bucketSeconds.map((limit, i) => `${time}_bucket{${label},le="${limit}"} ${(below += perBucket[i]!)}`),
        `${time}_bucket{${label},le="+Inf"} ${count}`,
        `${time}_sum{${label}} ${sumSeconds}`,
        `${time}_count{${label}} ${count}`,
      ];
    },
  };
}

/** The numbers of all controllers in the text format of Prometheus, metric by metric, under the names that dashboards for controller-runtime know. */
export function printControllerStats(all: readonly ControllerStats[]): string {
  return describeMetrics(
    [
      { name: 'workqueue_depth', type: 'gauge', help: 'Keys that wait to be looked at.' },
      { name: 'workqueue_unfinished_work_seconds', type: 'gauge', help: 'How long all that is being looked at has been so.' },
      { name: 'workqueue_longest_running_processor_seconds', type: 'gauge', help: 'How long the longest of them has been so.' },
      { name: 'controller_runtime_active_workers', type: 'gauge', help: 'Keys that are being looked at.' },
      { name: 'drover_workqueue_oldest_wait_seconds', type: 'gauge', help: 'How long the oldest of them has waited.' },
      { name: 'controller_runtime_reconcile_total', type: 'counter', help: 'Looks by how they ended.' },
      { name: 'controller_runtime_reconcile_errors_total', type: 'counter', help: 'Looks that failed and are tried again.' },
      { name: 'controller_runtime_reconcile_time_seconds', type: 'histogram', help: 'How long looks took.' },
    ],
    all.flatMap(stats => stats.print()),
  );
}
