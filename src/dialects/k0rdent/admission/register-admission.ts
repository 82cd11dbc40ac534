import { newObject } from '../../../api/define-kind.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { runWebhookRegistration, type RegistrationDeps } from '../../../core/admission/keep-registered.ts';
import type { WebhookRegistration } from '../../../core/admission/register-webhooks.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { systemNamespace } from '../kinds/group.ts';
import { k0rdentReviews } from './k0rdent-admission.ts';
import { invalidDeployment } from './review-cluster-deployment.ts';

export const k0rdentRegistration: WebhookRegistration = { dialect: 'k0rdent', ...k0rdentReviews };

const probe = newObject(
  ClusterDeployment,
  { namespace: systemNamespace, name: 'drover-admission-probe' },
  { template: 'drover-admission-probe', config: {} },
);

/** The hub itself writes objects of k0rdent: an address that the API server does not reach must not keep it from that. */
export function runK0rdentRegistration(deps: Pick<RegistrationDeps, 'hub' | 'address' | 'after' | 'signal'>): RunningController {
  return runWebhookRegistration({
    ...deps,
    dialect: k0rdentRegistration.dialect,
    registration: async () => k0rdentRegistration,
    isAsked: signal => isRefused(deps.hub, signal),
    isOpenAtFirst: true,
  });
}

/** The probe, which is not written, may not be, if somebody is asked. */
async function isRefused(hub: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.create(ClusterDeployment, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.code === 403 && error.message.includes(invalidDeployment);
  }
}
