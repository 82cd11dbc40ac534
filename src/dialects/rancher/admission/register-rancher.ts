import { withType } from '../../../api/define-kind.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { ownRequests } from '../../../core/admission/own-requests.ts';
import { runWebhookRegistration, type RegistrationDeps } from '../../../core/admission/keep-registered.ts';
import type { WebhookRegistration } from '../../../core/admission/register-webhooks.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import { RoleTemplate } from '../kinds/role.ts';
import { rancherReviews } from './rancher-admission.ts';
import { administrativeOutsideCluster } from './review-role-template.ts';

const dialect = 'rancher';
const probeName = 'drover-admission-probe';
const probe = withType(RoleTemplate, { metadata: { name: probeName }, context: 'project' as const, administrative: true });

/** What the hub itself writes is not asked about: it must go on when nobody answers. All others wait until somebody does. */
export function runRancherRegistration(deps: Pick<RegistrationDeps, 'hub' | 'address' | 'after' | 'signal'>): RunningController {
  return runWebhookRegistration({
    ...deps,
    dialect,
    registration: signal => rancherRegistration(deps.hub, signal),
    isAsked: signal => isRefused(deps.hub, signal),
    isOpenAtFirst: false,
  });
}

export async function rancherRegistration(hub: KubeClient, signal: AbortSignal): Promise<WebhookRegistration> {
  const isProbe = `object != null && has(object.metadata.name) && object.metadata.name == "${probeName}"`;
  return { dialect, ...rancherReviews, when: `(${isProbe}) || !(${await ownRequests(hub, signal)})` };
}

/** The probe, which is not written, may not be, if somebody is asked. */
async function isRefused(hub: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.create(RoleTemplate, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.code === 422 && error.message.includes(administrativeOutsideCluster);
  }
}
