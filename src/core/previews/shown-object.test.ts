import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { KubeObject } from '../../api/object.ts';
import { showPair } from './shown-object.ts';

const secret = (data: Record<string, string>, more: Partial<KubeObject> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's' },
  data,
  ...more,
});

test('what the server writes by itself is left out', () => {
  const obj: KubeObject = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: 'c',
      uid: 'u',
      resourceVersion: '7',
      generation: 2,
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [{ manager: 'x' }],
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}' },
    },
    data: { a: '1' },
    status: { phase: 'x' },
  };
  assert.deepEqual(showPair(obj, undefined), {
    live: 'apiVersion: v1\ndata:\n  a: "1"\nkind: ConfigMap\nmetadata:\n  name: c\n',
    merged: '',
  });
});

test('of Secrets it is told what differs, not what it is', () => {
  const { live, merged } = showPair(
    secret({ same: 'YQ==', changed: 'YQ==', gone: 'YQ==' }),
    secret({ same: 'YQ==', changed: 'Yg==', new: 'Yg==' }),
  );
  assert.match(live, /changed: '\*\*\* \(before\)'\n {2}gone: '\*\*\*'\n {2}same: '\*\*\*'\n/);
  assert.match(merged, /changed: '\*\*\* \(after\)'\n {2}new: '\*\*\*'\n {2}same: '\*\*\*'\n/);
});

test('no value of a Secret is ever shown, wherever it stands', () => {
  const value = fc.stringMatching(/^[a-z]{12,20}$/);
  fc.assert(
    fc.property(value, value, fc.boolean(), (one, other, asText) => {
      const field = asText ? 'stringData' : 'data';
      const before = secret(
        {},
        {
          [field]: { password: one },
          metadata: { name: 's', annotations: { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ data: one }) } },
        },
      );
      const after = secret({}, { [field]: { password: other } });
      for (const pair of [showPair(before, after), showPair(undefined, after), showPair(before, undefined)])
        for (const text of [pair.live, pair.merged]) assert.ok(!text.includes(one) && !text.includes(other), text);
      assert.equal(showPair(before, after).live === showPair(before, after).merged, one === other);
    }),
  );
});

test('Secrets of other groups are objects like others', () => {
  const obj = { ...secret({ a: 'b' }), apiVersion: 'example.com/v1' };
  assert.match(showPair(obj, undefined).live, /a: b/);
});
