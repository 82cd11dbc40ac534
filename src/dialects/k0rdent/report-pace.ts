/** When to write statuses that cost the more the more clusters they list: at once where it costs nothing, else what happens together is told together. */
export interface ReportPace {
  /** How long to wait with a report that is asked for now; zero when it is due. */
  restMs(key: string, clusters: number, nowMs: number): number;
  /** It was written. */
  told(key: string, nowMs: number): void;
  forget(key: string): void;
}

/** A delivery to one cluster is often through within this time, and then costs one report. */
const maxGatherMs = 200;
/** Less than the second after which people are to know what a member has said. */
const maxQuietMs = 700;
const gatherMsOfCluster = 0.2;
const quietMsOfCluster = 0.5;

export function reportPace(): ReportPace {
  const lastMs = new Map<string, number>();
  const dueMs = new Map<string, number>();
  return {
    restMs(key, clusters, nowMs) {
      let due = dueMs.get(key);
      if (due === undefined) {
        const quietUntil = (lastMs.get(key) ?? -Infinity) + Math.min(maxQuietMs, clusters * quietMsOfCluster);
        due = Math.max(nowMs + Math.min(maxGatherMs, clusters * gatherMsOfCluster), quietUntil);
        dueMs.set(key, due);
      }
      return Math.max(0, due - nowMs);
    },
    told(key, nowMs) {
      lastMs.set(key, nowMs);
      dueMs.delete(key);
    },
    forget(key) {
      lastMs.delete(key);
      dueMs.delete(key);
    },
  };
}
