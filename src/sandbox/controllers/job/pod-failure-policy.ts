import type { ContainerStatus, PodFailurePolicy, PodFailurePolicyRule } from '../../../api/kubernetes.ts';
import type { StoredPod } from '../pod-state.ts';

export interface PolicyMatch {
  readonly action: string;
  /** What the job fails with, when that is the action. */
  readonly message: string;
}

/** The first rule that a failed pod matches. */
export function matchFailurePolicy(policy: PodFailurePolicy | undefined, pod: StoredPod): PolicyMatch | undefined {
  for (const [i, rule] of (policy?.rules ?? []).entries()) {
    const what = matchRule(rule, pod);
    if (what !== undefined) return { action: rule.action, message: `${what} matching ${rule.action} rule at index ${i}` };
  }
  return undefined;
}

function matchRule({ onExitCodes, onPodConditions }: PodFailurePolicyRule, { metadata, status }: StoredPod): string | undefined {
  const pod = `${metadata.namespace}/${metadata.name}`;
  if (onExitCodes) {
    const statuses = [...(status?.containerStatuses ?? []), ...(status?.initContainerStatuses ?? [])];
    const failed = statuses.find(container => meetsExitCodes(onExitCodes, container));
    return failed && `Container ${failed.name} for pod ${pod} failed with exit code ${failed.state?.terminated?.exitCode}`;
  }
  const conditions = status?.conditions ?? [];
  const found = (onPodConditions ?? []).find(pattern =>
    conditions.some(({ type, status: value }) => type === pattern.type && value === (pattern.status ?? 'True')),
  );
  return found && `Pod ${pod} has condition ${found.type}`;
}

function meetsExitCodes(wanted: NonNullable<PodFailurePolicyRule['onExitCodes']>, { name, state }: ContainerStatus): boolean {
  const exitCode = state?.terminated?.exitCode ?? 0;
  if (exitCode === 0 || (wanted.containerName !== undefined && wanted.containerName !== name)) return false;
  return wanted.values.includes(exitCode) === (wanted.operator === 'In');
}
