import { randomBytes } from 'node:crypto';
import type { Birth } from '../store/store-base.ts';
import { timestamp } from '../util/timestamp.ts';
import type { NodePlan } from './sandbox-nodes.ts';

/** What is remembered of a sandbox between runs, besides its objects and its keys. */
export interface SandboxFacts {
  /** Who asked for it: a sandbox of the same name asked for by somebody else is another one. */
  readonly owner: string;
  readonly port: number;
  /** Base64 of 16 bytes. */
  readonly seed: string;
  readonly bornAt: string;
  /** The digest of the objects it began with. */
  readonly base: string;
  /** The nodes it was given. Absent until they are there. */
  readonly nodes?: NodePlan;
}

export function newFacts(given: Pick<SandboxFacts, 'owner' | 'port' | 'base'>, now: Date): SandboxFacts {
  return { ...given, seed: randomBytes(16).toString('base64'), bornAt: timestamp(now) };
}

export function birthOf({ seed, bornAt }: SandboxFacts): Birth {
  return { seed: Buffer.from(seed, 'base64'), bornAt };
}

export const printFacts = (facts: SandboxFacts): string => JSON.stringify(facts);
export const parseFacts = (text: string): SandboxFacts => JSON.parse(text) as SandboxFacts;
