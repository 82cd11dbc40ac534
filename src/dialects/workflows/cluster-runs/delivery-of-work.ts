import { findCondition } from '../../../api/conditions.ts';
import { workConditions, type Work } from '../../../api/work.ts';
import { inputsOf } from '../../../core/works/inputs.ts';

/** How far the member has come with what a Work says now. */
export type Delivery =
  | { readonly state: 'pending'; readonly message?: string }
  | { readonly state: 'applied' }
  /** Nothing but another Work will help. */
  | { readonly state: 'failed'; readonly message: string };

/** After so many refusals in a row a step has failed: what passes by itself has passed by then. */
export const maxFailures = 4;

export function deliveryOf(work: Work): Delivery {
  const { status, metadata } = work;
  if (status?.observedGeneration !== metadata.generation) return { state: 'pending' };
  const stalled = findCondition(work, workConditions.stalled);
  if (stalled) return { state: 'failed', message: stalled.message };
  const applied = findCondition(work, workConditions.applied);
  const { delivered } = status ?? {};
  if (applied?.status === 'True' && delivered?.state === 'Deployed' && delivered.inputs === inputsOf(work)) return { state: 'applied' };
  return { state: 'pending', ...(applied && { message: applied.message }) };
}
