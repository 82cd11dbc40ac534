import { newObject } from '../../../api/define-kind.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { ownRequests } from '../../../core/admission/own-requests.ts';
import { runWebhookRegistration, type RegistrationDeps } from '../../../core/admission/keep-registered.ts';
import type { RunningController } from '../../../runtime/controller.ts';
import { DeployFreeze } from '../kinds/deploy-freeze.ts';
import { deliveryReviews } from './delivery-admission.ts';

export const deliveryDialect = 'workflows';
const probeName = 'drover-admission-probe';
const probe = newObject(
  DeployFreeze,
  { name: probeName },
  { kind: 'Deny', start: '2000-01-01T00:00:00Z', end: '2000-01-01T00:00:00Z', running: 'Continue' },
);

/** What the hub itself writes is not asked about: it must go on when nobody answers. All others wait until somebody does: who decided what must be true. */
export function runDeliveryRegistration(deps: Pick<RegistrationDeps, 'hub' | 'address' | 'after' | 'signal'>): RunningController {
  return runWebhookRegistration({
    ...deps,
    dialect: deliveryDialect,
    async registration(signal) {
      const isProbe = `object != null && has(object.metadata.name) && object.metadata.name == "${probeName}"`;
      return { dialect: deliveryDialect, ...deliveryReviews, when: `(${isProbe}) || !(${await ownRequests(deps.hub, signal)})` };
    },
    isAsked: signal => isRefused(deps.hub, signal),
    isOpenAtFirst: false,
  });
}

/** The probe, which is not written, may not be, if somebody is asked. */
async function isRefused(hub: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.create(DeployFreeze, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.code === 422 && error.message.includes('must be after start');
  }
}
