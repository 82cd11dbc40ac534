import { useMemo } from 'react';
import { go, PlaceLink } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { objectPlace, type Kind, type KubeObject } from '../../data/kinds.ts';
import { useLists } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { judgeObject, ObjectState, StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { SourceDeeds } from './source-deeds.tsx';

export interface Source extends KubeObject {
  readonly spec: {
    readonly url?: string;
    readonly endpoint?: string;
    readonly bucketName?: string;
    readonly chart?: string;
    readonly version?: string;
    readonly suspend?: boolean;
    readonly sourceRef?: { readonly kind: string; readonly name: string };
  };
  readonly status?: { readonly artifact?: { readonly revision?: string; readonly lastUpdateTime?: string } };
}

export interface SourceRow {
  readonly kind: Kind;
  readonly source: Source;
}

const { helmRepository, gitRepository, ociRepository, bucket, helmChart } = deliveryKinds;
const sourceKinds: readonly Kind[] = [helmRepository, gitRepository, ociRepository, bucket, helmChart];
const rowEnd = (row: SourceRow) => <SourceDeeds key={row.source.metadata.uid} row={row} />;

/** Where charts and manifests come from, which revision is here, and whether the last look went well. */
export function Sources() {
  const { namespace } = useScope();
  const lists = useLists<Source>(sourceKinds.map(kind => ({ kind, namespace })));
  const rows = useMemo(() => lists.flatMap(({ items, wanted }) => items.map(source => ({ kind: wanted.kind, source }))), [lists]);
  const error = lists.find(one => one.error)?.error;
  const state = lists.find(({ state }) => state !== 'live')?.state ?? 'live';
  return (
    <Page title="Sources" isFilled>
      {error && <ErrorNote error={error} about="Sources" />}
      <Table
        name="Sources"
        rows={rows}
        columns={columns}
        keyOf={one => one.source.metadata.uid!}
        state={state}
        sort="name"
        onOpen={row => go(placeOf(row))}
        rowEnd={rowEnd}
        empty={
          <Empty title="No sources yet" command="drover chart push ./my-chart">
            Repositories of charts, git and registries that templates name are listed here. Charts that are pushed to the hub need none.
          </Empty>
        }
      />
    </Page>
  );
}

const placeOf = ({ kind, source: { metadata } }: SourceRow): string => objectPlace(kind, metadata);

function addressOf({ spec }: Source): string {
  const { url, endpoint, bucketName, chart, version, sourceRef } = spec;
  if (chart !== undefined) return [chart, version, sourceRef && `from ${sourceRef.name}`].filter(Boolean).join(' ');
  return url ?? [endpoint, bucketName].filter(Boolean).join('/');
}

const columns: readonly Column<SourceRow>[] = [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(9rem, 1fr)',
    value: ({ source }) => source.metadata.name,
    cell: row => (
      <PlaceLink to={placeOf(row)}>
        <bdi>{row.source.metadata.name}</bdi>
      </PlaceLink>
    ),
  },
  { id: 'ns', title: 'Namespace', width: 'minmax(8rem, 1fr)', value: ({ source }) => source.metadata.namespace },
  { id: 'type', title: 'Type', width: '9rem', value: ({ kind }) => kind.kind },
  {
    id: 'state',
    title: 'State',
    width: '9.5rem',
    value: ({ source }) => (source.spec.suspend ? 'Suspended' : judgeObject(source).word),
    cell: ({ source }) => (source.spec.suspend ? <StateBadge tone="warn" word="Suspended" /> : <ObjectState object={source} />),
  },
  { id: 'url', title: 'From', width: 'minmax(12rem, 1.6fr)', value: ({ source }) => addressOf(source) },
  { id: 'revision', title: 'Revision', width: 'minmax(7rem, 1fr)', value: ({ source }) => source.status?.artifact?.revision },
  { id: 'message', title: 'Message', width: 'minmax(12rem, 2fr)', value: ({ source }) => judgeObject(source).why },
  {
    id: 'fetched',
    title: 'Fetched',
    width: '6rem',
    isExtra: true,
    value: ({ source }) => -Date.parse(source.status?.artifact?.lastUpdateTime ?? ''),
    cell: ({ source }) => <Time at={source.status?.artifact?.lastUpdateTime} />,
  },
  {
    id: 'age',
    title: 'Age',
    width: '5rem',
    value: ({ source }) => -Date.parse(source.metadata.creationTimestamp ?? ''),
    cell: ({ source }) => <Time at={source.metadata.creationTimestamp} />,
  },
];
