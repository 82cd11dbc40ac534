import type { BrokenRule, DeliveredObject, DriftedField, PlannedObject, PlannedRelease, Work } from '../../api/work.ts';
import { workReasons } from '../../api/work.ts';

export type WorkStatus = NonNullable<Work['status']>;
export type Delivered = NonNullable<WorkStatus['delivered']>;
export type WorkReason = (typeof workReasons)[keyof typeof workReasons];

/** What goes on with a Work at the moment. */
export type Phase =
  /** Nobody has looked at it yet. */
  | { readonly kind: 'new' }
  /** Something must happen first. */
  | { readonly kind: 'waiting'; readonly reason: WorkReason; readonly message: string }
  /** Left as it is because somebody wants that. */
  | { readonly kind: 'suspended' }
  | { readonly kind: 'outranked'; readonly by: string; readonly priority: number }
  | { readonly kind: 'delivering'; /** What is being done, as in "waits for its hooks". */ readonly step?: string }
  | { readonly kind: 'delivered' }
  | { readonly kind: 'planned' }
  | { readonly kind: 'failed'; readonly reason: WorkReason; readonly message: string; readonly isFinal: boolean }
  | { readonly kind: 'unreachable' }
  /** Of a Work that is being deleted. */
  | { readonly kind: 'removing' }
  | { readonly kind: 'removed'; readonly reason: WorkReason };

/** Everything that the status of a Work is made from. */
export interface WorkFacts {
  /** The name of the cluster. */
  readonly cluster: string;
  readonly phase: Phase;
  readonly delivered?: Delivered | undefined;
  /** Whether what was delivered is what the spec says now. */
  readonly isUpToDate: boolean;
  readonly objects: readonly DeliveredObject[];
  readonly drift: readonly DriftedField[];
  /** Objects that do not fulfil a rule of the Work. */
  readonly broken?: readonly BrokenRule[] | 'not judged' | undefined;
  /** Why drift stays though it is to be put right. */
  readonly driftTrouble?: string | undefined;
  readonly plan?: readonly PlannedObject[] | undefined;
  readonly planned?: PlannedRelease | undefined;
  /** Whether the time that objects had to become healthy is over. */
  readonly isLate?: boolean;
  readonly failures: number;
  readonly nextTry?: Date | undefined;
}
