import type { Cluster } from '../../api/cluster.ts';
import type { KindRef } from '../../api/define-kind.ts';
import { ClusterDeployment } from '../../dialects/k0rdent/kinds/cluster-deployment.ts';
import { ServiceSet } from '../../dialects/k0rdent/kinds/service-set.ts';
import { targetOfSet } from '../../dialects/k0rdent/owned-sets.ts';
import { membersByTarget, type OwnerObject } from '../../dialects/k0rdent/previews/owners.ts';
import { keyOf } from '../../runtime/key.ts';
import { CommandError, usageError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import type { NamedOwner } from './owner-argument.ts';

/** Who wants services, and what is known of the clusters that get them. */
export interface FoundOwner {
  readonly owner: OwnerObject;
  /** Those of all owners in the namespaces that are concerned. */
  readonly allSets: readonly ServiceSet[];
  /** Those of this owner: of a ClusterDeployment also those of others on its cluster. */
  readonly sets: readonly ServiceSet[];
  /** By target: the namespace/name of a ClusterDeployment, or that of the hub. */
  readonly members: ReadonlyMap<string, Cluster>;
}

export interface OwnerChoice extends NamedOwner {
  readonly namespace?: string | undefined;
}

export async function findOwner(hub: HubConnection, choice: OwnerChoice, signal: AbortSignal): Promise<FoundOwner> {
  const owner = await requireOwner(hub, choice, signal);
  const { namespace } = owner.metadata;
  const { items: allSets } = await hub.client.list(ServiceSet, { signal, ...(namespace !== undefined && { namespace }) });
  const key = keyOf(owner);
  const isWanted = (set: ServiceSet): boolean => {
    if (choice.kind === ServiceSet) return keyOf(set) === key;
    return choice.kind === ClusterDeployment ? targetOfSet(set) === key : set.spec.multiClusterService === key;
  };
  return { owner, allSets, sets: allSets.filter(isWanted), members: await membersByTarget(hub.client, signal) };
}

export async function requireOwner(hub: HubConnection, choice: OwnerChoice, signal: AbortSignal): Promise<OwnerObject> {
  const { name, namespace } = choice;
  const kind = choice.kind as KindRef<OwnerObject>;
  if (kind.scope === 'Cluster' || namespace !== undefined) {
    const found = await hub.client.get(kind, { name, ...(kind.scope === 'Namespaced' && { namespace }) }, { signal });
    if (found) return found;
    const place = kind.scope === 'Namespaced' ? `namespace ${JSON.stringify(namespace)}` : 'the hub';
    throw new CommandError(`${place} has no ${kind.kind} ${JSON.stringify(name)}`, {
      hint: `"drover get ${kind.resource}${kind.scope === 'Namespaced' ? ' -A' : ''}" lists those there are`,
    });
  }
  const { items } = await hub.client.list(kind, { signal, fieldSelector: `metadata.name=${name}` });
  const [first, ...others] = items;
  if (!first)
    throw new CommandError(`no namespace has a ${kind.kind} ${JSON.stringify(name)}`, {
      hint: `"drover get ${kind.resource} -A" lists those there are`,
    });
  if (others.length > 0)
    throw usageError(`${items.length} namespaces have a ${kind.kind} ${JSON.stringify(name)}`, 'name the namespace with -n');
  return first;
}
