import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { hubKinds } from '../../hub/hub-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { crdController } from './crd-controller.ts';
import { crdResource } from './crd-object.ts';
import { seedDefinitions } from './seed-definitions.ts';

const definitions = hubKinds.map(kind => kind.definition() as KubeObject);

/** Without what differs from time to time. */
function plain(crd: KubeObject): unknown {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields = [], ...metadata } = crd.metadata;
  const owners = managedFields.map(({ time: _time, ...one }) => one);
  return JSON.parse(JSON.stringify({ ...crd, metadata: { ...metadata, managedFields: owners } }, withoutTime));
}
const withoutTime = (key: string, value: unknown) => (key === 'lastTransitionTime' ? 'then' : value);

test('definitions are as if they had been applied, checked and established', async () => {
  using applied = await startMemoryCluster();
  using controller = crdController(applied);
  for (const body of definitions)
    await applied.patch(
      crdResource,
      { namespace: '', name: body.metadata.name! },
      { type: 'apply', body: structuredClone(body) as never },
      { fieldManager: 'drover-kinds' },
    );
  await controller.idle();
  using seeded = await startMemoryCluster();
  await seedDefinitions(seeded, definitions, 'drover-kinds');

  assert.deepEqual(seeded.peekAll(crdResource).map(plain), applied.peekAll(crdResource).map(plain));
  for (const { group, version, resource } of hubKinds) assert.ok(seeded.catalog.find({ group, version, resource }));
});

test('what is there is left alone, and so is what would take the names of another', async () => {
  using cluster = await startMemoryCluster();
  const [first, second] = definitions;
  await seedDefinitions(cluster, [first!], 'drover-kinds');
  const before = cluster.peekAll(crdResource);
  const thief = structuredClone(first!) as KubeObject & { spec: { names: { plural: string } } };
  thief.metadata.name = thief.metadata.name!.replace(thief.spec.names.plural, 'others');
  thief.spec.names.plural = 'others';
  await seedDefinitions(cluster, [first!, thief], 'somebody-else');
  assert.deepEqual(cluster.peekAll(crdResource), before);
  await seedDefinitions(cluster, [first!, second!], 'drover-kinds');
  assert.equal(cluster.peekAll(crdResource).length, 2);
});
