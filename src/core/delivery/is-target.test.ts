import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import type { ObjectTarget } from '../../api/work.ts';
import { isTarget } from './is-target.ts';

const obj: KubeObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web-1', namespace: 'shop', labels: { app: 'web' }, annotations: { mine: 'yes' } },
};

const cases: readonly [target: ObjectTarget, expected: boolean][] = [
  [{}, true],
  [{ group: 'apps', version: 'v1', kind: 'Deployment', namespace: 'shop', name: 'web-1' }, true],
  [{ group: '*', version: '*', kind: '*', namespace: '*', name: '*' }, true],
  [{ kind: 'Deployment|StatefulSet' }, true],
  [{ namespace: 'sh.*' }, true],
  [{ name: 'web-[0-9]+' }, true],
  [{ name: 'web' }, false],
  [{ name: 'web-1', kind: 'StatefulSet' }, false],
  [{ name: '[' }, false],
  [{ labelSelector: 'app in (web, api)', annotationSelector: 'mine' }, true],
  [{ labelSelector: 'app=web', annotationSelector: 'mine=no' }, false],
];
for (const [target, expected] of cases)
  test(`${JSON.stringify(target)} ${expected ? 'is' : 'is not'} for the object`, () => assert.equal(isTarget(obj, target), expected));

test('a selector that cannot be read is told', () =>
  assert.throws(() => isTarget(obj, { labelSelector: 'a b' }), /labelSelector "a b" cannot be read/));
