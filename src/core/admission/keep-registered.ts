import type { KubeClient } from '../../client/kube-client.ts';
import {
  changesOf,
  requeue,
  runController,
  settled,
  type Context,
  type Outcome,
  type RunningController,
} from '../../runtime/controller.ts';
import { informer } from '../../runtime/informer.ts';
import { log } from '../../runtime/log.ts';
import {
  isIntact,
  isRegistered,
  MutatingWebhookConfiguration,
  registerWebhooks,
  registrationName,
  ValidatingWebhookConfiguration,
  type WebhookAddress,
  type WebhookRegistration,
} from './register-webhooks.ts';

/** API servers notice their configuration after a moment. */
const quickTries = 20;
const quickMs = 250;
const slowMs = 30_000;

export interface RegistrationDeps {
  readonly hub: KubeClient;
  readonly address: WebhookAddress;
  readonly dialect: string;
  registration(signal: AbortSignal): Promise<WebhookRegistration>;
  /** Whether the API server asks, and is answered. */
  isAsked(signal: AbortSignal): Promise<boolean>;
  /** Whether everything may be written until it was seen that the API server gets an answer. If not, nothing is ever written unasked, and the registration is put back when it is taken away. */
  readonly isOpenAtFirst: boolean;
  readonly after: Promise<void>;
  readonly signal: AbortSignal;
}

/** Has the API server ask the gateway, from `after` on. */
export function runWebhookRegistration(deps: RegistrationDeps): RunningController {
  const { hub, address, dialect, isOpenAtFirst, after, signal } = deps;
  const name = registrationName(dialect);
  const atStart = {
    synced: after,
    start(add: (key: string) => void) {
      add(name);
      return { [Symbol.dispose]: () => {} };
    },
  };
  const kinds = isOpenAtFirst ? [] : [MutatingWebhookConfiguration, ValidatingWebhookConfiguration];
  const changes = kinds.map(kind => changesOf(informer(hub, kind, { signal, fieldSelector: `metadata.name=${name}` })));
  let tries = 0;
  let wasAsked = false;
  return runController({ name: `${dialect}-admission`, reconcile }, { triggers: [atStart, ...changes], signal, firstDelayMs: 1000 });

  async function reconcile(_key: string, ctx: Context): Promise<Outcome> {
    const registration = await deps.registration(ctx.signal);
    if (wasAsked && (await isIntact(hub, registration, ctx.signal))) return settled;
    const register = (failurePolicy: 'Fail' | 'Ignore') =>
      registerWebhooks(hub, registration, { address, failurePolicy, signal: ctx.signal });
    const isAsking = await isRegistered(hub, registration, { address, signal: ctx.signal });
    if (!isOpenAtFirst) await register('Fail');
    else if (!isAsking) await register('Ignore');
    if (await deps.isAsked(ctx.signal)) {
      tries = 0;
      wasAsked = true;
      if (isOpenAtFirst) await register('Fail');
      return settled;
    }
    tries += 1;
    if (tries < quickTries) return requeue(quickMs);
    if (isOpenAtFirst && isAsking) await register('Ignore');
    if (tries === quickTries) {
      const consequence = isOpenAtFirst ? 'are not checked before they are written' : 'can be written by nobody but the hub';
      log.warn(`the API server does not reach the gateway: objects of ${dialect} ${consequence}`, { peer: address.url });
    }
    return requeue(slowMs);
  }
}
