import type { Cluster } from '../../../api/cluster.ts';
import { Work, workAnnotations } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import { readContent } from '../../../core/contents/read-content.ts';
import { openMember, type Member } from '../../../core/delivery/member.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import { objectsOfOthers } from '../../../core/previews/objects-of-others.ts';
import { planChanges, type ChangePlan } from '../../../core/previews/plan-changes.ts';
import { showPair, type ShownPair } from '../../../core/previews/shown-object.ts';
import { wantDelivery, wantNothing } from '../../../core/previews/wanted-delivery.ts';
import { priorityOf } from '../../../core/works/claims.ts';
import type { RenderPool } from '../../../render/render-pool.ts';
import { mapBounded } from '../../../util/map-bounded.ts';
import { takeSnapshot, type HubSnapshot } from './hub-snapshot.ts';
import { isMeant, membersByTarget, type OwnerKind, type OwnerObject } from './owners.ts';
import { nameOfTarget, wantedSets, type WantedSet } from './wanted-sets.ts';
import { wantedWorks } from './wanted-works.ts';

/** What an owner of services would change on one cluster. */
export interface ClusterPreview {
  readonly cluster: string;
  readonly changes: readonly (ShownPair & { readonly ref: ObjectRef })[];
  /** What would not change, and why. */
  readonly notes: readonly string[];
  readonly problems: readonly unknown[];
}

/** Whose rights count, on the hub and on members. */
export interface PreviewCaller {
  readonly hub: KubeClient;
  member(cluster: Cluster): KubeClient | Promise<KubeClient>;
  readonly renderer: RenderPool;
}

export interface PreviewedOwner {
  readonly owner: OwnerObject;
  readonly kind: OwnerKind;
  /** All of its clusters when absent. */
  readonly cluster?: string | undefined;
}

/** The clusters of an owner, none of them looked at yet. */
export interface OwnerPreview {
  readonly clusters: readonly string[];
  /** Looks at clusters, the first ones when not all are wanted, and tells of each as soon as it is known. */
  look(tell: (preview: ClusterPreview) => void, most?: number): Promise<void>;
}

const clustersAtOnce = 8;

/** What an owner of services would change on its clusters. Nothing is changed; everything is asked with the rights of the caller. */
export async function previewServices(caller: PreviewCaller, asked: PreviewedOwner, signal: AbortSignal): Promise<OwnerPreview> {
  const { owner, kind, cluster } = asked;
  const [snapshot, members] = await Promise.all([
    takeSnapshot(caller.hub, owner.metadata.namespace, signal),
    membersByTarget(caller.hub, signal),
  ]);
  const sets = wantedSets(owner, kind, snapshot)
    .filter(({ target }) => isMeant(target, cluster, members))
    .map(wanted => ({ wanted, member: members.get(wanted.target), name: nameOfTarget(wanted.target, members.get(wanted.target)) }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return {
    clusters: sets.map(({ name }) => name),
    async look(tell, most = Infinity) {
      await using hubObjects = openMember('hub', caller.hub, { signal });
      await mapBounded(sets.slice(0, most), clustersAtOnce, async ({ wanted, member, name }) => {
        if (!member) return tell({ cluster: name, changes: [], notes: ['there is no member yet'], problems: [] });
        const found: Found = { changes: [], notes: [], problems: [...wanted.faults] };
        try {
          await lookAt(caller, { wanted, cluster: member, hubObjects, snapshot, signal }, found);
        } catch (error) {
          signal.throwIfAborted();
          found.problems.push(new Error('cannot tell what would change', { cause: error }));
        }
        tell({ cluster: name, ...found });
      });
    },
  };
}

interface ClusterSite {
  readonly wanted: WantedSet;
  readonly cluster: Cluster;
  readonly hubObjects: Member;
  readonly snapshot: HubSnapshot;
  readonly signal: AbortSignal;
}

interface Found {
  readonly changes: (ShownPair & { readonly ref: ObjectRef })[];
  readonly notes: string[];
  readonly problems: unknown[];
}

async function lookAt({ hub, member: open, renderer }: PreviewCaller, site: ClusterSite, found: Found): Promise<void> {
  const { wanted, cluster, hubObjects, snapshot, signal } = site;
  const { items: works } = await hub.list(Work, { namespace: clusterId(cluster), signal });
  const next = await wantedWorks(wanted, { cluster, works, hubObjects, snapshot, renderer, signal });
  for (const { work, by } of next.outranked)
    found.notes.push(`release ${releaseOf(work)} stays with ${ownerOf(by)}, which has priority ${priorityOf(by)}: nothing would change`);
  for (const { work, to } of next.passed) found.notes.push(`release ${releaseOf(work)} would pass to ${ownerOf(to)} by an upgrade`);
  for (const [service, text] of next.failures) found.problems.push(new Error(`service ${service}: ${text}`));

  await using member = openMember(cluster.metadata.name!, await open(cluster), { signal });
  const place = {
    member,
    signal,
    renderer,
    readContent: (digest: string, stop: AbortSignal) => readContent(hub, digest, { signal: stop }),
  };
  const take = ({ changes, problems }: ChangePlan) => {
    found.changes.push(...changes.map(({ ref, live, merged }) => ({ ref, ...showPair(live, merged) })));
    found.problems.push(...problems);
  };
  for (const work of next.delivered)
    take(await planChanges(member, await wantDelivery(work, place), { options: work.spec.options, ...others(work) }));
  for (const work of next.removed) take(await planChanges(member, await wantNothing(work, place), { options: {}, ...others(work) }));

  function others(work: Work) {
    return { wantedByOthers: objectsOfOthers(work, works), signal };
  }
}

const releaseOf = ({ spec }: Work): string => `${spec.release.namespace}/${spec.release.name}`;

const ownerOf = ({ metadata }: Work): string => metadata.annotations?.[workAnnotations.owner] ?? `work ${JSON.stringify(metadata.name)}`;
