import { lazy, useCallback, useMemo, type ReactNode } from 'react';
import type { Cluster } from '../../../api/cluster.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { useScope } from '../../app/scope.tsx';
import { objectPlace, type Kind, type KubeObject } from '../../data/kinds.ts';
import { usePlaces } from '../../data/list-places.ts';
import { machineKinds } from '../../data/machine-kinds.ts';
import { useList, useLists } from '../../data/use-list.ts';
import { Empty, ErrorNote } from '../../parts/notes.tsx';
import { judgeObject, StateBadge } from '../../parts/state-badge.tsx';
import type { Column } from '../../parts/table/columns.ts';
import { Table } from '../../parts/table/table.tsx';
import { Time } from '../../parts/time.tsx';
import { AddButton } from './add-button.tsx';
import type { Machine } from './machine-state.ts';
import { useProjects } from './use-projects.ts';

const AddImage = lazy(async () => ({ default: (await import('./add-image.tsx')).AddImage }));

interface Row<T> {
  readonly object: T;
  readonly project: string;
}

interface ThingsProps<T> {
  readonly cluster: Cluster;
  readonly kind: Kind;
  readonly name: string;
  readonly about: string;
  readonly columns: readonly Column<Row<T>>[];
  /** What it is called where people gave it a name. */
  titleOf?(object: T): string | undefined;
  readonly tools?: ReactNode;
}

function Things<T extends KubeObject>({ cluster, kind, name, about, columns, titleOf, tools }: ThingsProps<T>) {
  const { namespace } = useScope();
  const at = cluster.metadata.name!;
  const clusters = useMemo(() => [cluster], [cluster]);
  const names = useMemo(() => [at], [at]);
  const places = usePlaces(kind, names, namespace);
  const lists = useLists<T>((places ?? []).map(place => ({ ...place, kind })));
  const items = useMemo(() => lists.flatMap(one => one.items), [lists]);
  const error = lists.find(one => one.error)?.error;
  const state =
    !places || lists.some(one => one.state === 'loading') ? 'loading' : (lists.find(one => one.state === 'failed')?.state ?? 'live');
  const projectOf = useProjects(clusters);
  const rows = useMemo(
    () => items.map((object): Row<T> => ({ object, project: projectOf(at, object.metadata.namespace) })),
    [items, projectOf, at],
  );
  const all = useMemo(() => [...commonColumns<T>(at, kind, titleOf), ...columns, ageColumn<T>()], [at, kind, columns, titleOf]);
  return (
    <>
      {error && <ErrorNote error={error} about={name} />}
      <Table
        name={name}
        rows={rows}
        columns={all}
        keyOf={({ object }) => object.metadata.uid!}
        state={state}
        sort="name"
        tools={tools}
        onOpen={({ object }) => go(placeOf(at, kind, object))}
        empty={
          <Empty title={`No ${name.toLowerCase()}`} command={`drover get ${kind.plural} -A -C ${at}`}>
            {about}
          </Empty>
        }
      />
    </>
  );
}

const placeOf = (cluster: string, kind: Kind, { metadata }: KubeObject): string =>
  objectPlace(kind, { cluster, namespace: metadata.namespace, name: metadata.name });

function commonColumns<T extends KubeObject>(cluster: string, kind: Kind, titleOf?: (object: T) => string | undefined): Column<Row<T>>[] {
  const title = ({ object }: Row<T>) => titleOf?.(object) ?? object.metadata.name;
  return [
    {
      id: 'name',
      title: 'Name',
      width: 'minmax(10rem, 1.5fr)',
      value: title,
      cell: row => (
        <PlaceLink to={placeOf(cluster, kind, row.object)}>
          <bdi>{title(row)}</bdi>
        </PlaceLink>
      ),
    },
    { id: 'ns', title: 'Namespace', value: ({ object }) => object.metadata.namespace },
    { id: 'project', title: 'Project', value: ({ project }) => project },
  ];
}

const ageColumn = <T extends KubeObject>(): Column<Row<T>> => ({
  id: 'age',
  title: 'Age',
  width: '5.5rem',
  value: ({ object }) => -Date.parse(object.metadata.creationTimestamp ?? ''),
  cell: ({ object }) => <Time at={object.metadata.creationTimestamp} />,
});

export interface Image extends KubeObject {
  readonly spec?: { readonly displayName?: string; readonly description?: string; readonly sourceType?: string; readonly url?: string };
  readonly status?: {
    readonly progress?: number;
    readonly size?: number;
    readonly virtualSize?: number;
    readonly storageClassName?: string;
    readonly conditions?: readonly { type: string; status: string; message?: string }[];
  };
}

function imageState({ metadata, status }: Image): { tone: 'good' | 'bad' | 'info' | 'warn'; word: string; why?: string | undefined } {
  const find = (type: string) => status?.conditions?.find(one => one.type === type);
  if (metadata.deletionTimestamp !== undefined) return { tone: 'warn', word: 'Leaving' };
  if (find('RetryLimitExceeded')?.status === 'True') return { tone: 'bad', word: 'Failed', why: find('RetryLimitExceeded')?.message };
  const imported = find('Imported');
  if (imported?.status === 'True') return { tone: 'good', word: 'Active' };
  if (imported?.status === 'False') return { tone: 'bad', word: 'Failed', why: imported.message };
  return { tone: 'info', word: 'In progress', why: imported?.message };
}

