import { withConditions, type Condition, type ConditionReport } from '../../api/conditions.ts';
import { workConditions, workReasons, type BrokenRule, type DeliveredObject, type PlannedObject, type Work } from '../../api/work.ts';
import { timestamp } from '../../util/timestamp.ts';
import { failsForGood } from './fails-for-good.ts';
import type { WorkFacts, WorkReason, WorkStatus } from './work-facts.ts';

interface Said {
  readonly status: Condition['status'];
  readonly reason: WorkReason;
  readonly message: string;
}

/** What the status of a Work says. Equal facts give equal words: what changes by itself, such as times, is in fields of its own and never in messages. */
export function decideStatus(work: Work, facts: WorkFacts, now: Date): WorkStatus {
  const { phase, cluster, delivered, objects, broken = [], drift, plan, planned, failures, nextTry } = facts;
  const { generation } = work.metadata;
  const reports = reportsOf(work, facts);
  const kept = work.status?.conditions?.filter(one => reports.some(({ type }) => type === one.type));
  const counted = objects.filter(isOwn);
  const trouble = troubleOf(work, facts);
  return {
    ...(cluster !== '' && { cluster }),
    ...(delivered && { delivered }),
    ...(objects.length > 0 && { objects: [...objects] }),
    ...(counted.length > 0 && { healthy: `${counted.filter(isCurrent).length}/${counted.length}` }),
    ...(broken !== 'not judged' && broken.length > 0 && { brokenRules: [...broken] }),
    ...(drift.length > 0 && { drift: [...drift] }),
    ...(plan && { plan: [...plan] }),
    ...(planned && { planned }),
    ...(phase.kind === 'outranked' && { outrankedBy: { work: phase.by, priority: phase.priority } }),
    ...(failures > 0 && { failures }),
    ...(nextTry && { nextTry: timestamp(nextTry) }),
    ...(trouble !== undefined && { trouble }),
    conditions: withConditions(kept, reports, { now, generation }),
    ...(generation !== undefined && { observedGeneration: generation }),
  };
}

const troubles: ReadonlySet<WorkReason> = new Set([workReasons.unhealthy, workReasons.timedOut, workReasons.drifted]);

function troubleOf(work: Work, facts: WorkFacts): string | undefined {
  const { phase, failures } = facts;
  if (phase.kind === 'failed') return failsForGood(phase, failures) || phase.reason === workReasons.timedOut ? phase.reason : undefined;
  // While it is tried once more nothing is better yet.
  if (phase.kind === 'delivering' && failures > 0) return work.status?.trouble;
  if (phase.kind !== 'delivered') return undefined;
  const { status, reason } = sayReady(work, facts);
  return status === 'False' && troubles.has(reason) ? reason : undefined;
}

function reportsOf(work: Work, facts: WorkFacts): ConditionReport[] {
  const { ready, applied, healthy, drifted, outranked, reconciling, stalled, removed } = workConditions;
  const { phase, drift } = facts;
  const summary = sayReady(work, facts);
  const health = sayHealthy(facts);
  const lost = sayOutranked(work, facts);
  const leaving = sayRemoved(work, facts);
  const reports: ConditionReport[] = [{ type: ready, ...summary }];
  if (leaving) reports.push({ type: removed, ...leaving });
  else reports.push({ type: applied, ...sayApplied(work, facts) });
  if (health && !leaving) reports.push({ type: healthy, ...health });
  if (drift.length > 0) reports.push({ type: drifted, ...sayDrifted(facts) });
  if (lost) reports.push({ type: outranked, ...lost });
  const isFinal = phase.kind === 'failed' && phase.isFinal;
  if (isFinal) reports.push({ type: stalled, ...summary, status: 'True' });
  else if (summary.status === 'False' && isUnderWay(facts, summary)) reports.push({ type: reconciling, ...summary, status: 'True' });
  return reports;
}

/** Whether things change by themselves, without anybody doing anything. */
function isUnderWay({ phase }: WorkFacts, { reason }: Said): boolean {
  if (phase.kind === 'delivered') return reason === workReasons.progressing || reason === workReasons.delivering;
  return ['delivering', 'removing', 'waiting', 'failed'].includes(phase.kind);
}

