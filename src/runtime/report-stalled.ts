import { findCondition, withConditions, type Condition } from '../api/conditions.ts';
import type { KindRef } from '../api/define-kind.ts';
import type { KubeObject } from '../api/object.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { isMissing } from '../client/missing-object.ts';
import type { RunOptions } from './controller.ts';
import type { Informer } from './informer.ts';
import { splitKey } from './key.ts';

/** Owns the conditions that say so, and nothing else: giving them up removes them. */
const fieldManager = 'drover-stalled';

type Conditioned = KubeObject & { status?: { conditions?: Condition[] } };

/** Says on the objects of a kind that a person must change something, for as long as that is so. */
export function stalledReporter<T extends Conditioned>(
  client: KubeClient,
  kind: KindRef<T>,
  informer: Pick<Informer<T>, 'get'>,
): NonNullable<RunOptions['reportStalled']> {
  return async (key, error, { now, signal }) => {
    const obj = informer.get(key);
    const present = findCondition(obj, 'Stalled');
    if (!obj || (!error && !present)) return;
    const { generation } = obj.metadata;
    const said = error && { reason: error.reason, message: error.message };
    const isSaid = present?.reason === said?.reason && present?.message === said?.message && present?.observedGeneration === generation;
    if (said && isSaid) return;
    const conditions = said
      ? withConditions(
          obj.status?.conditions?.filter(one => one.type === 'Stalled' || one.type === 'Ready'),
          [
            { type: 'Stalled', status: 'True', ...said },
            { type: 'Ready', status: 'False', ...said },
          ],
          { now, generation },
        )
      : [];
    const target = splitKey(key);
    const status = { metadata: target.namespace === '' ? { name: target.name } : target, status: { conditions } };
    try {
      await client.apply(kind, status as unknown as T, { subresource: 'status', fieldManager, signal });
    } catch (error) {
      if (!isMissing(error, target)) throw error;
    }
  };
}
