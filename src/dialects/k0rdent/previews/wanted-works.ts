import type { Cluster } from '../../../api/cluster.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { Work } from '../../../api/work.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { Member } from '../../../core/delivery/member.ts';
import type { ObjectRef } from '../../../core/delivery/object-ref.ts';
import { competes, rankClaims } from '../../../core/works/claims.ts';
import { isChart, releaseKeyOf } from '../../../core/works/work-indexes.ts';
import { capiClusterOf } from '../capi-cluster.ts';
import { sveltosCluster } from '../cluster-of.ts';
import { withIdentity } from '../compile-set.ts';
import { compileWorks, workAnnotationsOfSet, workLabels } from '../compile-works.ts';
import { readConfig } from '../effective-config.ts';
import { Credential } from '../kinds/management.ts';
import { propagatedIdentity, type PropagatedIdentity } from '../propagated-identity.ts';
import { reachesAll } from '../reach-of-set.ts';
import { setValues } from '../set-values.ts';
import { serviceKey } from '../validate-services.ts';
import type { JsonObject } from '../../../util/json.ts';
import type { RenderPool } from '../../../render/render-pool.ts';
import { timestamp } from '../../../util/timestamp.ts';
import type { HubSnapshot } from './hub-snapshot.ts';
import type { WantedSet } from './wanted-sets.ts';

/** What a set would do on its cluster. */
export interface WantedWorks {
  /** As they would be, with the status of those that are there. */
  readonly delivered: readonly Work[];
  readonly removed: readonly Work[];
  /** Services that would not change anything, with who has the release. */
  readonly outranked: readonly { readonly work: Work; readonly by: Work }[];
  /** Services that would pass to others instead of being removed. */
  readonly passed: readonly { readonly work: Work; readonly to: Work }[];
  readonly failures: ReadonlyMap<string, string>;
}

export interface WorksSite {
  readonly cluster: Cluster;
  /** All Works of the cluster. */
  readonly works: readonly Work[];
  readonly hubObjects: Member;
  readonly snapshot: HubSnapshot;
  readonly renderer: RenderPool;
  readonly signal: AbortSignal;
}

export async function wantedWorks(wanted: WantedSet, site: WorksSite): Promise<WantedWorks> {
  const { set, deployment } = wanted;
  const { cluster, works, hubObjects, snapshot } = site;
  const namespace = set.metadata.namespace!;
  const services = set.spec.services ?? [];
  const own = works.filter(({ metadata }) => set.metadata.uid !== undefined && metadata.labels?.[workLabels.set] === set.metadata.uid);
  const present = new Map(own.map(work => [work.metadata.annotations?.[workAnnotationsOfSet.service] ?? '', work]));
  const read = (ref: ObjectRef) => readFrom(hubObjects, ref, site.signal);
  const capi = deployment && capiClusterOf(deployment);
  const described = (capi && (await read(capi))) ?? sveltosCluster(cluster, deployment);
  const { renderer } = site;
  const config = withIdentity(readConfig(set.spec.provider.config), await identityOf(wanted, site));
  const source = {
    namespace,
    clusterName: cluster.metadata.name!,
    reachesAll: reachesAll(set),
    precedence: snapshot.precedence,
    renderer,
    read,
  };
  const { values, patches } = await setValues({ services, config, cluster: described as JsonObject }, source);
  const compiled = compileWorks({
    set,
    config,
    clusterNamespace: clusterId(cluster),
    present,
    template: name => snapshot.known.template(namespace, name),
    values: service => values.get(serviceKey(service)) ?? {},
    patches,
    isPreview: true,
  });
  const leaving = [...compiled.removals, ...compiled.spared];
  // What a template wants on the hub itself is nothing on the cluster.
  const isThere = ({ metadata }: Work) => metadata.namespace === clusterId(cluster);
  const next = compiled.works.filter(isThere).map(work => asIfStored(work, own));
  const others = works.filter(work => !own.includes(work));
  const rivalOf = (work: Work): Work | undefined => {
    const claims = [...others.filter(one => isChart(one) && releaseKeyOf(one) === releaseKeyOf(work)), work];
    const { winner } = rankClaims(claims);
    return isChart(work) && winner !== work ? winner : undefined;
  };
  const heirOf = (work: Work): Work | undefined =>
    isChart(work)
      ? rankClaims(others.filter(one => isChart(one) && competes(one) && releaseKeyOf(one) === releaseKeyOf(work))).winner
      : undefined;
  return {
    delivered: next.filter(work => !rivalOf(work)),
    outranked: next.flatMap(work => pair(work, rivalOf(work))).map(([work, by]) => ({ work, by })),
    removed: leaving.filter(work => !heirOf(work) && work.status?.delivered !== undefined),
    passed: leaving.flatMap(work => pair(work, heirOf(work))).map(([work, to]) => ({ work, to })),
    failures: compiled.failures,
  };
}

async function readFrom({ kinds, client }: Member, ref: ObjectRef, signal: AbortSignal): Promise<KubeObject | undefined> {
  const kind = await kinds.find(ref, signal);
  return kind && client.get(kind, ref, { signal });
}

/** What the own services of a ClusterDeployment may ask for besides. */
async function identityOf({ set, deployment }: WantedSet, { hubObjects, signal }: WorksSite): Promise<PropagatedIdentity | undefined> {
  const { credential: name } = deployment?.spec ?? {};
  if (!deployment || set.spec.multiClusterService || !name) return undefined;
  return propagatedIdentity(deployment, await hubObjects.client.get(Credential, { namespace: set.metadata.namespace!, name }, { signal }));
}

const pair = (work: Work, other: Work | undefined): [Work, Work][] => (other ? [[work, other]] : []);

/** A Work as it would be on the hub. One that only plans is taken for one that delivers: what it would do is what is asked. */
function asIfStored(work: Work, own: readonly Work[]): Work {
  const spec: Work['spec'] = { ...work.spec, ...(work.spec.sync === 'DryRun' && { sync: 'Continuous' }) };
  const found = own.find(({ metadata }) => metadata.name === work.metadata.name);
  if (!found) return { ...work, spec, metadata: { ...work.metadata, uid: 'not-there-yet', creationTimestamp: timestamp(new Date()) } };
  // Without the generation, which is that of another spec.
  const { generation: _, ...metadata } = found.metadata;
  return { ...work, spec, metadata, ...(found.status && { status: found.status }) };
}