function sayReady(work: Work, facts: WorkFacts): Said {
  const { phase } = facts;
  if (phase.kind === 'suspended') {
    const isFine = facts.isUpToDate && sayHealthy(facts)?.status !== 'False' && facts.drift.length === 0;
    return { ...sayApplied(work, facts), reason: workReasons.suspended, status: isFine ? 'True' : 'False' };
  }
  if (phase.kind === 'planned')
    return { status: 'True', reason: workReasons.planned, message: planMessage(facts.plan ?? [], placeOf(work, facts)) };
  if (phase.kind === 'removing' || phase.kind === 'removed') return { ...sayRemoved(work, facts)!, status: 'False' };
  if (phase.kind === 'unreachable') return { status: 'Unknown', ...unreachable(facts) };
  if (phase.kind !== 'delivered' || isOvertaken(work, facts)) return sayApplied(work, facts);
  const lost = sayOutranked(work, facts);
  if (lost) return { ...lost, status: 'False' };
  const health = sayHealthy(facts);
  if (health && health.status !== 'True') return health;
  if (facts.drift.length > 0) return { ...sayDrifted(facts), status: 'False' };
  return health ?? { status: 'True', reason: workReasons.delivered, message: `${placeOf(work, facts)} is delivered` };
}

function sayApplied(work: Work, facts: WorkFacts): Said {
  const { phase } = facts;
  const place = placeOf(work, facts);
  switch (phase.kind) {
    case 'new':
      return { status: 'Unknown', reason: workReasons.delivering, message: `${place} has not been looked at yet` };
    case 'delivering':
      return { status: 'False', reason: workReasons.delivering, message: `${place} ${phase.step ?? 'is being delivered'}` };
    case 'waiting':
      return { status: 'False', reason: phase.reason, message: phase.message };
    case 'suspended':
      return facts.isUpToDate
        ? {
            status: 'True',
            reason: workReasons.delivered,
            message: `${place} is delivered; changes wait until it is not suspended any more`,
          }
        : { status: 'False', reason: workReasons.suspended, message: `${place} is left as it is while the Work is suspended` };
    case 'outranked':
      return { ...sayOutranked(work, facts)!, status: 'False' };
    case 'planned':
      return { status: 'False', reason: workReasons.planned, message: 'Nothing is changed: sync is DryRun' };
    case 'failed':
      return { status: 'False', reason: phase.reason, message: phase.message };
    case 'unreachable':
      return { status: facts.isUpToDate ? 'True' : 'Unknown', ...unreachable(facts) };
    default:
      if (isOvertaken(work, facts)) return { status: 'False', reason: workReasons.delivering, message: `${place} is being delivered` };
      return { status: 'True', reason: workReasons.delivered, message: `${place} is delivered` };
  }
}

/** What was delivered is what the Work said before: nobody who waits for what it says now must be told that it is there. */
const isOvertaken = ({ spec }: Work, { phase, isUpToDate }: WorkFacts): boolean =>
  phase.kind === 'delivered' && !isUpToDate && spec.sync !== 'Once';

function sayHealthy({ phase, objects, broken = [], cluster, isLate }: WorkFacts): Said | undefined {
  const own = objects.filter(isOwn);
  if (own.length === 0 || phase.kind === 'outranked' || phase.kind === 'planned') return undefined;
  if (phase.kind === 'unreachable')
    return { status: 'Unknown', reason: workReasons.clusterUnreachable, message: unreachable({ cluster }).message };
  const failed = own.filter(one => one.health === 'Failed' || one.health === 'NotFound');
  if (failed.length > 0) return { status: 'False', reason: workReasons.unhealthy, message: listObjects(failed, cluster) };
  const waiting = own.filter(one => !isCurrent(one));
  const reason = isLate ? workReasons.timedOut : workReasons.progressing;
  if (waiting.length > 0) return { status: 'False', reason, message: listObjects(waiting, cluster) };
  if (broken === 'not judged')
    return {
      status: 'False',
      reason: workReasons.progressing,
      message: `On cluster "${cluster}" rules of health have not been judged yet`,
    };
  if (broken.length > 0) return { status: 'False', reason: workReasons.unhealthy, message: listBroken(broken, cluster) };
  return { status: 'True', reason: workReasons.healthy, message: `Everything is healthy on cluster "${cluster}"` };
}

function sayOutranked(work: Work, facts: WorkFacts): Said | undefined {
  const { phase, objects, cluster } = facts;
  if (phase.kind === 'outranked') {
    const message = `Work "${phase.by}" with priority ${phase.priority} has ${placeOf(work, facts, false)}`;
    return { status: 'True', reason: workReasons.outranked, message };
  }
  const lost = objects.filter(one => one.outrankedBy !== undefined);
  if (lost.length === 0) return undefined;
  const [first] = lost;
  const more = lost.length > 1 ? `, and ${lost.length - 1} more` : '';
  const message = `Work "${first!.outrankedBy}" delivers ${nameOf(first!)} on cluster "${cluster}" instead${more}`;
  return { status: 'True', reason: workReasons.outranked, message };
}

