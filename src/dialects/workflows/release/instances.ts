import type { KubeObject } from '../../../api/object.ts';
import { replicasOf } from './pod-template.ts';
import type { UnitLog } from './step-log.ts';

export interface InstancesInput {
  readonly with: Readonly<Record<string, unknown>>;
  /** The workload as the member has it. */
  readonly live: KubeObject | undefined;
  readonly manifest?: KubeObject;
}

/** How many pods a step wants: as many as it says, or that share of what runs, rounded half up. Undefined when it says no number. */
export function wantedInstances({ with: given, live, manifest }: InstancesInput): number | undefined {
  const text = String(given['instances'] ?? '1').trim();
  if (!/^[0-9]{1,6}(\.[0-9]{1,6})?%?$/.test(text)) return undefined;
  const amount = Number.parseFloat(text);
  if (given['unit'] !== 'Percentage' && !text.endsWith('%')) return Number.isInteger(amount) ? amount : undefined;
  const base = replicasOf(live) ?? replicasOf(manifest) ?? 1;
  return Math.floor((amount * base + 50) / 100);
}

/** A canary has at least one. */
export function atLeastOne(instances: number, log: UnitLog): number {
  if (instances >= 1) return instances;
  log.info('Target instances computed to be less than 1. Bumped up to 1');
  return 1;
}

export const badInstances = (given: unknown): string => `Instances must be a whole number, or a percentage, not "${String(given)}"`;
