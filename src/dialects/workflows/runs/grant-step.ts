import type { Grant } from './cluster-grant.ts';
import type { PlacedStep } from './run-plan.ts';

const defaultTimeout = '10m';

type GrantTerms = Pick<Grant, 'id'> & Partial<Pick<Grant, 'attempt' | 'isLast' | 'isRollback' | 'progressDeadline'>>;

/** A step as clusters are granted it. */
export const grantFor = ({ step, phase, group, position }: PlacedStep, { attempt = 1, ...terms }: GrantTerms): Grant => ({
  phase: phase.name,
  group: group.name,
  step: step.name,
  type: step.type,
  position,
  ...(step.with && { with: step.with }),
  timeout: step.timeout ?? defaultTimeout,
  attempt,
  ...terms,
});
