import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { Deployment } from '../../api/builtin-kinds.ts';
import { getMember, isJsonObject, jsonEqual, type Json, type JsonObject } from '../../util/json.ts';
import { mergePatch } from '../../util/merge-patch.ts';
import { applyClientSide } from './apply-client-side.ts';
import { threeWayPatch } from './three-way-patch.ts';

const names = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__', 'toString');
const { value } = fc.letrec<{ value: Json }>(tie => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<Json>(1, 'x', true, [1, 2]),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));
const objects = fc.dictionary(names, value, { maxKeys: 5, noNullPrototype: true });

/** What should come of it: what is wanted is there, what was applied and is not wanted has gone, and what others added stays. */
function isRight(last: JsonObject, want: JsonObject, have: JsonObject, result: JsonObject): boolean {
  return [...new Set([want, have, result].flatMap(Object.keys))].every(key => {
    const [l, w, h, r] = [last, want, have, result].map(one => getMember(one, key));
    if (w === undefined) return Object.hasOwn(last, key) ? r === undefined : jsonEqual(r, h);
    if (isJsonObject(w) && isJsonObject(h)) return isJsonObject(r) && isRight(isJsonObject(l) ? l : {}, w, h, r);
    return jsonEqual(r, w);
  });
}

test('without a schema: what is wanted comes, what is wanted no more goes, what others added stays', () => {
  fc.assert(
    fc.property(objects, objects, objects, (last, want, have) => {
      const patch = threeWayPatch({ last, want, have }, undefined);
      const result = patch ? mergePatch(have, patch) : have;
      assert.ok(isRight(last, want, have, result));
      assert.equal(threeWayPatch({ last: want, want, have: result }, undefined), undefined);
    }),
  );
});

test('with a schema lists merge by their keys, and a member agrees', async t => {
  const { client } = await startMemoryServer(t);
  const deployment = (containers: object[], volumes?: object[]) =>
    ({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { namespace: 'default', name: 'web' },
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { metadata: { labels: { app: 'web' } }, spec: { containers, ...(volumes && { volumes }) } },
      },
    }) as Deployment;
  const options = { fieldManager: 'test', dryRun: false, signal: AbortSignal.timeout(60_000) };
  const apply = (obj: Deployment) => applyClientSide(client, Deployment, obj, options);
  const env = (...pairs: string[]) => pairs.map(pair => ({ name: pair, value: pair }));
  await apply(
    deployment(
      [
        { name: 'web', image: 'web:1', env: env('A', 'B') },
        { name: 'old', image: 'old' },
      ],
      [{ name: 'v', emptyDir: {} }],
    ),
  );
  const others = { spec: { template: { spec: { containers: [{ name: 'added', image: 'added' }] } } } };
  await client.patch(Deployment, { namespace: 'default', name: 'web' }, { type: 'strategic', body: others });
  const next = deployment([{ name: 'web', image: 'web:2', env: env('B', 'C') }], [{ name: 'v', configMap: { name: 'c' } }]);
  await apply(next);
  const live = await client.get(Deployment, { namespace: 'default', name: 'web' });
  const { containers, volumes } = live!.spec!.template.spec!;
  assert.deepEqual(containers.map(({ name, image }) => `${name} ${image}`).sort(), ['added added', 'web web:2']);
  assert.deepEqual(containers.find(({ name }) => name === 'web')!.env, env('B', 'C'));
  assert.deepEqual(volumes, [{ name: 'v', configMap: { name: 'c', defaultMode: 420 } }]);
  const again = await apply(next);
  assert.equal(again.metadata.resourceVersion, live!.metadata.resourceVersion);
});
