import { Cluster } from '../../api/cluster.ts';
import { withoutDeployment } from '../../api/unmet-demands.ts';
import { Work } from '../../api/work.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { ClusterDeployment } from '../../dialects/k0rdent/kinds/cluster-deployment.ts';
import type { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { targetOfSet } from '../../dialects/k0rdent/owned-sets.ts';
import { isMeant } from '../../dialects/k0rdent/previews/owners.ts';
import { sightOfRead } from '../../dialects/k0rdent/placement-sight.ts';
import { whyNotSelected } from '../../dialects/k0rdent/select-clusters.ts';
import { keyOf } from '../../runtime/key.ts';
import { compareTexts } from '../../util/compare-texts.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import type { NotSelected, OwnerFacts } from './explain-owner.ts';
import { findOwner, type FoundOwner, type OwnerChoice } from './find-owner.ts';

const concurrency = 16;

export interface FactsChoice extends OwnerChoice {
  /** Only this one, of the clusters of the owner. */
  readonly cluster?: string | undefined;
}

/** Everything that an explanation of an owner is made from. */
export async function gatherFacts(hub: HubConnection, choice: FactsChoice, signal: AbortSignal): Promise<OwnerFacts> {
  const { owner, sets, allSets, members } = await findOwner(hub, choice, signal);
  const isChosen = (target: string) => isMeant(target, choice.cluster, members);
  const matching = ((owner.status as { matchingClusters?: { namespace?: string; name?: string }[] })?.matchingClusters ?? []).map(
    ({ namespace, name }) => `${namespace}/${name}`,
  );
  const targets = [...new Set(sets.map(targetOfSet))].filter(isChosen);
  const notSelected = await findNotSelected(hub, { owner, members, sets }, signal);
  const known = [...matching, ...notSelected.map(one => one.cluster)];
  if (choice.cluster !== undefined && targets.length === 0 && !known.some(isChosen))
    throw new CommandError(`${choice.kind.kind} ${JSON.stringify(choice.name)} is not on cluster ${JSON.stringify(choice.cluster)}`, {
      hint: 'without --cluster, all clusters are shown; "drover get clusters" lists those there are',
    });
  const works = new Map(
    await mapBounded(targets, concurrency, async (target): Promise<[string, Work[]]> => {
      const cluster = members.get(target);
      if (!cluster) return [target, []];
      const { items } = await hub.client.list(Work, { namespace: clusterId(cluster), signal });
      return [target, items];
    }),
  );
  return {
    owner,
    sets,
    allSets,
    member: target => members.get(target)?.metadata.name,
    works: target => works.get(target) ?? [],
    isMeant: isChosen,
    notSelected,
  };
}

/** The clusters that a MultiClusterService does not select. None for other owners: those have one cluster. */
async function findNotSelected(
  hub: HubConnection,
  { owner, members, sets }: Pick<FoundOwner, 'owner' | 'members' | 'sets'>,
  signal: AbortSignal,
): Promise<NotSelected[]> {
  if (!owner.kind?.endsWith('MultiClusterService')) return [];
  const sight = sightOfRead(members, sets);
  const { namespace } = owner.metadata;
  const { items } = await hub.client.list(ClusterDeployment, { signal, ...(namespace !== undefined && { namespace }) });
  const deployed = items
    .flatMap(one => {
      const why = whyNotSelected(owner as MultiClusterService, one, sight);
      return why === undefined ? [] : [{ cluster: keyOf(one), why }];
    })
    .sort((a, b) => compareTexts(a.cluster, b.cluster));
  if (namespace !== undefined) return deployed;
  const known = new Set([...members.values()].map(one => one.metadata.name));
  const { items: clusters } = await hub.client.list(Cluster, { signal });
  const strays = clusters.map(one => one.metadata.name!).filter(name => !known.has(name));
  return [...deployed, ...strays.toSorted(compareTexts).map(cluster => ({ cluster, why: withoutDeployment }))];
}
