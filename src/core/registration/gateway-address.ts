import { ConfigMap, Role, RoleBinding } from '../../api/builtin-kinds.ts';
import type { CallOptions, KubeClient } from '../../client/kube-client.ts';

/** Where the hub's gateway is found: not at the address of its API when that is a server of its own. */
export interface GatewayAddress {
  /** Such as "https://hub.example.com:7443". */
  readonly url: string;
  /** The authorities that vouch for it, PEM. */
  readonly authorities: string;
}

/** Public by its nature: agents ask for both before they are known. */
const place = { namespace: 'kube-public', name: 'drover-gateway' } as const;

/** Tells everybody whom the hub's API knows where its gateway is. */
export async function publishGatewayAddress(hub: KubeClient, address: GatewayAddress, call: CallOptions): Promise<void> {
  const metadata = { ...place, labels: { 'app.kubernetes.io/managed-by': 'drover' } };
  const options = { ...call, fieldManager: 'drover-gateway' };
  await hub.apply(ConfigMap, { metadata, data: { url: address.url, authorities: address.authorities } }, options);
  await hub.apply(
    Role,
    { metadata, rules: [{ apiGroups: [''], resources: ['configmaps'], resourceNames: [place.name], verbs: ['get'] }] },
    options,
  );
  const everybody = { apiGroup: Role.group, kind: 'Group', name: 'system:authenticated' };
  await hub.apply(
    RoleBinding,
    { metadata, roleRef: { apiGroup: Role.group, kind: 'Role', name: place.name }, subjects: [everybody] },
    options,
  );
}

/** Throws when the hub has published none: it is no hub, or not running. */
export async function readGatewayAddress(hub: KubeClient, call: CallOptions): Promise<GatewayAddress> {
  const { url, authorities } = (await hub.get(ConfigMap, place, call))?.data ?? {};
  if (!url || !authorities) throw new Error('the hub has not said at which address members reach it; has it been started?');
  return { url, authorities };
}

/** Throws an Error that says what is wrong with an address that somebody typed. */
export function parseGatewayUrl(text: string): string {
  const url = URL.parse(text);
  const isPlain = url?.protocol === 'https:' && url.pathname === '/' && url.username === '' && url.search === '' && url.hash === '';
  if (!url || !isPlain) throw new Error(`${JSON.stringify(text)} is not an address such as https://hub.example.com:7443`);
  return url.origin;
}
