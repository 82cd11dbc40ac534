import { findCondition } from '../../api/conditions.ts';
import { workConditions, workReasons, type DeliveredObject, type DriftedField, type PlannedObject, type Work } from '../../api/work.ts';
import { ageOf, humanDuration } from '../../apiserver/table/human-duration.ts';
import { priorityOf } from '../../core/works/claims.ts';
import { isChart } from '../../core/works/work-indexes.ts';
import { claimsOn, ifTheWinnerLeft, type Claim } from './claims-on.ts';
import { describeSource } from './describe-source.ts';
import { ifObjectsLeft } from './if-objects-left.ts';

/** Everything that can be said about one Work, for people and for programs. */
export interface WorkExplanation {
  readonly work: string;
  readonly namespace: string;
  readonly cluster: string | null;
  readonly release: { readonly name: string; readonly namespace: string };
  /** What is delivered, in words. */
  readonly source: string;
  readonly priority: number;
  readonly sync: string;
  readonly isSuspended: boolean;
  readonly ready: { readonly status: string; readonly reason: string; readonly message: string };
  /** How it is, in sentences. */
  readonly summary: readonly string[];
  readonly delivered: NonNullable<Work['status']>['delivered'] | null;
  readonly healthy: string | null;
  readonly objects: readonly DeliveredObject[];
  readonly drift: readonly DriftedField[];
  readonly plan: readonly PlannedObject[];
  readonly outrankedBy: { readonly work: string; readonly priority: number } | null;
  /** What must come to pass before it is delivered, in sentences. */
  readonly waitsFor: readonly string[];
  readonly failures: number;
  readonly nextTry: string | null;
  /** All that claim the release, the highest first. */
  readonly claims: readonly Claim[];
  readonly ifTheWinnerLeft: string;
}

export interface Surroundings {
  readonly work: Work;
  readonly cluster: string | undefined;
  /** All Works of the cluster. */
  readonly works: readonly Work[];
  readonly now: Date;
}

export function explainWork(facts: Surroundings): WorkExplanation {
  const { work, cluster, works } = facts;
  const { spec, status = {}, metadata } = work;
  const ready = findCondition(work, workConditions.ready);
  const claims = claimsOn(work, works);
  return {
    work: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    cluster: cluster ?? status.cluster ?? null,
    release: spec.release,
    source: describeSource(work),
    priority: priorityOf(work),
    sync: spec.sync ?? 'Continuous',
    isSuspended: spec.suspend ?? false,
    ready: { status: ready?.status ?? 'Unknown', reason: ready?.reason ?? '', message: ready?.message ?? '' },
    summary: summarize(facts),
    delivered: status.delivered ?? null,
    healthy: status.healthy ?? null,
    objects: status.objects ?? [],
    drift: status.drift ?? [],
    plan: status.plan ?? [],
    outrankedBy: status.outrankedBy ?? null,
    waitsFor: waitsFor(facts),
    failures: status.failures ?? 0,
    nextTry: status.nextTry ?? null,
    claims,
    ifTheWinnerLeft: isChart(work) ? ifTheWinnerLeft(claims) : ifObjectsLeft(work, works),
  };
}

const quoted = (name: string | undefined): string => JSON.stringify(name ?? '');

function summarize({ work, now }: Surroundings): string[] {
  const { metadata, status } = work;
  const sentences: string[] = [];
  const stalled = findCondition(work, workConditions.stalled);
  if (metadata.deletionTimestamp !== undefined) sentences.push(leavingSentence(work, now));
  else sentences.push(readySentence(work, now));
  if (status?.observedGeneration !== undefined && status.observedGeneration < (metadata.generation ?? 0))
    sentences.push('This is about an older state of the Work: its newest change has not been looked at yet.');
  // Sources are asked again all the same: what is missing there may come without a change here.
  const isOver = stalled?.status === 'True' && stalled.reason !== workReasons.sourceFailed;
  if (isOver) sentences.push('It is not tried again before something changes: the Work, its source or the cluster.');
  else if (status?.nextTry !== undefined) sentences.push(nextTrySentence(status.failures ?? 0, status.nextTry, now));
  return sentences;
}

function readySentence(work: Work, now: Date): string {
  const { spec, status } = work;
  const ready = findCondition(work, workConditions.ready);
  if (!ready) return 'Nobody has looked at it yet. The hub delivers to joined and sandbox clusters, the agent to imported ones.';
  const { outrankedBy, delivered } = status ?? {};
  if (ready.reason === workReasons.outranked && outrankedBy)
    return `It is outranked, which is no failure: work ${quoted(outrankedBy.work)} has the release with priority ${outrankedBy.priority}, this one has ${priorityOf(work)}.`;
  if (ready.reason === workReasons.planned) return 'It only plans, since spec.sync is DryRun: nothing is delivered.';
  if (ready.status !== 'True') return `It is not ready (${ready.reason}): ${ready.message}`;
  const what = delivered?.chart === undefined ? 'everything' : `chart ${delivered.chart}`;
  const health = status?.healthy === undefined ? '' : `, and ${status.healthy.replace('/', ' of ')} objects are healthy`;
  const since = delivered === undefined ? '' : `, since ${ageOf(delivered.at, now)}`;
  const rest = spec.suspend ? ' It is suspended: changes are not delivered.' : '';
  return `It is ready: ${what} is deployed${since}${health}.${rest}`;
}

function leavingSentence(work: Work, now: Date): string {
  const removed = findCondition(work, workConditions.removed);
  const since = ageOf(work.metadata.deletionTimestamp, now);
  if (removed === undefined) return `It is being deleted, since ${since}, and waits until the cluster has let go of what it delivered.`;
  return `It is being deleted, since ${since}: ${removed.message}`;
}

function nextTrySentence(failures: number, nextTry: string, now: Date): string {
  const leftMs = Date.parse(nextTry) - now.getTime();
  const when = leftMs > 0 ? `in ${humanDuration(leftMs)}` : 'due now';
  const past = failures > 1 ? `It failed ${failures} times in a row; the` : 'The';
  return `${past} next try is ${when} (${nextTry}).`;
}

function waitsFor({ work, works, cluster }: Surroundings): string[] {
  const { spec, metadata } = work;
  const reasons = new Set((work.status?.conditions ?? []).filter(one => one.status !== 'True').map(({ reason }) => reason));
  const sentences = (spec.after ?? []).flatMap(name => {
    const other = works.find(one => one.metadata.name === name);
    if (!other) return [`work ${quoted(name)}, which does not exist`];
    const ready = findCondition(other, workConditions.ready);
    return ready?.status === 'True' ? [] : [`work ${quoted(name)}, which is not ready${ready ? `: ${ready.message}` : ''}`];
  });
  if (reasons.has(workReasons.waitingForContent)) sentences.push('the hub, which has not fetched the bytes from the source yet');
  if (reasons.has(workReasons.clusterUnreachable))
    sentences.push(
      cluster === undefined
        ? `a cluster with id ${quoted(metadata.namespace)}, which the hub does not have`
        : `cluster ${quoted(cluster)}, which does not answer`,
    );
  if (spec.suspend) sentences.push('a person, who sets spec.suspend to false');
  return sentences;
}
