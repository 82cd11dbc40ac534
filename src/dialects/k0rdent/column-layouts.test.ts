import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../test/helpers/memory-hub.ts';
import { ConfigMap, CustomResourceDefinition, Namespace } from '../../api/builtin-kinds.ts';
import { runColumnLayouts } from './column-layouts.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import { systemNamespace as namespace } from './kinds/group.ts';
import { k0rdentSettings, settingsName } from './settings.ts';

test('the layout of ClusterDeployments follows the setting, to and fro', async t => {
  const { client: hub } = await startMemoryHub(t, [ClusterDeployment]);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const options = { signal: stop.signal, onError: () => () => {} };
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  runColumnLayouts({ hub, settings: k0rdentSettings(hub, options), ...options });
  const columns = async () => {
    const found = await hub.get(CustomResourceDefinition, { name: 'clusterdeployments.k0rdent.mirantis.com' });
    return found?.spec.versions[0]?.additionalPrinterColumns?.map(({ name }) => name).join(' ');
  };
  const become = (expected: string) => eventually(columns, found => found === expected, { what: `columns ${expected}` });
  const current = await columns();
  assert.equal(current, 'Ready Services Template Messages Age DryRun');
  const settings = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name: settingsName },
    data: { 'k0rdent.columns': 'seed' },
  };
  await hub.create(ConfigMap, settings);
  await become('ready status dryRun');
  await hub.delete(ConfigMap, { namespace, name: settingsName });
  await become(current);
});
