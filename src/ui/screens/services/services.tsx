import { useMemo } from 'react';
import type { RolloutState } from '../../../api/rollout.ts';
import type { Work } from '../../../api/work.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { LeftOut, useScope, type Scope } from '../../app/scope.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import type { KeyDeeds } from '../../app/shortcuts.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { useListIfServed } from '../../data/use-served.ts';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { CreateService } from './create-service.tsx';
import { DependencyPicture } from './dependency-picture.tsx';
import { judgeService } from './judge-service.ts';
import { phaseTone } from '../../parts/phase-tone.ts';
import { keyOf, kindOf, placeOf, priorityOf, type MultiClusterService } from './service-kinds.ts';
import '../../styles/delivery.css';

const keyDeeds: KeyDeeds<MultiClusterService> = {
  diff: one => go(`${placeOf(one)}/plan`),
  edit: one => go(`${objectPlace(kindOf(one), one.metadata)}/yaml`),
};

/** Services for many clusters: where they are, in which version, and how they are there. */
export function Services({ part = '' }: { part?: '' | 'dependencies' }) {
  const { items: wide, state, error } = useList<MultiClusterService>({ kind: kinds.multiClusterService });
  const { items: narrow } = useListIfServed<MultiClusterService>({ kind: deliveryKinds.namespacedMultiClusterService });
  const all = useMemo(() => [...wide, ...narrow], [wide, narrow]);
  const scope = useScope();
  const services = useMemo(() => all.filter(one => isOfScope(one, scope)), [all, scope]);
  const { items: drifted } = useList<Work>({ kind: kinds.work, fieldSelector: 'status.trouble=Drifted' });
  const columns = useMemo(() => columnsWith(driftByOwner(drifted)), [drifted]);
  return (
    <Page title="Services" isFilled={part === ''} actions={<CreateService present={wide} />}>
      {error && <ErrorNote error={error} about="Services" />}
      <Tabs
        current={part}
        base="/services"
        tabs={[
          { id: '', title: 'All' },
          { id: 'dependencies', title: 'Who depends on whom' },
        ]}
      />
      {part === 'dependencies' ? (
        services.length === 0 && state !== 'live' ? (
          state === 'loading' && <Loading />
        ) : (
          <DependencyPicture services={services} />
        )
      ) : (
        <Table
          name="Services"
          rows={services}
          columns={columns}
          keyOf={one => one.metadata.uid!}
          state={state}
          sort="name"
          onOpen={one => go(placeOf(one))}
          keyDeeds={keyDeeds}
          tools={<LeftOut count={all.length - services.length} />}
          empty={
            <Empty title="No services yet" command="kubectl apply -f examples/multi-cluster-service">
              A MultiClusterService brings charts to every cluster that its selector matches, now and later.
            </Empty>
          }
        />
      )}
    </Page>
  );
}

export function Dependencies() {
  return <Services part="dependencies" />;
}

/** Whether it goes to one of the clusters that somebody looks at; those that belong to a namespace are for that one. */
function isOfScope({ metadata, status }: MultiClusterService, { clusters, namespace }: Scope): boolean {
  if (namespace !== '' && metadata.namespace !== undefined && metadata.namespace !== namespace) return false;
  return clusters.length === 0 || (status?.matchingClusters ?? []).some(({ name }) => clusters.includes(name ?? ''));
}

const conditionOf = (mcs: MultiClusterService, type: string) =>
  (mcs.status as { conditions?: { type: string; message?: string }[] } | undefined)?.conditions?.find(one => one.type === type);
