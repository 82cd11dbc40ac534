import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveryKinds } from '../ui/data/delivery-kinds.ts';
import { kinds } from '../ui/data/kinds.ts';
import { machineKinds } from '../ui/data/machine-kinds.ts';
import { hubKinds } from './hub-kinds.ts';

/** Lists of kinds that are not served are left out by the page without a word. */
test('what the page asks the hub for is what the hub serves', () => {
  const served = hubKinds.map(one => [one.group, one.version, one.kind, one.resource, one.scope].join(' '));
  const groups = new Set(hubKinds.map(one => one.group));
  const asked = [kinds, deliveryKinds, machineKinds]
    .flatMap(one => Object.values(one))
    .filter(one => groups.has(one.group))
    .map(one => [one.group, one.version, one.kind, one.plural, one.isNamespaced ? 'Namespaced' : 'Cluster'].join(' '));
  assert.ok(asked.length > 10);
  assert.deepEqual(
    asked.filter(one => !served.includes(one)),
    [],
  );
});
