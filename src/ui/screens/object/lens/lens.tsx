import type { Cluster } from '../../../../api/cluster.ts';
import { dialectOf } from '../../../../api/dialects.ts';
import type { Work } from '../../../../api/work.ts';
import { PlaceLink } from '../../../app/place.tsx';
import { hub, kinds, objectPlace, resourceOf, type KubeObject } from '../../../data/kinds.ts';
import { useList } from '../../../data/use-list.ts';
import { useServedKinds } from '../../../data/use-served.ts';
import { ErrorNote, Loading } from '../../../parts/notes.tsx';
import { SmallTable } from '../../../parts/small-table.tsx';
import { judgeObject, StateBadge } from '../../../parts/state-badge.tsx';
import type { ObjectAt } from '../object-place.ts';
import { ownerOf, traceOf, type Trace } from './trace-of.ts';
import { useCompiledWorks } from './use-compiled-works.ts';

const deploymentMark = 'k0rdent.mirantis.com/cluster-deployment';
const workMark = 'drover.io/work';
const releaseMarks = { name: 'meta.helm.sh/release-name', namespace: 'meta.helm.sh/release-namespace' };

/** From the words of a dialect to what they became, and back. */
export function Lens({ object, at }: { object: KubeObject; at: ObjectAt }) {
  const { kind, cluster } = at;
  if (cluster !== hub) return <DeliveredBy object={object} cluster={cluster} />;
  if (resourceOf(kind) === 'works.drover.io') return <WantedBy work={object} />;
  if (resourceOf(kind) === 'clusters.drover.io') return <AlsoCalled cluster={object as unknown as Cluster} />;
  const trace = traceOf(kind, object);
  return trace ? <Became trace={trace} object={object} dialect={dialectOf(kind.group) ?? ''} /> : null;
}

/** The Cluster and the Works that an object of a dialect was compiled to. */
function Became({ trace, object, dialect }: { trace: Trace; object: KubeObject; dialect: string }) {
  const { items: clusters } = useList<Cluster>({ kind: kinds.cluster });
  const member = clusters.find(one => isMeant(one, trace.cluster));
  const { works, isLooking, isCut, error } = useCompiledWorks(trace.works, `${object.metadata.uid} ${trace.works?.namespace ?? ''}`);
  return (
    <section className="card stack tight" aria-label="What it became">
      <h2>What it became</h2>
      <p className="muted">
        The words are {dialect === 'Drover' ? 'Drover’s own' : `those of ${dialect}`}; members change by Clusters and Works alone.
      </p>
      {trace.cluster && (
        <p className="row">
          {member ? (
            <>
              Cluster <PlaceLink to={objectPlace(kinds.cluster, { name: member.metadata.name })}>{member.metadata.name}</PlaceLink>
              <StateBadge {...judgeObject(member)} />
            </>
          ) : (
            'There is no Cluster of it yet.'
          )}
        </p>
      )}
      {error !== undefined && <ErrorNote error={error} about="Works" />}
      {trace.works && isLooking && error === undefined && <Loading />}
      {trace.works && !isLooking && works.length === 0 && error === undefined && <p className="muted">It has no Works now.</p>}
      {works.length > 0 && (
        <SmallTable
          name="Works that it became"
          heads={['Work', 'Cluster', 'Ready', 'Reason']}
          rows={works.slice(0, mostShown).map(one => [
            <PlaceLink key="work" to={objectPlace(kinds.work, { namespace: one.namespace, name: one.name })}>
              {one.name}
            </PlaceLink>,
            one.cluster,
            <StateBadge
              key="ready"
              tone={one.ready === 'True' ? 'good' : one.ready === 'False' ? 'bad' : 'idle'}
              word={one.ready || 'Unknown'}
            />,
            one.reason,
          ])}
        />
      )}
      {works.length > mostShown && (
        <p className="muted">
          The first {mostShown} of {works.length.toLocaleString()}.
        </p>
      )}
      {isCut && <p className="muted">There are more Works than were looked through.</p>}
    </section>
  );
}

const mostShown = 40;

function isMeant({ metadata, status }: Cluster, meant: Trace['cluster']): boolean {
  if (meant?.id !== undefined) return (status?.id ?? metadata.name) === meant.id;
  if (meant?.deployment !== undefined) return metadata.annotations?.[deploymentMark] === meant.deployment;
  return meant?.name !== undefined && metadata.name === meant.name;
}