const servicesOf = ({ spec }: MultiClusterService) => spec.serviceSpec?.services ?? [];
const selectorText = ({ spec: { clusterSelector = {} } }: MultiClusterService): string =>
  [
    ...Object.entries(clusterSelector.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`),
    ...(clusterSelector.matchExpressions ?? []).map(({ key, operator, values = [] }) => [key, operator, values.join('|')].join(' ').trim()),
  ].join(', ');

const waveText = (rollout: RolloutState | undefined): string => {
  const at = rollout?.waves.findIndex(one => one.name === rollout.wave) ?? -1;
  return at < 0 ? '' : `${at + 1}/${rollout!.waves.length} ${rollout!.wave}`;
};

/** On how many clusters each service was changed by others, by what its Works say of their owner. */
function driftByOwner(works: readonly Work[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { metadata } of works) {
    const owner = metadata.annotations?.['drover.io/owner'] ?? '';
    counts.set(owner, (counts.get(owner) ?? 0) + 1);
  }
  return counts;
}

const columnsWith = (drift: ReadonlyMap<string, number>): readonly Column<MultiClusterService>[] => [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(11rem, 1.2fr)',
    value: keyOf,
    cell: one => (
      <PlaceLink to={placeOf(one)}>
        <bdi>{keyOf(one)}</bdi>
      </PlaceLink>
    ),
  },
  {
    id: 'state',
    title: 'State',
    width: '10rem',
    value: one => judgeService(one).word,
    cell: one => <StateBadge {...judgeService(one)} />,
  },
  {
    id: 'clusters',
    title: 'Clusters ready',
    width: '8.5rem',
    isNumber: true,
    value: one => conditionOf(one, 'ClusterInReadyState')?.message,
  },
  {
    id: 'templates',
    title: 'Templates',
    width: 'minmax(10rem, 1.4fr)',
    value: one =>
      servicesOf(one)
        .map(({ template }) => template)
        .join(', '),
  },
  {
    id: 'rollout',
    title: 'Rollout',
    width: '12rem',
    value: ({ status }) => status?.rollout?.phase,
    cell: ({ status }) =>
      status?.rollout ? (
        <span className="row">
          <StateBadge tone={phaseTone(status.rollout.phase)} word={status.rollout.phase} />
          <span className="number muted">{status.rollout.updated}</span>
        </span>
      ) : (
        <span className="muted">All at once</span>
      ),
  },
  {
    id: 'drift',
    title: 'Drift',
    hint: 'Places where others changed what was delivered, and nobody changes it back',
    width: '5.5rem',
    isNumber: true,
    value: one => drift.get(`${kindOf(one).kind} ${keyOf(one)}`) ?? 0,
  },
  {
    id: 'wave',
    title: 'Wave',
    width: '8rem',
    isExtra: true,
    value: ({ status }) => waveText(status?.rollout),
  },
  {
    id: 'failed',
    title: 'Failed',
    hint: 'Clusters on which the rollout failed, and how many may',
    width: '6rem',
    isExtra: true,
    isNumber: true,
    value: ({ status }) => status?.rollout?.clusters?.failed,
    cell: ({ spec, status }) =>
      status?.rollout &&
      `${status.rollout.clusters?.failed ?? 0}${spec.rollout?.maxFailures === undefined ? '' : ` of ${spec.rollout.maxFailures}`}`,
  },
  {
    id: 'began',
    title: 'Began',
    width: '6rem',
    isExtra: true,
    value: ({ status }) => -Date.parse(status?.rollout?.startedAt ?? ''),
    cell: ({ status }) => <Time at={status?.rollout?.startedAt} />,
  },
  { id: 'revision', title: 'Revision', width: '9rem', isExtra: true, value: ({ status }) => status?.rollout?.revision },
  { id: 'priority', title: 'Priority', width: '6rem', isNumber: true, value: priorityOf },
  {
    id: 'selector',
    title: 'Clusters with',
    width: 'minmax(9rem, 1fr)',
    value: selectorText,
    cell: one => <code>{selectorText(one)}</code>,
  },
  { id: 'after', title: 'Depends on', width: 'minmax(8rem, 1fr)', isExtra: true, value: ({ spec }) => spec.dependsOn?.join(', ') },
  {
    id: 'age',
    title: 'Age',
    width: '5.5rem',
    value: ({ metadata }) => -Date.parse(metadata.creationTimestamp ?? ''),
    cell: ({ metadata }) => <Time at={metadata.creationTimestamp} />,
  },
];
