import type { KubeClient } from '../../client/kube-client.ts';
import { isJsonObject, jsonEqual, type JsonObject } from '../../util/json.ts';
import type { Step } from './cd-status.ts';
import { configOf } from './deployment-config.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { servedKind } from './kinds/served-only.ts';
import { asObject, ownedBy, refTo, specOf, statusOf, type ReadObject } from './read-hub-object.ts';

export interface IpamDeps {
  readonly hub: KubeClient;
  readonly read: ReadObject;
  readonly fieldManager: string;
  readonly signal: AbortSignal;
}

/**
 * Gets the addresses that a ClusterDeployment asks for: claims them, waits until somebody has bound the claim, and writes what that gave into its config.
 * Answers what it waits for; undefined when the cluster can be made.
 */
export async function claimAddresses(cd: ClusterDeployment, deps: IpamDeps): Promise<Step | undefined> {
  const { ref, spec } = asObject(cd.spec.ipamClaim);
  if (!isJsonObject(spec) && (typeof ref !== 'string' || ref === '')) return undefined;
  const { namespace = '', name = '' } = cd.metadata;
  const kind = servedKind('ClusterIPAMClaim');
  const claimName = isJsonObject(spec) ? `${name}-ipam` : (ref as string);
  const place = `ClusterIPAMClaim ${namespace}/${claimName}`;
  const present = await deps.read(refTo(kind, namespace, claimName));
  if (isJsonObject(spec)) {
    const wanted = { ...spec, cluster: spec['cluster'] || name, clusterIPAMRef: claimName };
    if (!present || !jsonEqual(present['spec'], wanted)) {
      const metadata = { namespace, name: claimName, ownerReferences: [ownedBy(cd)] };
      await deps.hub.apply(kind, { metadata, spec: wanted } as never, callOf(deps));
    }
    if (ref !== claimName) await patchSpec(cd, { ipamClaim: { ref: claimName } }, deps);
  }
  if (!present) return isJsonObject(spec) ? waiting(`Waiting for ${place} to be bound`) : failed(`failed to fetch ${place}: not found`);
  const claim = specOf(present);
  if (!isJsonObject(spec) && claim['cluster'] !== name)
    return failed(`ClusterIPAMClaim.Spec.Cluster ${String(claim['cluster'] ?? '')} does not match ClusterDeployment.Name ${name}`);
  if (statusOf(present)['bound'] !== true) return waiting(`Waiting for ${place} to be bound`);
  return takeAddresses(cd, String(claim['clusterIPAMRef'] ?? ''), deps);
}

async function takeAddresses(cd: ClusterDeployment, ipamName: string, deps: IpamDeps): Promise<Step | undefined> {
  const namespace = cd.metadata.namespace!;
  const ipam = await deps.read(refTo(servedKind('ClusterIPAM'), namespace, ipamName));
  if (!ipam) return waiting(`Waiting for ClusterIPAM ${namespace}/${ipamName}`);
  const given = statusOf(ipam)['providerData'];
  const data = (Array.isArray(given) ? given : []).map(asObject).filter(one => typeof one['name'] === 'string');
  const added: JsonObject = { ipamEnabled: true, ...Object.fromEntries(data.map(one => [one['name'] as string, one])) };
  const config = configOf(cd);
  const isThere = config['ipamEnabled'] === true && Object.keys(added).every(key => config[key] !== undefined);
  if (isThere) return undefined;
  await patchSpec(cd, { config: added }, deps);
  return waiting('Addresses have been written to the config');
}

async function patchSpec({ metadata }: ClusterDeployment, spec: JsonObject, deps: IpamDeps): Promise<void> {
  const { namespace, name = '', uid = '', resourceVersion = '' } = metadata;
  const body = { metadata: { uid, resourceVersion }, spec };
  await deps.hub.patch(ClusterDeployment, { namespace, name }, { type: 'merge', body }, callOf(deps));
}

const callOf = ({ fieldManager, signal }: IpamDeps) => ({ fieldManager, signal });
const waiting = (message: string): Step => ({ status: 'Unknown', message });
const failed = (message: string): Step => ({ status: 'False', message });
