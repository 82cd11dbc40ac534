import type { KubeObject } from '../../api/object.ts';
import type { JsonObject } from '../../util/json.ts';
import {
  age,
  ageColumn,
  at,
  column,
  conditionOf,
  count,
  isTrue,
  list,
  nameColumn,
  nameOf,
  text,
  textOr,
  wide,
  type Cell,
  type Printer,
  type RowCondition,
} from './cell.ts';
import { ageOf } from './human-duration.ts';

const succeeded: readonly RowCondition[] = [
  { type: 'Completed', status: 'True', reason: 'Succeeded', message: 'The pod has completed successfully.' },
];
const failed: readonly RowCondition[] = [{ type: 'Completed', status: 'True', reason: 'Failed', message: 'The pod failed.' }];

export const podPrinter: Printer = {
  columns: [
    nameColumn,
    column('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
    column('Status', 'The aggregate status of the containers in this pod.'),
    column(
      'Restarts',
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    ),
    ageColumn,
    wide('IP'),
    wide('Node'),
    wide('Nominated Node'),
    wide('Readiness Gates'),
  ],
  cells: podCells,
  conditions: pod => (phaseOf(pod) === 'Succeeded' ? succeeded : phaseOf(pod) === 'Failed' ? failed : undefined),
};

const phaseOf = (pod: KubeObject) => text(pod, 'status', 'phase');

/** What the containers say about a pod, gathered from the first to the last. */
interface Summary {
  reason: string;
  ready: number;
  restarts: number;
  restartedAt: string;
}

function podCells(pod: KubeObject, now: Date): Cell[] {
  const init = summarizeInit(pod, firstReason(pod));
  const summary = init.isInitializing && !isConditionTrue(pod, 'Initialized') ? init.all : summarizeContainers(pod, init.sidecars);
  const total = list(pod, 'spec', 'containers').length + sidecarNames(pod).size;
  const { restarts, restartedAt } = summary;
  return [
    nameOf(pod),
    `${summary.ready}/${total}`,
    whileDeleted(pod, summary.reason),
    restarts !== 0 && restartedAt !== '' ? `${restarts} (${ageOf(restartedAt, now)} ago)` : String(restarts),
    age(pod, now),
    textOr('<none>', list(pod, 'status', 'podIPs')[0], 'ip'),
    textOr('<none>', pod, 'spec', 'nodeName'),
    textOr('<none>', pod, 'status', 'nominatedNodeName'),
    readinessGates(pod),
  ];
}

function firstReason(pod: KubeObject): string {
  if (text(conditionOf(pod, 'PodScheduled'), 'reason') === 'SchedulingGated') return 'SchedulingGated';
  return textOr(phaseOf(pod), pod, 'status', 'reason');
}

function sidecarNames(pod: KubeObject): Set<string> {
  const sidecars = list(pod, 'spec', 'initContainers').filter(c => c['restartPolicy'] === 'Always');
  return new Set(sidecars.map(c => text(c, 'name')));
}

const laterOf = (a: string, b: string) => (b !== '' && (a === '' || Date.parse(a) < Date.parse(b)) ? b : a);

function addRestarts(summary: Summary, status: JsonObject): void {
  summary.restarts += count(status, 'restartCount');
  summary.restartedAt = laterOf(summary.restartedAt, text(status, 'lastState', 'terminated', 'finishedAt'));
}

function summarizeInit(pod: KubeObject, reason: string): { all: Summary; sidecars: Summary; isInitializing: boolean } {
  const sidecars: Summary = { reason, ready: 0, restarts: 0, restartedAt: '' };
  const all: Summary = { ...sidecars };
  const names = sidecarNames(pod);
  const total = list(pod, 'spec', 'initContainers').length;
  const done = (isInitializing: boolean) => ({ all, sidecars, isInitializing });

  for (const [i, status] of list(pod, 'status', 'initContainerStatuses').entries()) {
    const isSidecar = names.has(text(status, 'name'));
    addRestarts(all, status);
    if (isSidecar) addRestarts(sidecars, status);
    const terminated = at(status, 'state', 'terminated');
    if (terminated !== undefined && count(terminated, 'exitCode') === 0) continue;
    if (isSidecar && isTrue(status, 'started')) {
      if (isTrue(status, 'ready')) all.ready = ++sidecars.ready;
      continue;
    }
    all.reason = `Init:${initReason(status) ?? `${i}/${total}`}`;
    sidecars.reason = all.reason;
    return done(true);
  }
  return done(false);
}

function initReason(status: JsonObject): string | undefined {
  const terminated = at(status, 'state', 'terminated');
  if (terminated !== undefined) return terminationReason(terminated);
  const waiting = text(status, 'state', 'waiting', 'reason');
  return waiting === '' || waiting === 'PodInitializing' ? undefined : waiting;
}

function terminationReason(terminated: unknown): string {
  const signal = count(terminated, 'signal');
  return textOr(signal === 0 ? `ExitCode:${count(terminated, 'exitCode')}` : `Signal:${signal}`, terminated, 'reason');
}

function summarizeContainers(pod: KubeObject, sidecars: Summary): Summary {
  const summary = { ...sidecars };
  let hasRunning = false;
  let failure = '';
  for (const status of list(pod, 'status', 'containerStatuses').toReversed()) {
    addRestarts(summary, status);
    const terminated = at(status, 'state', 'terminated');
    const waiting = text(status, 'state', 'waiting', 'reason');
    if (waiting !== '') summary.reason = waiting;
    else if (terminated !== undefined) {
      summary.reason = terminationReason(terminated);
      if (count(terminated, 'exitCode') !== 0) failure = summary.reason;
    } else if (isTrue(status, 'ready') && at(status, 'state', 'running') !== undefined) {
      hasRunning = true;
      summary.ready++;
    }
  }
  if (summary.reason === 'Completed') {
    if (hasRunning && isConditionTrue(pod, 'Ready')) summary.reason = 'Running';
    else if (failure !== '') summary.reason = failure;
    else if (hasRunning) summary.reason = 'NotReady';
  }
  return summary;
}

function isConditionTrue(pod: KubeObject, type: string): boolean {
  return conditionOf(pod, type)?.['status'] === 'True';
}

function whileDeleted(pod: KubeObject, reason: string): string {
  if (pod.metadata.deletionTimestamp === undefined) return reason;
  if (text(pod, 'status', 'reason') === 'NodeLost') return 'Unknown';
  return phaseOf(pod) === 'Succeeded' || phaseOf(pod) === 'Failed' ? reason : 'Terminating';
}

function readinessGates(pod: KubeObject): string {
  const gates = list(pod, 'spec', 'readinessGates');
  if (gates.length === 0) return '<none>';
  return `${gates.filter(gate => isConditionTrue(pod, text(gate, 'conditionType'))).length}/${gates.length}`;
}