const sizeText = (bytes: number | undefined): string => {
  if (bytes === undefined) return '';
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const at = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** at).toFixed(at === 0 ? 0 : 1)} ${units[at]}`;
};

const imageColumns: readonly Column<Row<Image>>[] = [
  {
    id: 'state',
    title: 'State',
    width: '9rem',
    value: ({ object }) => imageState(object).word,
    cell: ({ object }) => <StateBadge {...imageState(object)} />,
  },
  { id: 'from', title: 'From', width: 'minmax(8rem, 1.2fr)', value: ({ object }) => object.spec?.url ?? object.spec?.sourceType },
  { id: 'class', title: 'Storage class', width: 'minmax(8rem, 1fr)', value: ({ object }) => object.status?.storageClassName },
  {
    id: 'progress',
    title: 'Progress',
    width: '6.5rem',
    isNumber: true,
    value: ({ object }) => object.status?.progress,
    cell: ({ object }) => object.status?.progress !== undefined && `${object.status.progress} %`,
  },
  {
    id: 'size',
    title: 'Size',
    width: '6.5rem',
    isNumber: true,
    value: ({ object }) => object.status?.size,
    cell: ({ object }) => sizeText(object.status?.size),
  },
  {
    id: 'virtual',
    title: 'Virtual size',
    width: '7rem',
    isNumber: true,
    value: ({ object }) => object.status?.virtualSize,
    cell: ({ object }) => sizeText(object.status?.virtualSize),
  },
  { id: 'description', title: 'Description', isExtra: true, value: ({ object }) => object.spec?.description },
];

const imageTitle = ({ spec }: Image) => spec?.displayName;

export function Images({ cluster }: { cluster: Cluster }) {
  const at = cluster.metadata.name!;
  const clusters = useMemo(() => [cluster], [cluster]);
  const projects = useProjects(clusters);
  const projectOf = useCallback((namespace: string) => projects(at, namespace), [projects, at]);
  return (
    <Things<Image>
      cluster={cluster}
      kind={machineKinds.image}
      name="Images"
      about="Images that disks of virtual machines begin with."
      columns={imageColumns}
      titleOf={imageTitle}
      tools={<AddButton cluster={at} kind={machineKinds.image} title="Add an image" projectOf={projectOf} Form={AddImage} />}
    />
  );
}

export interface Volume extends KubeObject {
  readonly spec?: {
    readonly storageClassName?: string;
    readonly volumeMode?: string;
    readonly resources?: { readonly requests?: { readonly storage?: string } };
  };
  readonly status?: { readonly phase?: string; readonly capacity?: { readonly storage?: string } };
}

export function Volumes({ cluster }: { cluster: Cluster }) {
  const { namespace } = useScope();
  const { items } = useList<Machine>({ cluster: cluster.metadata.name!, kind: machineKinds.machine, namespace });
  const columns = useMemo((): readonly Column<Row<Volume>>[] => {
    const users = new Map(
      items.flatMap(({ metadata, spec }) =>
        (spec?.template?.spec?.volumes ?? []).flatMap(({ persistentVolumeClaim }) =>
          persistentVolumeClaim?.claimName
            ? [[`${metadata.namespace}/${persistentVolumeClaim.claimName}`, metadata.name ?? ''] as const]
            : [],
        ),
      ),
    );
    return [
      {
        id: 'state',
        title: 'State',
        width: '8rem',
        value: ({ object }) => judgeObject(object).word,
        cell: ({ object }) => <StateBadge {...judgeObject(object)} />,
      },
      {
        id: 'size',
        title: 'Size',
        width: '6rem',
        isNumber: true,
        value: ({ object }) => object.status?.capacity?.storage ?? object.spec?.resources?.requests?.storage,
      },
      { id: 'vm', title: 'Used by', value: ({ object }) => users.get(`${object.metadata.namespace}/${object.metadata.name}`) },
      { id: 'class', title: 'Storage class', width: 'minmax(8rem, 1fr)', value: ({ object }) => object.spec?.storageClassName },
      { id: 'mode', title: 'Mode', width: '7rem', value: ({ object }) => object.spec?.volumeMode },
    ];
  }, [items]);
  return (
    <Things<Volume> cluster={cluster} kind={machineKinds.volume} name="Volumes" about="Disks of virtual machines." columns={columns} />
  );
}

interface Network extends KubeObject {
  readonly spec?: { readonly config?: string };
}

const networkLabel =
  (name: string) =>
  ({ object }: Row<Network>) =>
    object.metadata.labels?.[`network.harvesterhci.io/${name}`];

const networkColumns: readonly Column<Row<Network>>[] = [
  { id: 'type', title: 'Type', value: networkLabel('type') },
  { id: 'vlan', title: 'VLAN', width: '6rem', isNumber: true, value: networkLabel('vlan-id') },
  { id: 'network', title: 'Cluster network', width: 'minmax(8rem, 1fr)', value: networkLabel('clusternetwork') },
];

export function Networks({ cluster }: { cluster: Cluster }) {
  return (
    <Things<Network>
      cluster={cluster}
      kind={machineKinds.network}
      name="Networks"
      about="Networks that virtual machines can be plugged into."
      columns={networkColumns}
    />
  );
}

export interface KeyPair extends KubeObject {
  readonly spec?: { readonly publicKey?: string };
  readonly status?: { readonly fingerPrint?: string };
}

const keyColumns: readonly Column<Row<KeyPair>>[] = [
  { id: 'fingerprint', title: 'Fingerprint', width: 'minmax(14rem, 2fr)', value: ({ object }) => object.status?.fingerPrint },
];

export function KeyPairs({ cluster }: { cluster: Cluster }) {
  return (
    <Things<KeyPair>
      cluster={cluster}
      kind={machineKinds.keyPair}
      name="SSH keys"
      about="Public keys that virtual machines trust."
      columns={keyColumns}
    />
  );
}
