import { jsonEqual } from '../../../util/json.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { RancherCondition } from '../kinds/condition.ts';

/** What is said about one aspect; the times are filled in. */
export interface RancherReport {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
}

/** The reports in Rancher's form and in their own order, which decides about the state. The times move only with what they are about. */
export function reportConditions(
  present: readonly RancherCondition[] | undefined,
  reports: readonly RancherReport[],
  now: Date,
): RancherCondition[] {
  return reports.map(({ type, status, reason = '', message = '' }) => {
    const old = present?.find(one => one.type === type);
    const isSame = old?.status === status && (old.reason ?? '') === reason && (old.message ?? '') === message;
    return {
      type,
      status,
      reason,
      message,
      lastUpdateTime: (isSame ? old.lastUpdateTime : undefined) ?? timestamp(now),
      lastTransitionTime: (old?.status === status ? old.lastTransitionTime : undefined) ?? timestamp(now),
    };
  });
}

export const findRancherCondition = (
  obj: { status?: { conditions?: readonly RancherCondition[] } } | undefined,
  type: string,
): RancherCondition | undefined => obj?.status?.conditions?.find(one => one.type === type);

interface StatusWithConditions {
  readonly conditions?: readonly RancherCondition[];
}

/** Whether a status says all of it already, and nothing that was said before and is not any more. Conditions of others, of types we never write, are theirs. */
export function isReported(present: StatusWithConditions | undefined, wanted: StatusWithConditions, own: ReadonlySet<string>): boolean {
  const { conditions: before = [], ...fieldsBefore } = present ?? {};
  const { conditions = [], ...fields } = wanted;
  return (
    jsonEqual(fieldsBefore, fields) &&
    conditions.every(one => before.some(other => jsonEqual(one, other))) &&
    before.every(({ type }) => !own.has(type) || conditions.some(one => one.type === type))
  );
}
