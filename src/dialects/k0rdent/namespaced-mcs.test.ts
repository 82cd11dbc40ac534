import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { createValidTemplate, startMultiClusterServices } from '../../../test/helpers/multi-cluster-services.ts';
import { ConfigMap, Namespace } from '../../api/builtin-kinds.ts';
import { Cluster } from '../../api/cluster.ts';
import { findCondition } from '../../api/conditions.ts';
import { newObject } from '../../api/define-kind.ts';
import { k0rdentKinds } from './k0rdent-kinds.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace } from './kinds/group.ts';
import { AccessManagement, Management } from './kinds/management.ts';
import { MultiClusterService } from './kinds/multi-cluster-service.ts';
import { NamespacedMultiClusterService } from './kinds/namespaced-multi-cluster-service.ts';
import { ServiceSet } from './kinds/service-set.ts';
import { serviceSetName } from './service-set-name.ts';
import { settingsName } from './settings.ts';

const labels = { tier: 'dev' };
const spec = { clusterSelector: { matchLabels: labels }, serviceSpec: { services: [{ name: 'web', template: 'web' }] } };

/** A hub with both kinds of MultiClusterServices, whose ServiceSets nobody delivers. Both namespaces have a cluster. */
async function start(t: TestContext) {
  const { client: hub } = await startMemoryHub(t, [...k0rdentKinds, Cluster]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  for (const name of [systemNamespace, 'team-a', 'team-b'])
    await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await hub.create(Management, newObject(Management, { name: 'kcm' }, { release: 'drover' }));
  startMultiClusterServices(hub, { kinds: [MultiClusterService, NamespacedMultiClusterService], signal: stop.signal });
  for (const namespace of ['team-a', 'team-b'])
    await hub.create(ClusterDeployment, newObject(ClusterDeployment, { namespace, name: 'c', labels }, { template: 'sandbox' }));
  return {
    hub,
    template: (namespace: string) => createValidTemplate(hub, { namespace, name: 'web' }),
    sets: (expected: readonly string[]) =>
      eventually(
        async () => (await hub.list(ServiceSet)).items.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`).sort(),
        found => JSON.stringify(found) === JSON.stringify([...expected].sort()),
        { what: 'the ServiceSets' },
      ),
  };
}

test('one of a namespace is for the clusters of that namespace, with the templates of it', async t => {
  const { hub, template, sets } = await start(t);
  await template(systemNamespace);
  await hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }, spec));
  const fault = await eventually(
    () => hub.get(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }),
    found => findCondition(found, 'ServicesReferencesValidation')?.status === 'False',
  );
  assert.match(findCondition(fault, 'ServicesReferencesValidation')!.message, /team-a\/web is not found in namespace team-a/);
  await template('team-a');
  await sets([`team-a/${serviceSetName('c', 'team-a/web')}`]);
  const [set] = (await hub.list(ServiceSet)).items;
  assert.equal(set?.spec.multiClusterService, 'team-a/web');
});

test('the sets of both kinds have names of their own, and each goes with its owner', async t => {
  const { hub, template, sets } = await start(t);
  for (const namespace of [systemNamespace, 'team-a', 'team-b']) await template(namespace);
  await hub.create(MultiClusterService, newObject(MultiClusterService, { name: 'web' }, spec));
  await hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }, spec));
  const ofHub = serviceSetName('c', 'web');
  const ofTeam = serviceSetName('c', 'team-a/web');
  await sets([`team-a/${ofHub}`, `team-b/${ofHub}`, `team-a/${ofTeam}`]);
  await hub.delete(MultiClusterService, { name: 'web' });
  await sets([`team-a/${ofTeam}`]);
  await hub.delete(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' });
  await sets([]);
});

test('one of a namespace depends on others of it, and cannot have the hub itself', async t => {
  const { hub, template } = await start(t);
  for (const namespace of [systemNamespace, 'team-a']) await template(namespace);
  await hub.create(MultiClusterService, newObject(MultiClusterService, { name: 'base' }, { ...spec, clusterSelector: {} }));
  const top = newObject(NamespacedMultiClusterService, { namespace: 'team-a', name: 'top' }, { ...spec, dependsOn: ['base'] });
  await hub.create(NamespacedMultiClusterService, top);
  const told = await eventually(
    () => hub.get(NamespacedMultiClusterService, { namespace: 'team-a', name: 'top' }),
    found => findCondition(found, 'MultiClusterServiceDependencyValidation')?.status === 'False',
  );
  const { message } = findCondition(told, 'MultiClusterServiceDependencyValidation')!;
  assert.equal(message, 'dependency team-a/base of team-a/top is not defined');
  const itself = { ...spec, serviceSpec: { ...spec.serviceSpec, provider: { selfManagement: true } } };
  await assert.rejects(
    hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, { namespace: 'team-a', name: 'hub' }, itself)),
    /selfManagement is for MultiClusterServices only/,
  );
});

test('a template that is granted need not be copied, and is of no use any more when the grant ends', async t => {
  const { hub, template, sets } = await start(t);
  await template(systemNamespace);
  await hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }, spec));
  const rule = { mode: 'Grant' as const, targetNamespaces: { list: ['team-a'] }, resources: [{ kind: 'ServiceTemplate' }] };
  await hub.create(AccessManagement, newObject(AccessManagement, { name: 'kcm' }, { accessRules: [rule] }));
  await sets([`team-a/${serviceSetName('c', 'team-a/web')}`]);
  await hub.patch(AccessManagement, { name: 'kcm' }, { type: 'merge', body: { spec: { accessRules: [] } } });
  await eventually(
    () => hub.get(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }),
    found => findCondition(found, 'ServicesReferencesValidation')?.status === 'False',
  );
});

test('where a setting says so, a cluster on which one is only outranked counts as served', async t => {
  const { hub, template, sets } = await start(t);
  await template('team-a');
  await hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }, spec));
  const name = serviceSetName('c', 'team-a/web');
  await sets([`team-a/${name}`]);
  const failureMessage = 'ClusterSummary p--c-sveltos-c managing it (ClusterDeployment team-a/c, priority 500)';
  const state = { type: 'Helm', name: 'web', namespace: 'default', template: 'web', state: 'Failed', failureMessage } as const;
  const metadata = { namespace: 'team-a', name };
  const { generation = 0 } = (await hub.get(ServiceSet, metadata))!.metadata;
  const cluster = { apiVersion: 'k0rdent.mirantis.com/v1beta1', kind: 'ClusterDeployment', namespace: 'team-a', name: 'c' };
  const services = [{ ...state, lastStateTransitionTime: '2026-01-01T00:00:00Z' }];
  await hub.apply(
    ServiceSet,
    { metadata, status: { cluster, deployed: false, services, observedGeneration: generation } },
    { subresource: 'status' },
  );
  const says = (count: string) =>
    eventually(
      () => hub.get(NamespacedMultiClusterService, { namespace: 'team-a', name: 'web' }),
      found => findCondition(found, 'ClusterInReadyState')?.message === count && found?.status?.matchingClusters?.[0]?.outranked === true,
      { what: `${count} with an outranked cluster` },
    );
  await says('0/1');
  await hub.create(ConfigMap, {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace: systemNamespace, name: settingsName },
    data: { 'k0rdent.outranked': 'satisfied' },
  });
  const found = await says('1/1');
  assert.equal(findCondition(found, 'Ready')?.status, 'True');
});

test('one that only plans takes nothing off a cluster that it no longer selects: its set stays and lists nothing', async t => {
  const { hub, template, sets } = await start(t);
  await template('team-a');
  const key = { namespace: 'team-a', name: 'web' };
  await hub.create(NamespacedMultiClusterService, newObject(NamespacedMultiClusterService, key, spec));
  const metadata = { namespace: 'team-a', name: serviceSetName('c', 'team-a/web') };
  await sets([`team-a/${metadata.name}`]);
  const state = { type: 'Helm', name: 'web', namespace: 'default', template: 'web', state: 'Deployed' } as const;
  const services = [{ ...state, lastStateTransitionTime: '2026-01-01T00:00:00Z' }];
  await hub.apply(ServiceSet, { metadata, status: { deployed: true, services } }, { subresource: 'status' });
  await hub.patch(NamespacedMultiClusterService, key, { type: 'merge', body: { spec: { serviceSpec: { syncMode: 'DryRun' } } } });
  await eventually(
    () => hub.get(ServiceSet, metadata),
    set => set?.spec.provider.config?.['syncMode'] === 'DryRun',
    { what: 'the set that only plans' },
  );
  await hub.patch(
    ClusterDeployment,
    { namespace: 'team-a', name: 'c' },
    { type: 'merge', body: { metadata: { labels: { tier: 'prod' } } } },
  );
  await eventually(
    () => hub.get(ServiceSet, metadata),
    set => set !== undefined && (set.spec.services ?? []).length === 0,
    { what: 'the set without services' },
  );
  await hub.patch(NamespacedMultiClusterService, key, { type: 'merge', body: { spec: { serviceSpec: { syncMode: 'Continuous' } } } });
  await sets([]);
});
