import type { Cluster } from '../../../api/cluster.ts';
import { workAnnotations } from '../../../api/work-annotations.ts';
import type { Work } from '../../../api/work.ts';
import type { KubeObject } from '../../data/kinds.ts';
import type { Tone } from '../../parts/state-badge.tsx';

/** Something that is installed on a cluster. */
export interface AddOn {
  readonly id: string;
  readonly type: 'Release' | 'API group' | 'Agent';
  readonly name: string;
  readonly namespace: string;
  readonly version: string;
  /** Who brought it. */
  readonly source: string;
  readonly state: { readonly tone: Tone; readonly word: string; readonly why?: string };
  /** The Work that delivers it. */
  readonly work?: Work;
}

/** Metadata is enough: what is in a release is not asked for. */
export interface AddOnFacts {
  readonly cluster: Cluster;
  /** Secrets in which Helm keeps releases. */
  readonly records: readonly KubeObject[];
  readonly works: readonly Work[];
  /** Deployments and their like, which charts mark with their name and version. */
  readonly workloads: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
}

const others = 'Somebody else, with Helm';
const unknown = 'Not known';

export function addOns(facts: AddOnFacts): readonly AddOn[] {
  const releases = releasesOf(facts);
  return [...agentOf(facts.cluster), ...releases, ...groupsOf(facts, releases)];
}

const releaseTones: Readonly<Record<string, Tone>> = { deployed: 'good', failed: 'bad', uninstalling: 'warn', superseded: 'idle' };

function releasesOf({ records, works, workloads }: AddOnFacts): AddOn[] {
  const latest = new Map<string, KubeObject>();
  for (const record of records) {
    const key = `${record.metadata.namespace}/${record.metadata.labels?.['name']}`;
    const known = latest.get(key);
    if (!known || revisionOf(known) < revisionOf(record)) latest.set(key, record);
  }
  const byRelease = new Map(
    works
      .filter(one => one.spec.chart && !one.status?.outrankedBy)
      .map(one => [`${one.spec.release.namespace}/${one.spec.release.name}`, one]),
  );
  const charts = new Map(workloads.flatMap(one => chartOf(one)));
  return [...latest].map(([key, record]) => {
    const work = byRelease.get(key);
    const { labels = {}, namespace = '' } = record.metadata;
    const word = labels['status'] ?? 'unknown';
    return {
      id: `release ${key}`,
      type: 'Release',
      name: labels['name'] ?? '',
      namespace,
      version: work?.status?.delivered?.chart ?? charts.get(key) ?? `revision ${labels['version'] ?? '?'}`,
      source: work ? (work.metadata.annotations?.[workAnnotations.owner] ?? `Work ${work.metadata.name}`) : others,
      state: { tone: releaseTones[word] ?? 'info', word: word.charAt(0).toUpperCase() + word.slice(1) },
      ...(work && { work }),
    };
  });
}

const revisionOf = ({ metadata }: KubeObject): number => Number(metadata.labels?.['version'] ?? 0);

function chartOf({ metadata: { annotations = {}, labels = {} } }: KubeObject): [string, string][] {
  const name = annotations['meta.helm.sh/release-name'];
  const chart = labels['helm.sh/chart'];
  return name === undefined || chart === undefined ? [] : [[`${annotations['meta.helm.sh/release-namespace']}/${name}`, chart]];
}

const builtIn: ReadonlySet<string> = new Set([
  ...['', 'apps', 'batch', 'autoscaling', 'policy', 'extensions'],
  ...[
    'admissionregistration',
    'apiextensions',
    'apiregistration',
    'authentication',
    'authorization',
    'certificates',
    'coordination',
    'discovery',
    'events',
    'flowcontrol.apiserver',
    'internal.apiserver',
    'networking',
    'node',
    'rbac.authorization',
    'resource',
    'scheduling',
    'storage',
    'storagemigration',
  ].map(name => `${name}.k8s.io`),
]);

/** What operators and others taught the API server. */
function groupsOf({ cluster, definitions }: AddOnFacts, releases: readonly AddOn[]): AddOn[] {
  const groups = new Map<string, { versions: string[]; kinds: Set<string> }>();
  for (const { groupVersion, resources } of cluster.status?.apiResources ?? []) {
    const [group = '', version = ''] = groupVersion.includes('/') ? groupVersion.split('/') : ['', groupVersion];
    if (builtIn.has(group)) continue;
    const known = groups.get(group) ?? { versions: [], kinds: new Set() };
    groups.set(group, known);
    known.versions.push(version);
    for (const { name, kind } of resources) if (!name.includes('/')) known.kinds.add(kind);
  }
  const sources = new Map(releases.map(one => [`${one.namespace}/${one.name}`, one.source]));
  return [...groups].map(([group, { versions, kinds }]) => {
    const owner = definitions.find(one => one.metadata.name?.endsWith(`.${group}`))?.metadata.annotations ?? {};
    const release = owner['meta.helm.sh/release-name'];
    const key = `${owner['meta.helm.sh/release-namespace']}/${release}`;
    return {
      id: `group ${group}`,
      type: 'API group',
      name: group,
      namespace: '',
      version: versions.join(', '),
      source: release === undefined ? unknown : (sources.get(key) ?? `Release ${key}`),
      state: { tone: 'good', word: 'Served', why: [...kinds].sort().join(', ') },
    };
  });
}

function agentOf({ spec, status }: Cluster): AddOn[] {
  // Who may not see the Cluster is told nothing of its agent.
  if (spec.connection.mode !== 'Tunnel' || status?.agentVersion === undefined) return [];
  const connected = status.conditions?.find(one => one.type === 'Connected');
  const isConnected = connected?.status === 'True';
  return [
    {
      id: 'agent',
      type: 'Agent',
      name: 'cattle-cluster-agent',
      namespace: 'cattle-system',
      version: status.agentVersion,
      source: 'Drover',
      state: {
        tone: isConnected ? 'good' : 'warn',
        word: isConnected ? 'Connected' : 'Away',
        ...(connected && { why: connected.message }),
      },
    },
  ];
}
