import { integer, listMap, object, oneOf, optional, text, time, type TypeOf } from './schema.ts';

const condition = object('One aspect of the object as it was last observed.', {
  type: text('What the condition is about, in CamelCase.'),
  status: oneOf(['True', 'False', 'Unknown'], 'Whether it holds.'),
  reason: text('Why, in one CamelCase word for programs.'),
  message: text('Why, in one line for people.'),
  lastTransitionTime: time('When the status last changed.'),
  observedGeneration: optional(integer('The generation of the object the condition is about.')),
});

export type Condition = TypeOf<typeof condition>;

/** The status fields that every kind of ours has. */
export const conditions = {
  conditions: optional(listMap('The aspects of the object as last observed.', condition, ['type'])),
  observedGeneration: optional(integer('The generation of the object this status is about.')),
} as const;

/** The status of an object that nobody has looked at yet: programs that wait, by kstatus, would otherwise take it for done. */
export const notSeenYet = { default: { observedGeneration: -1 } };

/** What a controller says; when the status changed is filled in. */
export interface ConditionReport {
  readonly type: string;
  readonly status: Condition['status'];
  readonly reason: string;
  readonly message: string;
}

/** The present conditions with the reports written over them: the time moves only when a status changes. Sorted by type. */
export function withConditions(
  present: readonly Condition[] | undefined,
  reports: readonly ConditionReport[],
  { now, generation }: { now: Date; generation?: number | undefined },
): Condition[] {
  const next = new Map((present ?? []).map(one => [one.type, one]));
  for (const report of reports) {
    const old = next.get(report.type);
    const lastTransitionTime = old?.status === report.status ? old.lastTransitionTime : `${now.toISOString().slice(0, 19)}Z`;
    next.set(report.type, { ...report, lastTransitionTime, ...(generation !== undefined && { observedGeneration: generation }) });
  }
  return [...next.values()].sort((a, b) => (a.type < b.type ? -1 : 1));
}

/** Why something is not ready: it is being worked on, or a person must do something. Abnormal, so the condition is there only while it is so. */
export type Course = 'Reconciling' | 'Stalled';
export const courses: readonly Course[] = ['Reconciling', 'Stalled'];

/** As withConditions. If one of the reports is Ready, what keeps it from that is said in a condition of its own. */
export function withReadiness(
  present: readonly Condition[] | undefined,
  reports: readonly ConditionReport[],
  { course, ...when }: { course: Course | undefined; now: Date; generation?: number | undefined },
): Condition[] {
  const ready = reports.find(({ type }) => type === 'Ready');
  if (!ready) return withConditions(present, reports, when);
  const kept = present?.filter(({ type }) => type === course || !courses.some(one => one === type));
  return withConditions(kept, [...reports, ...(course ? [{ ...ready, type: course, status: 'True' as const }] : [])], when);
}

export function findCondition(obj: { status?: { conditions?: readonly Condition[] } } | undefined, type: string): Condition | undefined {
  return obj?.status?.conditions?.find(one => one.type === type);
}
