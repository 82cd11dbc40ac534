import type { KubeObject } from '../../../api/object.ts';
import type { NotificationRule, RunEvent } from '../kinds/workflow.ts';

export interface RunHappening {
  readonly event: RunEvent;
  readonly message: string;
  readonly phase?: string;
  readonly wave?: string;
  readonly cluster?: string;
  /** Tells one such happening of the run from the next, such as the number of the attempt. */
  readonly nonce?: string;
}

export interface HeraldedRun {
  readonly run: KubeObject;
  readonly workflow: string;
  /** `spec.notifications` of the workflow, as the snapshot has it. Secrets are in the namespace of the run. */
  readonly notifications: readonly NotificationRule[];
}

/** Says what happens to a run: as an Event of the hub and to whom the workflow names. */
export interface Herald {
  /** Resolves when it is sure to be said at least once. Call it before the status is written that makes it the past: the same happening is told once. */
  tell(run: HeraldedRun, happenings: readonly RunHappening[]): Promise<void>;
}
