import { newObject } from '../../../api/define-kind.ts';
import { StatusError } from '../../../api/status.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { requeue, runController, settled, type Context, type Outcome, type RunningController } from '../../../runtime/controller.ts';
import { log } from '../../../runtime/log.ts';
import { ClusterDeployment } from '../kinds/cluster-deployment.ts';
import { systemNamespace } from '../kinds/group.ts';
import { isRegistered, registerAdmission, registrationName, type WebhookAddress } from './register-admission.ts';
import { invalidDeployment } from './review-cluster-deployment.ts';

/** API servers notice their configuration after a moment. */
const quickTries = 20;
const quickMs = 250;
const slowMs = 30_000;

/**
 * Has the API server ask the gateway, from `after` on. Nothing is refused for want of an answer until it was seen that the API server gets one: an address that it does
 * not reach must not keep everybody, this hub included, from writing.
 */
export function runAdmissionRegistration(deps: {
  readonly hub: KubeClient;
  readonly address: WebhookAddress;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
}): RunningController {
  const { hub, address, after, signal } = deps;
  const trigger = {
    synced: after,
    start(add: (key: string) => void) {
      add(registrationName);
      return { [Symbol.dispose]: () => {} };
    },
  };
  let tries = 0;
  return runController({ name: 'k0rdent-admission', reconcile }, { triggers: [trigger], signal, firstDelayMs: 1000 });

  async function reconcile(_key: string, ctx: Context): Promise<Outcome> {
    const register = (failurePolicy: 'Fail' | 'Ignore') => registerAdmission(hub, address, { failurePolicy, signal: ctx.signal });
    const isAsking = await isRegistered(hub, address, ctx.signal);
    if (!isAsking) await register('Ignore');
    if (await isAsked(hub, ctx.signal)) {
      await register('Fail');
      return settled;
    }
    tries += 1;
    if (tries < quickTries) return requeue(quickMs);
    if (isAsking) await register('Ignore');
    if (tries === quickTries)
      log.warn('the API server does not reach the gateway: objects of k0rdent are not checked before they are written', {
        peer: address.url,
      });
    return requeue(slowMs);
  }
}

const probe = newObject(
  ClusterDeployment,
  { namespace: systemNamespace, name: 'drover-admission-probe' },
  { template: 'drover-admission-probe', config: {} },
);

/** Whether the API server asks, and is answered: then this, which is not written, may not be. */
async function isAsked(hub: KubeClient, signal: AbortSignal): Promise<boolean> {
  try {
    await hub.create(ClusterDeployment, probe, { dryRun: true, signal });
    return false;
  } catch (error) {
    if (!(error instanceof StatusError)) throw error;
    return error.code === 403 && error.message.includes(invalidDeployment);
  }
}
