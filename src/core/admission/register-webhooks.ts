import type { KindRef } from '../../api/define-kind.ts';
import type { KubeObject } from '../../api/object.ts';
import type { ValidatingWebhook } from '../../api/kubernetes.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { jsonEqual } from '../../util/json.ts';
import type { AskedKind } from './reviewed-kinds.ts';

export interface WebhookAddress {
  /** Of the gateway, as the API server reaches it: `https://hub.example.com:7443`. */
  readonly url: string;
  /** The authorities that vouch for it, PEM. */
  readonly authorities: string;
  /** `admissionToken` of the gateway. */
  readonly token: string;
}

/** What the API server is to ask about, and whom. */
export interface WebhookRegistration {
  /** The dialect that answers. */
  readonly dialect: string;
  readonly mutations: readonly AskedKind[];
  readonly validations: readonly AskedKind[];
  /** In CEL: nothing else is asked about. */
  readonly when?: string;
}

const registration = { group: 'admissionregistration.k8s.io', version: 'v1', scope: 'Cluster' } as const;
export const MutatingWebhookConfiguration: KindRef = {
  ...registration,
  kind: 'MutatingWebhookConfiguration',
  resource: 'mutatingwebhookconfigurations',
};
export const ValidatingWebhookConfiguration: KindRef = {
  ...registration,
  kind: 'ValidatingWebhookConfiguration',
  resource: 'validatingwebhookconfigurations',
};

export const registrationName = (dialect: string): string => `drover-${dialect}`;

/** What becomes of a write when the gateway does not answer. */
export type FailurePolicy = 'Fail' | 'Ignore';

/** Has the API server ask the gateway before it writes objects of a dialect. */
export async function registerWebhooks(
  hub: KubeClient,
  asked: WebhookRegistration,
  { address, failurePolicy, signal }: { address: WebhookAddress; failurePolicy: FailurePolicy; signal: AbortSignal },
): Promise<void> {
  const name = registrationName(asked.dialect);
  const metadata = { name, labels: { 'app.kubernetes.io/managed-by': 'drover' } };
  const bodies = [
    [MutatingWebhookConfiguration, webhooks('mutate', asked, address)],
    [ValidatingWebhookConfiguration, webhooks('validate', asked, address)],
  ] as const;
  for (const [kind, list] of bodies) {
    const body = { metadata, webhooks: list.map(one => ({ ...one, failurePolicy })) };
    await hub.apply(kind, body as unknown as KubeObject, { fieldManager: `${name}-admission`, signal });
  }
}

/** Whether the API server asks at this address already, and writes nothing without an answer. */
export async function isRegistered(
  hub: KubeClient,
  { dialect }: WebhookRegistration,
  { address, signal }: { address: WebhookAddress; signal: AbortSignal },
): Promise<boolean> {
  const present = await hub.get(ValidatingWebhookConfiguration, { name: registrationName(dialect) }, { signal });
  const hooks = (present?.['webhooks'] ?? []) as ValidatingWebhook[];
  const { clientConfig } = addressOf('validate', dialect, address);
  const isOurs = ({ clientConfig: { url, caBundle }, failurePolicy }: ValidatingWebhook) =>
    url === clientConfig.url && String(caBundle) === clientConfig.caBundle && failurePolicy === 'Fail';
  return hooks.length > 0 && hooks.every(isOurs);
}

/** Whether the API server still asks about everything, wherever, and writes nothing without an answer. Another replica may have put its own address there. */
export async function isIntact(hub: KubeClient, asked: WebhookRegistration, signal: AbortSignal): Promise<boolean> {
  const nowhere = { url: '', authorities: '', token: '' };
  const ways = [
    [MutatingWebhookConfiguration, webhooks('mutate', asked, nowhere)],
    [ValidatingWebhookConfiguration, webhooks('validate', asked, nowhere)],
  ] as const;
  for (const [kind, wanted] of ways) {
    const present = await hub.get(kind, { name: registrationName(asked.dialect) }, { signal });
    const hooks = new Map(((present?.['webhooks'] ?? []) as ValidatingWebhook[]).map(one => [one.name, one]));
    const isThere = ({ name, rules, matchConditions = [] }: (typeof wanted)[number]) => {
      const hook = hooks.get(name);
      const isSame = jsonEqual(hook?.rules, rules) && jsonEqual(hook?.matchConditions ?? [], matchConditions);
      return isSame && hook?.failurePolicy === 'Fail';
    };
    if (!wanted.every(isThere)) return false;
  }
  return true;
}

const addressOf = (way: 'mutate' | 'validate', dialect: string, { url, authorities, token }: WebhookAddress) => ({
  clientConfig: { url: `${url}/admission/${dialect}/${way}/${token}`, caBundle: Buffer.from(authorities).toString('base64') },
});

function webhooks(way: 'mutate' | 'validate', asked: WebhookRegistration, address: WebhookAddress) {
  const [prefix, kinds] = way === 'mutate' ? ['mutation', asked.mutations] : ['validation', asked.validations];
  return kinds.map(({ kind: { group, version, kind, resource }, operations, when }) => {
    const matchConditions = [
      ...(asked.when === undefined ? [] : [{ name: 'whoever-matters', expression: asked.when }]),
      ...(when === undefined ? [] : [{ name: 'what-matters', expression: when }]),
    ];
    return {
      // The core group has no name of its own.
      name: `${prefix}.${kind.toLowerCase()}.${group || `${asked.dialect}.drover.io`}`,
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      matchPolicy: 'Equivalent',
      timeoutSeconds: 10,
      ...addressOf(way, asked.dialect, address),
      rules: [{ apiGroups: [group], apiVersions: [version], operations: [...operations], resources: [resource], scope: '*' }],
      ...(matchConditions.length > 0 && { matchConditions }),
    };
  });
}
