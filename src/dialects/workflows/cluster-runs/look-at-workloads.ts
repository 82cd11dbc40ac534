import { Event as MemberEvent, Namespace } from '../../../api/builtin-kinds.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Work } from '../../../api/work.ts';
import { denialWords } from '../../../core/delivery/explain-refusal.ts';
import type { Member } from '../../../core/delivery/member.ts';
import { refKey, type ObjectRef } from '../../../core/delivery/object-ref.ts';
import { evaluateCondition } from '../expressions/condition.ts';
import { ExpressionError } from '../expressions/expression-error.ts';
import { judgeSteady, type JudgeCondition, type SteadyState } from '../release/steady-state.ts';
import { readObjects } from './member-sight.ts';

const judgeCondition: JudgeCondition = (condition, response) => {
  try {
    return evaluateCondition(condition, path => (path === 'response' ? response : undefined));
  } catch (error) {
    // What it names may not be there yet.
    if (error instanceof ExpressionError) return false;
    throw error;
  }
};

interface LookOptions {
  readonly member: Member | undefined;
  readonly work: Work;
  readonly labelPrefix: string;
  /** By which name objects were written; the usual one when absent. */
  readonly manager: string | undefined;
  readonly signal: AbortSignal;
}

/** How what a step has applied and waits for is, each with its name: as the member shows it, or else as the Work reports it. */
export async function lookAtWorkloads(
  refs: readonly ObjectRef[],
  { member, work, labelPrefix, manager, signal }: LookOptions,
): Promise<SteadyState[]> {
  if (!member) return refs.map(ref => named(ref, asReported(ref, work)));
  const found = await readObjects(member, refs, signal);
  const judged = (ref: ObjectRef, obj: KubeObject) => named(ref, judgeSteady(obj, { labelPrefix, manager, judge: judgeCondition }));
  return Promise.all(
    refs.map(async ref => {
      const obj = found.get(refKey(ref));
      return obj ? judged(ref, obj) : named(ref, await missing(ref, member, signal));
    }),
  );
}

/** What was applied and is not there was deleted by others, and nobody brings it back by itself. */
async function missing(ref: ObjectRef, { client, kinds }: Member, signal: AbortSignal): Promise<SteadyState> {
  const { namespace } = ref;
  // A kind that was defined a moment ago may not be known everywhere.
  if (!(await kinds.find(ref, signal))) return { state: 'waiting', message: 'the cluster does not know its kind yet' };
  const place = namespace === undefined ? undefined : await client.get(Namespace, { name: namespace }, { signal });
  if (namespace !== undefined && !place) return { state: 'failed', message: `namespace "${namespace}" was deleted on the cluster` };
  if (place?.metadata.deletionTimestamp !== undefined)
    return { state: 'failed', message: `namespace "${namespace}" is being deleted on the cluster` };
  return { state: 'failed', message: 'it was deleted on the cluster while the step waited for it' };
}

const named = ({ kind, name }: ObjectRef, { message, ...state }: SteadyState): SteadyState => ({
  ...state,
  message: `${kind}/${name}: ${message}`,
});

function asReported(ref: ObjectRef, { status }: Work): SteadyState {
  const found = status?.objects?.find(one => refKey(one) === refKey(ref));
  const message = found?.message ?? 'not there yet';
  if (found?.health === 'Current') return { state: 'steady', message };
  return { state: found?.health === 'Failed' ? 'failed' : 'waiting', message };
}

export interface SeenEvent {
  readonly id: string;
  readonly text: string;
  /** What it is about, as in `Deployment/web`. */
  readonly about: string;
  readonly note: string;
  readonly atMs: number;
}

/** What the member says about workloads, and about what their controllers make of them, since a moment. */
export async function readEvents(member: Member, refs: readonly ObjectRef[], since: Date, signal: AbortSignal): Promise<SeenEvent[]> {
  const seen: SeenEvent[] = [];
  for (const namespace of new Set(refs.map(ref => ref.namespace ?? ''))) {
    if (namespace === '') continue;
    const { items } = await member.client.list(MemberEvent, { namespace, signal });
    for (const { metadata, regarding, note = '', eventTime, deprecatedLastTimestamp, series } of items) {
      const atMs = Date.parse(series?.lastObservedTime ?? deprecatedLastTimestamp ?? eventTime ?? metadata.creationTimestamp ?? '');
      if (atMs < since.getTime() || !regarding?.name || !refs.some(ref => isAbout(regarding.name!, ref.name))) continue;
      const about = `${regarding.kind}/${regarding.name}`;
      seen.push({ id: `${metadata.uid} ${note}`, text: `Event  : ${about}   ${note}`, about, note, atMs });
    }
  }
  return seen;
}

/** Of most workloads only events tell that a rule of the member denies their pods: the last one counts. */
export function withDenials(refs: readonly ObjectRef[], seen: readonly SteadyState[], events: readonly SeenEvent[]): SteadyState[] {
  return seen.map((one, i) => {
    if (one.state !== 'waiting' || one.isDenied === true) return one;
    const { kind, name } = refs[i]!;
    const last = events.filter(({ about }) => about === `${kind}/${name}`).toSorted((a, b) => b.atMs - a.atMs)[0];
    const words = last && denialWords(last.note);
    return words === undefined ? one : { ...one, message: `${one.message}: ${words}`, isDenied: true };
  });
}

const isAbout = (name: string, workload: string): boolean => name === workload || name.startsWith(`${workload}-`);
