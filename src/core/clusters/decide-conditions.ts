import { clusterConditions, clusterReasons, type Cluster } from '../../api/cluster.ts';
import { findCondition, type ConditionReport } from '../../api/conditions.ts';
import { agentNamespace } from '../registration/agent-names.ts';
import type { Answer, Standing } from './standing.ts';

/** What the conditions of a Cluster say. Messages hold nothing that changes by itself. */
export function decideConditions(cluster: Cluster, standing: Standing | undefined): ConditionReport[] {
  if (cluster.metadata.deletionTimestamp !== undefined) {
    const message = 'The cluster is being removed from the hub; one that does not answer is waited for, for a minute';
    return [{ type: clusterConditions.ready, status: 'False', reason: clusterReasons.leaving, message }];
  }
  if (standing) return [...reportAnswer(cluster, standing.answer), reportClock(cluster, standing)];

  const isKnown = findCondition(cluster, clusterConditions.ready)?.observedGeneration !== undefined;
  if (isKnown) return [];
  const report = { status: 'Unknown', reason: clusterReasons.notAskedYet, message: 'The hub has not asked the cluster yet' } as const;
  return Object.values(clusterConditions).map(type => ({ type, ...report }));
}

function reportAnswer(cluster: Cluster, answer: Answer): ConditionReport[] {
  const { ready, connected } = clusterConditions;
  const isConnected = answer.kind === 'ready' || answer.kind === 'unready';
  const [reason, message] = explain(cluster, answer);
  return [
    { type: ready, status: answer.kind === 'ready' ? 'True' : 'False', reason, message },
    isConnected
      ? { type: connected, status: 'True', reason: clusterReasons.answering, message: 'The API server answers' }
      : { type: connected, status: 'False', reason, message },
  ];
}

const lookAtAgent = `kubectl -n ${agentNamespace} get pods`;

function explain(cluster: Cluster, answer: Answer): [reason: string, message: string] {
  switch (answer.kind) {
    case 'ready':
      return [clusterReasons.answering, 'The API server is ready'];
    case 'unready':
      return [clusterReasons.notReady, `The API server says that it is not ready${nameFailing(answer.failing)}`];
    case 'refused':
      return [clusterReasons.credentialRefused, 'The API server refuses the credential of the hub; join the cluster again to renew it'];
    case 'silent':
      return [clusterReasons.unreachable, `The API server does not answer: ${answer.why}`];
    case 'no-credential':
      return [clusterReasons.credentialMissing, `The hub has no credential for the cluster: ${answer.why}`];
    case 'no-agent':
      return [
        clusterReasons.agentDisconnected,
        cluster.status?.lastSeen === undefined
          ? `No agent has connected yet; apply the import manifest on the cluster, then look there: ${lookAtAgent}`
          : `The agent of the cluster is not connected; look on the cluster: ${lookAtAgent}`,
      ];
  }
}

function nameFailing(failing: readonly string[]): string {
  if (failing.length === 0) return '';
  const named = failing.toSorted().slice(0, 3);
  const more = failing.length > named.length ? ` and ${failing.length - named.length} more` : '';
  return `: ${named.map(one => JSON.stringify(one)).join(', ')}${more}`;
}

const clockOffMs = 10_000;
/** A clock that was off must come this close before it counts as right again. */
const clockRightMs = 5_000;
const clockSteps: readonly [beyondMs: number, words: string][] = [
  [86_400_000, 'a day'],
  [3_600_000, 'an hour'],
  [600_000, '10 minutes'],
  [60_000, 'a minute'],
  [0, 'a few seconds'],
];

function reportClock(cluster: Cluster, { answer, clockAheadMs }: Standing): ConditionReport {
  const type = clusterConditions.clockSynced;
  if (clockAheadMs === undefined || (answer.kind !== 'ready' && answer.kind !== 'unready')) {
    return { type, status: 'Unknown', reason: clusterReasons.clockUnknown, message: 'The cluster did not tell its time' };
  }
  const off = Math.abs(clockAheadMs);
  const wasOff = findCondition(cluster, type)?.status === 'False';
  if (off <= (wasOff ? clockRightMs : clockOffMs)) {
    return { type, status: 'True', reason: clusterReasons.clocksAgree, message: 'The clocks of hub and cluster agree' };
  }
  const [, step] = clockSteps.find(([beyondMs]) => off > beyondMs)!;
  const message = `The clock of the cluster is more than ${step} ${clockAheadMs > 0 ? 'ahead of' : 'behind'} the clock of the hub`;
  return { type, status: 'False', reason: clusterReasons.clocksDiffer, message };
}
