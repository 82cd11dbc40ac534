import assert from 'node:assert/strict';
import test from 'node:test';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import type { Change } from '../../apiserver/cluster-api.ts';
import type { ControllerDefinition } from './controller-definition.ts';
import { startControllers } from './start-controllers.ts';

const configMaps = { group: '', resource: 'configmaps' };
const secrets = { group: '', resource: 'secrets' };

function recordingController() {
  const heard: string[] = [];
  let starts = 0;
  const definition: ControllerDefinition = {
    name: 'recording',
    reconciles: [configMaps],
    watches: [secrets],
    start() {
      starts++;
      return {
        observe: ({ type, name }: Change) => void heard.push(`${type} ${name}`),
        idle: () => Promise.resolve(),
        [Symbol.dispose]: () => void heard.push('stopped'),
      };
    },
  };
  return { definition, heard, starts: () => starts };
}

const secret = (name: string) => ({ apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: 'n' } });
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: 'n' } });

test('a controller starts with the first object it is responsible for, and hears what it watches from then on', async () => {
  using cluster = await startMemoryCluster({ namespaces: ['n'] });
  const { definition, heard, starts } = recordingController();
  {
    using _running = startControllers(cluster, { controllers: [definition] });
    await cluster.add(secret('before'));
    assert.equal(starts(), 0);
    await cluster.add(configMap('first'));
    await cluster.add(configMap('second'));
    await cluster.add(secret('after'));
  }
  await cluster.add(secret('too late'.replace(' ', '-')));
  assert.equal(starts(), 1);
  assert.deepEqual(heard, ['ADDED second', 'ADDED after', 'stopped']);
});

test('it starts at once when its objects are there already', async () => {
  using cluster = await startMemoryCluster({ namespaces: ['n'] });
  await cluster.add(configMap('first'));
  const { definition, starts } = recordingController();
  using _running = startControllers(cluster, { controllers: [definition] });
  assert.equal(starts(), 1);
});
