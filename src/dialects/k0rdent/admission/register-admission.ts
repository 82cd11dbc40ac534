import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { ValidatingWebhook } from '../../../api/kubernetes.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { k0rdent } from '../kinds/group.ts';
import { mutations, validations, type ReviewedKind } from './k0rdent-admission.ts';

export interface WebhookAddress {
  /** Of the gateway, as the API server reaches it: `https://hub.example.com:7443`. */
  readonly url: string;
  /** The authorities that vouch for it, PEM. */
  readonly authorities: string;
  /** `admissionToken` of the gateway. */
  readonly token: string;
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

export const registrationName = 'drover-k0rdent';
const fieldManager = 'drover-k0rdent-admission';

/** What becomes of a write when the gateway does not answer. */
export type FailurePolicy = 'Fail' | 'Ignore';

/** Has the API server ask the gateway before it writes objects of k0rdent. */
export async function registerAdmission(
  hub: KubeClient,
  address: WebhookAddress,
  { failurePolicy, signal }: { failurePolicy: FailurePolicy; signal: AbortSignal },
): Promise<void> {
  const metadata = { name: registrationName, labels: { 'app.kubernetes.io/managed-by': 'drover' } };
  const bodies = [
    [MutatingWebhookConfiguration, webhooks('mutate', mutations, address)],
    [ValidatingWebhookConfiguration, webhooks('validate', validations, address)],
  ] as const;
  for (const [kind, list] of bodies) {
    const body = { metadata, webhooks: list.map(one => ({ ...one, failurePolicy })) };
    await hub.apply(kind, body as unknown as KubeObject, { fieldManager, signal });
  }
}

/** Whether the API server asks at this address already, and writes nothing without an answer. */
export async function isRegistered(hub: KubeClient, address: WebhookAddress, signal: AbortSignal): Promise<boolean> {
  const present = await hub.get(ValidatingWebhookConfiguration, { name: registrationName }, { signal });
  const hooks = (present?.['webhooks'] ?? []) as ValidatingWebhook[];
  const { clientConfig } = addressOf('validate', address);
  const isOurs = ({ clientConfig: { url, caBundle }, failurePolicy }: ValidatingWebhook) =>
    url === clientConfig.url && String(caBundle) === clientConfig.caBundle && failurePolicy === 'Fail';
  return hooks.length > 0 && hooks.every(isOurs);
}

const addressOf = (way: 'mutate' | 'validate', { url, authorities, token }: WebhookAddress) => ({
  clientConfig: { url: `${url}/admission/k0rdent/${way}/${token}`, caBundle: Buffer.from(authorities).toString('base64') },
});

function webhooks(way: 'mutate' | 'validate', kinds: Readonly<Record<string, ReviewedKind>>, address: WebhookAddress) {
  const prefix = way === 'mutate' ? 'mutation' : 'validation';
  return Object.entries(kinds).map(([kind, { resource, operations, when }]) => ({
    name: `${prefix}.${kind.toLowerCase()}.${k0rdent.group}`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    matchPolicy: 'Equivalent',
    timeoutSeconds: 10,
    ...addressOf(way, address),
    rules: [{ apiGroups: [k0rdent.group], apiVersions: [k0rdent.version], operations: [...operations], resources: [resource], scope: '*' }],
    ...(when !== undefined && { matchConditions: [{ name: 'what-matters', expression: when }] }),
  }));
}
