import type { Json, JsonObject } from '../../../util/json.ts';
import { isJsonObject } from '../../../util/json.ts';

/** What a run remembers of a gate. */
export interface GateState extends JsonObject {
  startedAt: string;
}

/** The state of a gate, begun now when there is none. */
export function openState(state: Json | undefined, now: Date): GateState {
  const { startedAt = now.toISOString(), ...rest } = isJsonObject(state) ? state : {};
  return { ...rest, startedAt: String(startedAt) };
}

/** The state of a gate whose run stood still for a while. */
export function shiftState<S extends JsonObject>(state: S, byMs: number): S {
  const { startedAt } = state;
  return typeof startedAt === 'string' ? { ...state, startedAt: new Date(Date.parse(startedAt) + byMs).toISOString() } : state;
}

export const startedMs = ({ startedAt }: GateState): number => Date.parse(startedAt);

/** When something is due that was done last at a time. A clock that was set back since has lost that time: then it is due now. */
export const dueAfter = (lastMs: number, intervalMs: number, nowMs: number): number => (nowMs < lastMs ? nowMs : lastMs + intervalMs);
