import { useEffect, useMemo, useState } from 'react';
import { useParams } from 'wouter';
import { PlaceLink } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { findKind, servedKinds, type ServedKind } from '../../data/discovery.ts';
import { seesHub } from '../../data/hub-sight.ts';
import { hub, kindKey, type Kind } from '../../data/kinds.ts';
import { useList } from '../../data/use-list.ts';
import { kinds as known } from '../../data/kinds.ts';
import { ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { PrintedTable } from './printed-table.tsx';
import { CreateButton } from './create-object.tsx';

/** Any kind on any set of clusters. */
export function Explore() {
  const { group, version, plural } = useParams<{ group?: string; version?: string; plural?: string }>();
  if (group === undefined || version === undefined || plural === undefined) return <Kinds />;
  return <OneKind key={`${group}/${version}/${plural}`} group={group === 'core' ? '' : group} version={version} plural={plural} />;
}

/** The kinds of the hub and of the clusters that are chosen, or of the first one. */
function Kinds() {
  const clusters = useDiscoveryClusters();
  const [served, setServed] = useState<readonly ServedKind[]>();
  const [error, setError] = useState<unknown>();
  const key = clusters.join();
  useEffect(() => {
    let isOver = false;
    Promise.allSettled(clusters.map(servedKinds)).then(answers => {
      if (isOver) return;
      const all = answers.flatMap(one => (one.status === 'fulfilled' ? one.value : []));
      setServed([...new Map(all.map(kind => [kindKey(kind), kind])).values()]);
      setError(all.length === 0 ? answers.find(one => one.status === 'rejected')?.reason : undefined);
    }, setError);
    return () => {
      isOver = true;
    };
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key names them
  }, [key]);
  return (
    <Page title="Explore" isFilled>
      {error !== undefined && <ErrorNote error={error} about="Kinds" />}
      <Table name="Kinds" rows={served ?? []} columns={kindColumns} keyOf={kindKey} state={served ? 'live' : 'loading'} sort="kind" />
    </Page>
  );
}

function useDiscoveryClusters(): readonly string[] {
  const { clusters } = useScope();
  const { items } = useList({ kind: known.cluster });
  return useMemo(() => {
    if (clusters.length > 0) return clusters;
    const first = items.map(one => one.metadata.name!).toSorted()[0];
    const own = seesHub() ? [hub] : [];
    return first === undefined ? own : [...own, first];
  }, [clusters, items]);
}

const kindColumns: readonly Column<ServedKind>[] = [
  {
    id: 'kind',
    title: 'Kind',
    value: one => one.kind,
    cell: one => <PlaceLink to={`/explore/${kindKey(one)}`}>{one.kind}</PlaceLink>,
  },
  { id: 'plural', title: 'Plural', value: one => one.plural },
  { id: 'short', title: 'Short', width: '8.5rem', value: one => one.shortNames.join(' ') },
  { id: 'group', title: 'Group', width: 'minmax(12rem, 1.4fr)', value: one => one.group },
  { id: 'version', title: 'Version', width: '7rem', value: one => one.version },
  { id: 'scope', title: 'Scope', width: '8.5rem', value: one => (one.isNamespaced ? 'Namespaced' : 'Cluster') },
];

function OneKind(wanted: { readonly group: string; readonly version: string; readonly plural: string }) {
  const scope = useScope();
  const kind = useKind(wanted, scope.clusters[0]);
  if (kind === 'looking') return <Loading />;
  return (
    <Page title={kind.kind} above={[{ title: 'Explore', to: '/explore' }]} isFilled actions={<CreateButton kind={kind} scope={scope} />}>
      <PrintedTable kind={kind} scope={scope} />
    </Page>
  );
}

/** A kind as some cluster serves it: the one that is named, the hub, or any member; as the address says when nobody does. */
export function useKind(
  wanted: { readonly group: string; readonly version: string; readonly plural: string },
  cluster?: string,
): Kind | 'looking' {
  const clusters = useDiscoveryClusters();
  const [kind, setKind] = useState<Kind | 'looking'>('looking');
  const { group, version, plural } = wanted;
  const asked = cluster === undefined ? clusters.join() : cluster;
  useEffect(() => {
    let isOver = false;
    const guess: Kind = { group, version, plural, kind: plural, isNamespaced: true };
    void Promise.all(
      asked
        .split(',')
        .filter(Boolean)
        .map(one => findKind(one, { group, version, plural }).catch(() => undefined)),
    ).then(found => {
      if (!isOver) setKind(before => found.find(Boolean) ?? (before === 'looking' ? guess : before));
    });
    return () => {
      isOver = true;
    };
  }, [group, version, plural, asked]);
  return kind;
}
