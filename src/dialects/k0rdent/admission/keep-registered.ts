import type { KubeClient } from '../../../client/kube-client.ts';
import { requeue, runController, settled, type Outcome, type RunningController, type Trigger } from '../../../runtime/controller.ts';
import {
  MutatingWebhookConfiguration,
  registerAdmission,
  ValidatingWebhookConfiguration,
  type WebhookAddress,
} from './register-admission.ts';

const key = 'drover-k0rdent';
const trigger: Trigger = {
  synced: Promise.resolve(),
  start(add) {
    add(key);
    return { [Symbol.dispose]: () => {} };
  },
};

/**
 * Has the API server ask the gateway, once that answers: `isAnswering` says so. Tried again until it works. Call it when everything that the hub makes at its start is
 * there.
 */
export function runAdmissionRegistration(deps: {
  readonly hub: KubeClient;
  readonly address: WebhookAddress;
  isAnswering(): boolean;
  readonly signal: AbortSignal;
}): RunningController {
  const { hub, address, isAnswering, signal } = deps;
  return runController({ name: 'k0rdent-admission', reconcile }, { triggers: [trigger], signal, firstDelayMs: 1000 });

  async function reconcile(_key: string, ctx: { signal: AbortSignal }): Promise<Outcome> {
    if (!isAnswering()) return requeue(200);
    await registerAdmission(hub, address, ctx.signal);
    return settled;
  }
}

/** Takes the webhooks away: the checks then show as conditions only. */
export async function unregisterAdmission(hub: KubeClient, signal: AbortSignal): Promise<void> {
  for (const kind of [MutatingWebhookConfiguration, ValidatingWebhookConfiguration]) await hub.delete(kind, { name: key }, { signal });
}
