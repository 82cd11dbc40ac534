import type { KindRef } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
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

const name = 'drover-k0rdent';
const fieldManager = 'drover-k0rdent-admission';

/** Has the API server ask before it writes objects of k0rdent. Once the gateway answers, and not before: until then nothing could be written. */
export async function registerAdmission(hub: KubeClient, address: WebhookAddress, signal: AbortSignal): Promise<void> {
  const options = { fieldManager, signal };
  const metadata = { name, labels: { 'app.kubernetes.io/managed-by': 'drover' } };
  const bodies = [
    [MutatingWebhookConfiguration, webhooks('mutate', mutations, address)],
    [ValidatingWebhookConfiguration, webhooks('validate', validations, address)],
  ] as const;
  for (const [kind, list] of bodies) await hub.apply(kind, { metadata, webhooks: list } as unknown as KubeObject, options);
}

function webhooks(way: 'mutate' | 'validate', kinds: Readonly<Record<string, ReviewedKind>>, { url, authorities, token }: WebhookAddress) {
  return Object.values(kinds).map(({ resource, operations }) => ({
    name: `${way}.${resource}.${k0rdent.group}`,
    admissionReviewVersions: ['v1'],
    sideEffects: 'None',
    failurePolicy: 'Fail',
    matchPolicy: 'Equivalent',
    timeoutSeconds: 10,
    clientConfig: { url: `${url}/admission/k0rdent/${way}/${token}`, caBundle: Buffer.from(authorities).toString('base64') },
    rules: [{ apiGroups: [k0rdent.group], apiVersions: [k0rdent.version], operations: [...operations], resources: [resource], scope: '*' }],
  }));
}