function sayDrifted({ drift, driftTrouble, cluster }: WorkFacts): Said {
  const [first] = drift;
  const what = first!.path === '' ? `${nameOf(first!)} is gone` : `${first!.path} of ${nameOf(first!)} was changed`;
  const by = first!.manager === undefined ? '' : ` by "${first!.manager}"`;
  const more = drift.length > 1 ? `, and ${drift.length - 1} more` : '';
  const trouble = driftTrouble === undefined ? '' : `; ${driftTrouble}`;
  return { status: 'True', reason: workReasons.drifted, message: `On cluster "${cluster}" ${what}${by}${more}${trouble}` };
}

/** Of a Work that is being deleted. */
function sayRemoved(work: Work, facts: WorkFacts): Said | undefined {
  const { phase } = facts;
  if (work.metadata.deletionTimestamp === undefined) return undefined;
  const place = placeOf(work, facts);
  switch (phase.kind) {
    case 'removed':
      return { status: 'True', reason: phase.reason, message: `${place} ${removedWords[phase.reason] ?? 'is gone'}` };
    case 'unreachable':
      return { status: 'False', ...unreachable(facts) };
    case 'failed':
      return { status: 'False', reason: workReasons.uninstallFailed, message: phase.message };
    default:
      return { status: 'False', reason: workReasons.delivering, message: `${place} is being removed` };
  }
}

const removedWords: Partial<Record<WorkReason, string>> = {
  [workReasons.uninstalled]: 'is uninstalled',
  [workReasons.handedOver]: 'has passed to another Work',
  [workReasons.kept]: 'stays as it is',
};

const unreachable = ({ cluster }: Pick<WorkFacts, 'cluster'>) => ({
  reason: workReasons.clusterUnreachable,
  message: `Cluster "${cluster}" cannot be reached; what runs there goes on`,
});

/** `Release "shop/web" on cluster "east"`. */
export function placeOf({ spec }: Work, { cluster }: Pick<WorkFacts, 'cluster'>, isFirst = true): string {
  const word = isFirst ? 'Release' : 'release';
  return `${word} "${spec.release.namespace}/${spec.release.name}" on cluster "${cluster}"`;
}

export function planMessage(plan: readonly PlannedObject[], place: string): string {
  const count = (action: PlannedObject['action']) => plan.filter(one => one.action === action).length;
  const parts = [
    [count('Create'), 'to create'],
    [count('Change'), 'to change'],
    [count('Delete'), 'to delete'],
  ].filter(([number]) => number !== 0);
  return parts.length === 0 ? `${place} would not change` : `${place}: ${parts.map(([number, words]) => `${number} ${words}`).join(', ')}`;
}

/** The first three, and how many there are besides. */
function listObjects(objects: readonly DeliveredObject[], cluster: string): string {
  const named = [...objects].sort((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1)).slice(0, 3);
  const words = named.map(one => `${nameOf(one)}: ${one.message ?? healthWords[one.health]}`).join('; ');
  const more = objects.length > 3 ? `; and ${objects.length - 3} more` : '';
  return `On cluster "${cluster}" ${words}${more}`;
}

function listBroken(broken: readonly BrokenRule[], cluster: string): string {
  const words = broken.slice(0, 3).map(one => `${nameOf(one)}: ${one.message ?? 'is not healthy'} (rule ${one.rule})`);
  const more = broken.length > 3 ? `; and ${broken.length - 3} more` : '';
  return `On cluster "${cluster}" ${words.join('; ')}${more}`;
}

const healthWords: Record<DeliveredObject['health'], string> = {
  Current: 'is healthy',
  InProgress: 'is not healthy yet',
  Failed: 'has failed',
  Terminating: 'is being deleted',
  NotFound: 'is not there',
  Unknown: 'is not known yet',
};

type Named = Pick<DeliveredObject, 'kind' | 'namespace' | 'name'>;
const nameOf = ({ kind, namespace, name }: Named): string => `${kind} "${namespace === undefined ? name : `${namespace}/${name}`}"`;
const isCurrent = ({ health }: DeliveredObject): boolean => health === 'Current';
const isOwn = ({ outrankedBy }: DeliveredObject): boolean => outrankedBy === undefined;
