import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work, workAnnotations } from '../../api/work.ts';
import { workAnnotationsOfSet, workLabels } from '../../dialects/k0rdent/compile-works.ts';
import { MultiClusterService } from '../../dialects/k0rdent/kinds/multi-cluster-service.ts';
import { ServiceSet } from '../../dialects/k0rdent/kinds/service-set.ts';
import { explainOwner, type OwnerFacts } from './explain-owner.ts';
import { printOwner } from './print-owner.ts';

const namespace = 'kcm-system';
const at = '2026-01-01T00:00:00Z';

function setOf(name: string, cluster: string, template: string, more: { mcs?: string; failure?: string } = {}): ServiceSet {
  const { mcs, failure } = more;
  const set = newObject(
    ServiceSet,
    { name, namespace, uid: `uid-${name}`, generation: 1 },
    {
      cluster,
      provider: {},
      services: [{ name: 'nginx', namespace: 'nginx', template }],
      ...(mcs !== undefined && { multiClusterService: mcs }),
    },
  );
  const state = failure === undefined ? ({ state: 'Deployed' } as const) : ({ state: 'Failed', failureMessage: failure } as const);
  const services = [{ type: 'Helm' as const, name: 'nginx', namespace: 'nginx', template, ...state, lastStateTransitionTime: at }];
  return { ...set, status: { deployed: failure === undefined, services } };
}

function workOf(set: ServiceSet, owner: string, priority: number, isDelivered: boolean): Work {
  const work = newObject(
    Work,
    {
      name: `${set.metadata.name}.nginx`,
      namespace: 'c-m-1',
      uid: `work-${set.metadata.name}`,
      creationTimestamp: at,
      labels: { [workLabels.set]: set.metadata.uid! },
      annotations: {
        [workAnnotations.owner]: owner,
        [workAnnotationsOfSet.set]: `${namespace}/${set.metadata.name}`,
        [workAnnotationsOfSet.service]: 'nginx/nginx',
      },
    },
    { release: { name: 'nginx', namespace: 'nginx' }, priority, chart: { content: `sha256:${'a'.repeat(64)}` } },
  );
  return isDelivered ? { ...work, status: { delivered: { inputs: 'x', state: 'Deployed', at } } } : work;
}

const mcs = {
  ...newObject(MultiClusterService, { name: 'global' }, {}),
  status: {
    conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: '1/2 Clusters are ready.', lastTransitionTime: at }],
    matchingClusters: [
      { kind: 'ClusterDeployment', namespace, name: 'one', regional: false, deployed: true },
      { kind: 'ClusterDeployment', namespace, name: 'two', regional: false, deployed: false, outranked: true, message: 'outranked' },
      { kind: 'ClusterDeployment', namespace, name: 'three', regional: false, deployed: false, message: 'waiting on base' },
    ],
  },
} as MultiClusterService;

const own1 = setOf('one', 'one', 'nginx-1', { failure: 'ClusterSummary p--one-x managing it' });
const mine1 = setOf('one-x', 'one', 'nginx-2', { mcs: 'global' });
const own2 = setOf('two', 'two', 'nginx-1');
const mine2 = setOf('two-x', 'two', 'nginx-2', { mcs: 'global', failure: 'ClusterSummary p--two managing it' });

function facts(isMeant: (target: string) => boolean = () => true): OwnerFacts {
  const works: Record<string, Work[]> = {
    [`${namespace}/one`]: [
      workOf(own1, `ClusterDeployment ${namespace}/one`, 100, false),
      workOf(mine1, 'MultiClusterService global', 300, true),
    ],
    [`${namespace}/two`]: [
      workOf(own2, `ClusterDeployment ${namespace}/two`, 500, true),
      workOf(mine2, 'MultiClusterService global', 300, false),
    ],
  };
  return {
    owner: mcs,
    sets: [mine1, mine2],
    allSets: [own1, mine1, own2, mine2],
    member: target => (target.endsWith('three') ? undefined : target.split('/')[1]),
    works: target => works[target] ?? [],
    isMeant,
    notSelected: [{ cluster: `${namespace}/lab`, why: 'env is "test", not "prod"' }],
  };
}

test('on every cluster it is told who wants a release, who has it, why, and what if one left', () => {
  assert.equal(
    printOwner(explainOwner(facts())),
    `MultiClusterService global. It is not ready (Failed): 1/2 Clusters are ready.

Cluster kcm-system/one: All is deployed.
  Release nginx/nginx of template nginx-2: Deployed
    MultiClusterService global         priority 300   has the release (this one)
    ClusterDeployment kcm-system/one   priority 100   waits
    It is with MultiClusterService global, since 300 is the highest priority.
    If MultiClusterService global left, ClusterDeployment kcm-system/one would
    take the release over in place with template nginx-1: by an upgrade, without
    an uninstall.

Cluster kcm-system/three: waiting on base

Cluster kcm-system/two: Outranked, which is no failure.
  Release nginx/nginx of template nginx-2: Failed
    ClusterSummary p--two managing it
    ClusterDeployment kcm-system/two   priority 500   has the release
    MultiClusterService global         priority 300   waits (this one)
    It is with ClusterDeployment kcm-system/two, since 500 is the highest
    priority.
    If ClusterDeployment kcm-system/two left, MultiClusterService global would
    take the release over in place with template nginx-2: by an upgrade, without
    an uninstall.
    If MultiClusterService global left, nothing would change: ClusterDeployment
    kcm-system/two has the release.

Cluster kcm-system/lab is not selected: env is "test", not "prod".
`,
  );
});

test('one cluster can be asked for', () => {
  const { clusters } = explainOwner(facts(target => target === `${namespace}/two`));
  assert.deepEqual(
    clusters.map(({ cluster }) => cluster),
    [`${namespace}/two`],
  );
});

test('a plan is told with its release', () => {
  const report = { releaseName: 'nginx', releaseNamespace: 'nginx', action: 'Conflict' as const, message: 'another has it' };
  const planning = { ...mine2, status: { ...mine2.status!, releaseReports: [report] } };
  const text = printOwner(explainOwner({ ...facts(), sets: [planning] }));
  assert.match(text, /A delivery would come to Conflict: another has it/);
});

test('it says why a cluster is not selected, also when only that one is asked for', () => {
  const only = explainOwner(facts(target => target === `${namespace}/lab`));
  assert.deepEqual(only.clusters, []);
  assert.match(printOwner(only), /\nCluster kcm-system\/lab is not selected: env is "test", not "prod"\.\n$/);
  const many = Array.from({ length: 30 }, (_, i) => ({ cluster: `${namespace}/c-${i}`, why: 'it has no label env' }));
  assert.match(printOwner(explainOwner({ ...facts(), notSelected: many })), /And 20 more are not selected: --cluster asks for one\.\n$/);
});
