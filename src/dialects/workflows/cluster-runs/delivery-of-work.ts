import { findCondition, type Condition } from '../../../api/conditions.ts';
import { clusterConditions, type Cluster } from '../../../api/cluster.ts';
import { workConditions, workReasons, type Work } from '../../../api/work.ts';
import { areInputsOf } from '../../../core/works/inputs.ts';

/** How far the member has come with what a Work says now. */
export type Delivery =
  | ({ readonly state: 'pending'; readonly message?: string; /** The member is out of reach. */ readonly isLost?: boolean } & Denied)
  | { readonly state: 'applied' }
  /** Nothing but another Work will help. */
  | ({ readonly state: 'failed'; readonly message: string } & Denied);

interface Denied {
  /** A rule of the member denies it. */
  readonly isDenied?: boolean;
}

/** After so many refusals in a row a step has failed: what passes by itself has passed by then. */
export const maxFailures = 4;

export function deliveryOf(work: Work, cluster: Cluster | undefined): Delivery {
  const { status, metadata } = work;
  const ready = findCondition(cluster, clusterConditions.ready);
  const lost =
    ready && ready.status !== 'True' ? { isLost: true, message: `Cluster "${cluster?.metadata.name}" is not ready: ${ready.message}` } : {};
  if (status?.observedGeneration !== metadata.generation) return { state: 'pending', ...lost };
  const stalled = findCondition(work, workConditions.stalled);
  if (stalled) return { state: 'failed', message: stalled.message, ...deniedBy(stalled) };
  const applied = findCondition(work, workConditions.applied);
  const { delivered } = status ?? {};
  if (applied?.status === 'True' && delivered?.state === 'Deployed' && areInputsOf(work, delivered.inputs)) return { state: 'applied' };
  const isLost = applied?.reason === workReasons.clusterUnreachable;
  return {
    state: 'pending',
    ...(applied && applied.reason !== workReasons.delivering && { message: applied.message }),
    ...deniedBy(applied),
    ...(isLost && { isLost }),
    ...lost,
  };
}

const deniedBy = (condition: Condition | undefined): Denied => (condition?.reason === workReasons.policyDenied ? { isDenied: true } : {});
