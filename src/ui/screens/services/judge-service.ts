import { judgeObject } from '../../parts/judge-object.ts';
import { isUnderWay } from '../../parts/phase-tone.ts';
import { isPlanOnly, type MultiClusterService } from './service-kinds.ts';

/** How a service is as a whole. One that is on its way, plans only, or lost to a higher priority has not failed. */
export function judgeService(mcs: MultiClusterService): ReturnType<typeof judgeObject> {
  const judged = judgeObject(mcs);
  if (judged.tone !== 'bad' || mcs.metadata.deletionTimestamp !== undefined) return judged;
  const { rollout, matchingClusters = [] } = mcs.status ?? {};
  if (isPlanOnly(mcs)) return { tone: 'info', word: 'Only plans', why: 'Its syncMode is DryRun' };
  const missing = matchingClusters.filter(one => !one.deployed);
  if (missing.length > 0 && missing.every(one => one.outranked)) return { tone: 'idle', word: 'Outranked', why: judged.why };
  if (rollout && isUnderWay(rollout.phase)) return { tone: 'info', word: 'Rolling out', why: rollout.message };
  if (rollout?.phase === 'Paused') return { tone: 'warn', word: 'Paused', why: rollout.message };
  // k0rdent calls it failed from its first moment. What fails on a cluster is told of the cluster.
  if (missing.length > 0 && missing.every(one => one.outranked || one.reason === undefined) && !hasFault(mcs))
    return { tone: 'info', word: 'Not everywhere yet', why: judged.why };
  return judged;
}

const aboutClusters: ReadonlySet<string> = new Set(['Ready', 'ClusterInReadyState', 'RolledOut']);

/** Whether something is wrong with the service itself. */
const hasFault = ({ status }: MultiClusterService): boolean =>
  (status?.conditions ?? []).some(one => one.status === 'False' && !aboutClusters.has(one.type));