/** For whom a Work is there. */
function WantedBy({ work }: { work: KubeObject }) {
  const owner = ownerOf(work.metadata.annotations);
  const served = useServedKinds(owner ? hub : undefined);
  const words = work.metadata.annotations?.['drover.io/owner'];
  const { items: clusters } = useList<Cluster>({ kind: kinds.cluster });
  const member = clusters.find(one => (one.status?.id ?? one.metadata.name) === work.metadata.namespace);
  const kind = owner && served.find(one => one.kind === owner.kind && dialectOf(one.group) !== undefined);
  const namespace = kind?.isNamespaced ? (owner?.namespace ?? work.metadata.namespace) : undefined;
  return (
    <section className="card stack tight" aria-label="What it is for">
      <h2>What it is for</h2>
      <dl className="facts">
        <dt>Wanted by</dt>
        <dd>
          {owner && kind ? (
            <>
              <PlaceLink to={objectPlace(kind, { namespace, name: owner.name })}>{words}</PlaceLink>{' '}
              <span className="muted">{dialectOf(kind.group)}</span>
            </>
          ) : (
            (words ?? 'Whoever wrote it')
          )}
        </dd>
        <dt>On</dt>
        <dd>{member ? <ClusterLink name={member.metadata.name ?? ''} /> : work.metadata.namespace}</dd>
      </dl>
    </section>
  );
}

const ClusterLink = ({ name }: { name: string }) => <PlaceLink to={`/clusters/${encodeURIComponent(name)}`}>{name}</PlaceLink>;

/** What dialects call a member. */
function AlsoCalled({ cluster }: { cluster: Cluster }) {
  const served = useServedKinds(hub);
  const [name = '', namespace] = (cluster.metadata.annotations?.[deploymentMark] ?? '').split('/').reverse();
  const id = cluster.status?.id;
  const deployment = name === '' ? undefined : served.find(one => one.kind === 'ClusterDeployment');
  const management = id === undefined ? undefined : served.find(one => resourceOf(one) === 'clusters.management.cattle.io');
  if (!deployment && !management) return null;
  return (
    <section className="card stack tight" aria-label="In other words">
      <h2>In other words</h2>
      <dl className="facts">
        {deployment && (
          <>
            <dt>k0rdent</dt>
            <dd>
              <PlaceLink to={objectPlace(deployment, { namespace, name })}>
                ClusterDeployment {namespace}/{name}
              </PlaceLink>
            </dd>
          </>
        )}
        {management && (
          <>
            <dt>Rancher</dt>
            <dd>
              <PlaceLink to={objectPlace(management, { name: id })}>Cluster {id}</PlaceLink>
            </dd>
          </>
        )}
      </dl>
    </section>
  );
}

/** Of an object on a member: the Work that brought it there. */
function DeliveredBy({ object, cluster }: { object: KubeObject; cluster: string }) {
  const { annotations = {} } = object.metadata;
  const [name, namespace] = (annotations[workMark] ?? '').split('/').reverse();
  const release = { name: annotations[releaseMarks.name], namespace: annotations[releaseMarks.namespace] };
  const { items: clusters } = useList<Cluster>(release.name === undefined ? undefined : { kind: kinds.cluster });
  const id = clusters.find(one => one.metadata.name === cluster)?.status?.id;
  const { items: works } = useList<Work>(id === undefined ? undefined : { kind: kinds.work, namespace: id });
  const own = works.find(
    ({ spec, status }) =>
      spec.release?.name === release.name && (spec.release?.namespace ?? 'default') === release.namespace && !status?.outrankedBy,
  );
  const found = name ? { namespace, name } : own?.metadata;
  if (!found) return null;
  return (
    <section className="card" aria-label="Delivered by">
      <dl className="facts">
        <dt>Delivered by</dt>
        <dd>
          <PlaceLink to={objectPlace(kinds.work, found)}>Work {found.name}</PlaceLink>{' '}
          <span className="muted">{own?.metadata.annotations?.['drover.io/owner']}</span>
        </dd>
      </dl>
    </section>
  );
}
