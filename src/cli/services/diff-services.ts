import type { Cluster } from '../../api/cluster.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { clusterId } from '../../core/clusters/cluster-id.ts';
import { readContent } from '../../core/contents/read-content.ts';
import { openMember, type Member } from '../../core/delivery/member.ts';
import { priorityOf } from '../../core/works/claims.ts';
import { errorText } from '../../util/error-text.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { CommandError } from '../exit-codes.ts';
import type { HubConnection } from '../hub-client.ts';
import { objectsOfOthers } from '../works/objects-of-others.ts';
import { fileNameOf, planChanges, type ChangePlan } from '../works/plan-changes.ts';
import { showPair, type ShownPair } from '../works/shown-object.ts';
import { wantDelivery, wantNothing } from '../works/wanted-delivery.ts';
import { isMeant, membersByTarget, type OwnerObject } from './find-owner.ts';
import { takeSnapshot, type HubSnapshot } from './hub-snapshot.ts';
import type { OwnerKind } from './owner-argument.ts';
import { nameOfTarget, wantedSets, type WantedSet } from './wanted-sets.ts';
import { wantedWorks } from './wanted-works.ts';

/** What an owner of services would change on its clusters. */
export interface ServicesDiff {
  /** By the name of the cluster and that of the object. */
  readonly pairs: ReadonlyMap<string, ShownPair>;
  /** What would not change, and why. */
  readonly notes: readonly string[];
  readonly problems: readonly unknown[];
}

const clustersAtOnce = 8;

export interface DiffedOwner {
  readonly owner: OwnerObject;
  readonly kind: OwnerKind;
  readonly cluster?: string | undefined;
}

export async function diffServices(hub: HubConnection, { owner, kind, cluster }: DiffedOwner, signal: AbortSignal): Promise<ServicesDiff> {
  const [snapshot, members] = await Promise.all([takeSnapshot(hub.client, owner.metadata.namespace, signal), membersByTarget(hub, signal)]);
  const sets = wantedSets(owner, kind, snapshot).filter(({ target }) => isMeant(target, cluster, members));
  if (sets.length === 0 && cluster !== undefined)
    throw new CommandError(`${kind.kind} ${JSON.stringify(owner.metadata.name)} is not for cluster ${JSON.stringify(cluster)}`);
  await using hubObjects = openMember('hub', hub.client, { signal });
  const all = await mapBounded(sets, clustersAtOnce, async wanted => {
    const member = members.get(wanted.target);
    const name = nameOfTarget(wanted.target, member);
    const named = (text: string) => `cluster ${name}: ${text}`;
    const found: { pairs: [string, ShownPair][]; notes: string[]; problems: unknown[] } = { pairs: [], notes: [], problems: [] };
    if (!member) return { ...found, notes: [named('there is no member yet')] };
    found.problems.push(...wanted.faults.map(text => new Error(named(text))));
    try {
      await diffCluster(hub, { wanted, member, hubObjects, snapshot, named, signal }, found);
    } catch (error) {
      signal.throwIfAborted();
      found.problems.push(new Error(named('cannot tell what would change'), { cause: error }));
    }
    return found;
  });
  return {
    pairs: new Map(all.flatMap(({ pairs }) => pairs)),
    notes: all.flatMap(({ notes }) => notes),
    problems: all.flatMap(({ problems }) => problems),
  };
}

interface ClusterSite {
  readonly wanted: WantedSet;
  readonly member: Cluster;
  readonly hubObjects: Member;
  readonly snapshot: HubSnapshot;
  named(text: string): string;
  readonly signal: AbortSignal;
}

async function diffCluster(
  hub: HubConnection,
  { wanted, member: cluster, hubObjects, snapshot, named, signal }: ClusterSite,
  found: { pairs: [string, ShownPair][]; notes: string[]; problems: unknown[] },
): Promise<void> {
  const name = cluster.metadata.name!;
  const { items: works } = await hub.client.list(Work, { namespace: clusterId(cluster), signal });
  const { delivered, removed, outranked, passed, failures } = await wantedWorks(wanted, { cluster, works, hubObjects, snapshot, signal });
  for (const { work, by } of outranked)
    found.notes.push(
      named(`release ${releaseOf(work)} stays with ${ownerOf(by)}, which has priority ${priorityOf(by)}: nothing would change`),
    );
  for (const { work, to } of passed) found.notes.push(named(`release ${releaseOf(work)} would pass to ${ownerOf(to)} by an upgrade`));
  for (const [service, text] of failures) found.problems.push(new Error(named(`service ${service}: ${text}`)));

  await using member = openMember(name, hub.source(name).client, { signal });
  const site = { member, signal, readContent: (digest: string, stop: AbortSignal) => readContent(hub.client, digest, { signal: stop }) };
  const take = ({ changes, problems }: ChangePlan) => {
    found.pairs.push(
      ...changes.map(({ ref, live, merged }): [string, ShownPair] => [`${name}.${fileNameOf(ref)}`, showPair(live, merged)]),
    );
    found.problems.push(...problems.map(problem => new Error(named(errorText(problem)))));
  };
  for (const work of delivered) {
    const plan = { options: work.spec.options, wantedByOthers: objectsOfOthers(work, works), signal };
    take(await planChanges(member, await wantDelivery(work, site), plan));
  }
  for (const work of removed) {
    const plan = { options: {}, wantedByOthers: objectsOfOthers(work, works), signal };
    take(await planChanges(member, await wantNothing(work, site), plan));
  }
}

const releaseOf = ({ spec }: Work): string => `${spec.release.namespace}/${spec.release.name}`;

const ownerOf = ({ metadata }: Work): string => metadata.annotations?.[workAnnotations.owner] ?? `work ${JSON.stringify(metadata.name)}`;
