import { closeCodes } from '../tunnel/protocol.ts';
import type { TunnelEnd } from '../tunnel/serve-tunnel.ts';
import { AgentStoppedError, HubAbsentError, HubRefusedError } from './hub-errors.ts';

/** How one attempt ended: the tunnel was there and closed, or it never came to be. */
export type Ending = { readonly closed: TunnelEnd; readonly livedMs: number } | { readonly error: unknown };

export type NextStep =
  | { readonly type: 'retry'; readonly delayMs: number; readonly forget: 'nothing' | 'identity' | 'authorities' }
  /** The cluster was removed: nothing is wrong. */
  | { readonly type: 'stop'; readonly message: string }
  | { readonly type: 'fail'; readonly error: Error };

export interface Situation {
  /** Attempts since a tunnel last lived for a while, this one included. */
  readonly failures: number;
  readonly canRegister: boolean;
  /** The identity that was refused is fresh from the hub. */
  readonly hasJustRegistered: boolean;
  /** From 0 to 1. */
  readonly random: number;
}

const firstDelayMs = 1000;
const longestDelayMs = 30_000;
/** While nobody listens at the hub's address, asking often hurts nobody, and the member is back within seconds. */
const longestAbsenceDelayMs = 5000;
/** One that was replaced stands by: it takes over soon after the other has gone. */
const standbyMs = 5000;

/** A tunnel that lived so long counts as a success. */
export const successMs = 30_000;

/** Full jitter: all agents of a hub that restarts come back spread out. */
export function backOff(failures: number, random: number, longestMs = longestDelayMs): number {
  return Math.round(random * Math.min(longestMs, firstDelayMs * 2 ** Math.min(failures, 10)));
}

export function nextStep(ending: Ending, situation: Situation): NextStep {
  return 'closed' in ending ? afterClose(ending.closed, situation) : afterError(ending.error, situation);
}

function afterClose({ code, reason }: TunnelEnd, situation: Situation): NextStep {
  if (code === closeCodes.removed) return { type: 'stop', message: reason };
  if (code === closeCodes.identityRefused) return afterDistrust(new HubRefusedError(401, reason, undefined), situation);
  if (code === closeCodes.replaced) {
    return standBy(situation);
  }
  return { type: 'retry', delayMs: backOff(situation.failures, situation.random), forget: 'nothing' };
}

function afterError(error: unknown, situation: Situation): NextStep {
  const { failures, random } = situation;
  if (error instanceof AgentStoppedError) return { type: 'fail', error };
  if (error instanceof HubRefusedError) return afterRefusal(error, situation);
  if (error instanceof HubAbsentError) {
    const delayMs = backOff(failures, random, error.isNobodyThere ? longestAbsenceDelayMs : longestDelayMs);
    return { type: 'retry', delayMs, forget: error.isDistrust ? 'authorities' : 'nothing' };
  }
  return { type: 'retry', delayMs: backOff(failures, random), forget: 'nothing' };
}

function afterRefusal(error: HubRefusedError, situation: Situation): NextStep {
  const { status, retryAfterMs } = error;
  if (status === 410) return { type: 'stop', message: error.message };
  if (status === 401) return afterDistrust(error, situation);
  if (status === 409) return standBy(situation);
  const isForGood = status >= 400 && status < 500 && ![404, 408, 425, 429].includes(status);
  if (isForGood) return { type: 'fail', error };
  const delayMs = Math.max(retryAfterMs ?? 0, backOff(situation.failures, situation.random));
  return { type: 'retry', delayMs, forget: 'nothing' };
}

function standBy({ random }: Situation): NextStep {
  return { type: 'retry', delayMs: Math.round(standbyMs * (1 + random)), forget: 'nothing' };
}

function afterDistrust(error: HubRefusedError, { canRegister, hasJustRegistered, failures, random }: Situation): NextStep {
  if (!canRegister || hasJustRegistered) return { type: 'fail', error };
  return { type: 'retry', delayMs: backOff(failures, random), forget: 'identity' };
}
