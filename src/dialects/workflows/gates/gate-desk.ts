import type { Json } from '../../../api/object.ts';
import type { GatePhase } from '../../../core/gates/gate-phase.ts';
import type { Key } from '../../../runtime/key.ts';

/** What gates of waves and steps of the hub may be; a Barrier is a step. */
export const gateTypes = ['Approval', 'Wait', 'Window', 'HTTP', 'Analysis', 'Job', 'Expression', 'Barrier'] as const;
export type GateType = (typeof gateTypes)[number];

/** A gate as a wave or a step of the hub has it. Fields besides these depend on the type; expressions are not rendered yet. */
export interface GateSpec {
  readonly name: string;
  readonly type: GateType;
  /** Default 1h. A Wait has none. */
  readonly timeout?: string;
  readonly onFailure?: 'Fail' | 'Pause' | 'Rollback';
  readonly onTimeout?: 'Fail' | 'Pass' | 'Pause';
  readonly [field: string]: unknown;
}

export interface GateCluster {
  readonly id: string;
  readonly name: string;
}

type Scope = (path: string) => unknown;

export interface GateRequest {
  readonly run: { readonly namespace: string; readonly name: string; readonly uid: string };
  readonly gate: GateSpec;
  /** Which gate of the run it is: the same text names the same gate for ever, such as `wave/canary/before/approve` or `step/Primary/Verify/check/1`. */
  readonly place: string;
  readonly wave: string;
  /** What the gate is about: of EachCluster, every one of them is asked. */
  readonly clusters: readonly GateCluster[];
  readonly scope: Scope;
  /** With `cluster.*` of one cluster. */
  scopeOf(cluster: GateCluster): Scope;
  /** What the run is about, for people and for `autoRejectPrevious`. */
  readonly about: { readonly workflow: string; readonly service?: string | undefined; readonly infrastructure?: string | undefined };
  /** What the desk answered last, from the status of the run; undefined at the first look. */
  readonly state: Json | undefined;
  /** Who started the run may be kept from approving it. */
  readonly startedBy?: string | undefined;
  readonly now: Date;
}

export interface GateAnswer {
  readonly phase: GatePhase;
  readonly message?: string;
  /** Small; to be kept in the status of the run and handed back at the next look. */
  readonly state: Json;
  /** When to look again though nothing changed. */
  readonly wakeAt?: Date;
  /** Of an Approval. */
  readonly approvalRequest?: string;
  /** Why it failed, for failure strategies. */
  readonly failureType?: 'Verification' | 'ApprovalRejected' | 'Timeout' | 'ApplicationError';
  /** Something that the gate names is not there, or cannot be read. */
  readonly isUnresolved?: boolean;
  /** Somebody said RejectAndRollback: whatever the failure strategy says, the run rolls back. */
  readonly mustRollBack?: boolean;
  /** What expressions find below `context.<name of the gate>`, or as `httpResponseCode` and `httpResponseBody`. */
  readonly outputs?: Readonly<Record<string, string>>;
}

/** Judges gates. It asks outside in the background and answers at once with what it knows; `onTimeout` is applied already, `onFailure` is the caller's. */
export interface GateDesk {
  look(request: GateRequest): GateAnswer;
  /** Hears the keys of runs of which some gate may be answered differently now. */
  onChange(listener: (run: Key) => void): Disposable;
}
