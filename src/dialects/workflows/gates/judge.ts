import type { JsonObject } from '../../../util/json.ts';
import type { Gate } from '../kinds/gate.ts';
import type { GateAnswer, GateRequest } from './gate-desk.ts';
import type { GateState } from './gate-state.ts';

/** Asks outside, once for each number: undefined until it has answered. A probe that throws is answered as an Error. */
export type Ask = <T extends object>(about: string, number: number, probe: (signal: AbortSignal) => Promise<T>) => T | Error | undefined;

export interface Judging {
  readonly request: GateRequest;
  readonly gate: Gate;
  readonly state: GateState;
  readonly nowMs: number;
  readonly ask: Ask;
}

export type Verdict = Omit<GateAnswer, 'state'> & {
  /** What is to be remembered besides when the gate began. */
  readonly state?: JsonObject;
  /** The time for it is over, as the gate itself says. */
  readonly isTimedOut?: boolean;
};
