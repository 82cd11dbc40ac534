import type { ConditionReport, Course } from '../../../api/conditions.ts';
import { providerReasons, type RancherError } from './rancher-error.ts';

/** What was found out about a provider that answers. */
export interface ProviderReport {
  readonly serverVersion: string | undefined;
  /** Clusters to which there is no way, and why. */
  readonly faults: ReadonlyMap<string, string>;
}

export const providerConditions = { reachable: 'Reachable', authenticated: 'Authenticated', ready: 'Ready' } as const;
/** What a new try does not help. */
const needsPerson: readonly string[] = [
  providerReasons.invalidToken,
  providerReasons.insufficientPermissions,
  providerReasons.credentialMissing,
];

export function courseOf({ status, reason }: ConditionReport): Course | undefined {
  if (status === 'True') return undefined;
  return needsPerson.includes(reason) ? 'Stalled' : 'Reconciling';
}

const oldest = [2, 6, 3] as const;

export function reportConnected({ serverVersion, faults }: ProviderReport): ConditionReport[] {
  const fine = { status: 'True', reason: providerReasons.connected } as const;
  return [
    { type: providerConditions.reachable, ...fine, message: 'The server answers' },
    { type: providerConditions.authenticated, ...fine, message: 'The credential is accepted' },
    { type: providerConditions.ready, ...readiness(serverVersion, faults) },
  ];
}

function readiness(version: string | undefined, faults: ReadonlyMap<string, string>): Omit<ConditionReport, 'type'> {
  if (faults.size > 0) {
    const named = [...faults].sort(([a], [b]) => (a < b ? -1 : 1)).slice(0, 3);
    const more = faults.size > named.length ? ` and ${faults.size - named.length} more` : '';
    const message = `No way to ${named.map(([name, why]) => `"${name}" (${why})`).join(', ')}${more}`;
    return { status: 'False', reason: providerReasons.clustersIncomplete, message };
  }
  if (version !== undefined && isTooOld(version)) {
    const message = `Rancher ${version} is older than v${oldest.join('.')}, the first that is supported`;
    return { status: 'True', reason: providerReasons.versionUnsupported, message };
  }
  return { status: 'True', reason: providerReasons.connected, message: 'The clusters are known' };
}

/** What is no version, such as "dev", is taken to be new. */
export function isTooOld(version: string): boolean {
  const [, ...found] = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [];
  if (found.length === 0) return false;
  const parts = found.map(Number);
  const first = parts.findIndex((part, i) => part !== oldest[i]);
  return first >= 0 && parts[first]! < oldest[first]!;
}

export function reportFailure({ reason, message }: RancherError): ConditionReport[] {
  const { reachable, authenticated, ready } = providerConditions;
  const no = { status: 'False', reason, message } as const;
  const unknown = { status: 'Unknown', reason, message } as const;
  const answers = { type: reachable, status: 'True', reason: providerReasons.connected, message: 'The server answers' } as const;
  const last = { type: ready, ...no };
  switch (reason) {
    case providerReasons.connectionFailed:
      return [{ type: reachable, ...no }, { type: authenticated, ...unknown }, last];
    case providerReasons.invalidToken:
    case providerReasons.insufficientPermissions:
      return [answers, { type: authenticated, ...no }, last];
    case providerReasons.credentialMissing:
      return [{ type: reachable, ...unknown }, { type: authenticated, ...no }, last];
    case providerReasons.rancherError:
      return [answers, { type: authenticated, ...unknown }, last];
  }
}
