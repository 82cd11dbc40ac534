import type { DeliveryOptions } from '../../api/work.ts';
import { parseDuration } from '../../render/sprig/durations.ts';

/** Options with the defaults that the schema of a Work says, for those who have no API server between. */
export interface ReleaseOptions {
  readonly wait: boolean;
  readonly timeoutMs: number;
  readonly atomic: boolean;
  readonly hooks: boolean;
  readonly crds: 'Create' | 'CreateReplace' | 'Skip';
  readonly prune: boolean;
  readonly force: boolean;
  readonly takeOwnership: boolean;
  readonly history: number;
  readonly createNamespace: boolean;
}

export function releaseOptions(options: DeliveryOptions): ReleaseOptions {
  const { atomic = false } = options;
  return {
    // As Helm: without waiting nobody would know that something failed.
    wait: atomic || (options.wait ?? true),
    timeoutMs: Number((parseDuration(options.timeout ?? '5m') ?? 300_000_000_000n) / 1_000_000n),
    atomic,
    hooks: options.hooks ?? true,
    crds: options.crds ?? 'Create',
    prune: options.prune ?? true,
    force: options.force ?? false,
    takeOwnership: options.takeOwnership ?? false,
    history: options.history ?? 10,
    createNamespace: options.createNamespace ?? true,
  };
}
