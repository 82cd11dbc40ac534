import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { headerValues, prefixedValues } from '../auth/header-values.ts';
import { impersonationHeaders } from './member-identity.ts';

test('a person keeps name, groups, uid and extras', () => {
  assert.deepEqual(
    impersonationHeaders({ name: 'jane', uid: '42', groups: ['dev', 'system:authenticated'], extra: { 'acme.com/Team': ['a', 'b'] } }),
    {
      'impersonate-user': 'jane',
      'impersonate-group': ['dev', 'system:authenticated'],
      'impersonate-uid': '42',
      'impersonate-extra-acme.com%2Fteam': ['a', 'b'],
    },
  );
});

test('an administrator of the hub asks to be one on the member', () => {
  const headers = impersonationHeaders({ name: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] });
  assert.deepEqual(headers['impersonate-group'], ['system:masters', 'system:authenticated']);
});

test('a service account of the hub is nobody that the member knows', () => {
  assert.deepEqual(
    impersonationHeaders({
      name: 'system:serviceaccount:kube-system:default',
      uid: '7',
      groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
      extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
    }),
    {
      'impersonate-user': 'hub:system:serviceaccount:kube-system:default',
      'impersonate-group': ['hub:system:serviceaccounts', 'hub:system:serviceaccounts:kube-system', 'system:authenticated'],
    },
  );
});

test('nobody passes for a name of the hub by being called so', () => {
  const { 'impersonate-user': user } = impersonationHeaders({ name: 'hub:system:node:a', groups: [] });
  assert.equal(user, 'hub:hub:system:node:a');
});

for (const name of ['', ' admin', 'admin ', 'a\nImpersonate-Group: system:masters', 'a\u0000', '\ud800'])
  test(`${JSON.stringify(name)} is not carried`, () => {
    assert.throws(() => impersonationHeaders({ name, groups: [] }), { code: 403 });
    assert.throws(() => impersonationHeaders({ name: 'x', groups: [name] }), { code: 403 });
    assert.throws(() => impersonationHeaders({ name: 'x', groups: [], extra: { a: [name] } }), { code: 403 });
  });

test('two users that differ on the hub differ on the member', () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme', minLength: 1, maxLength: 6 }),
    fc.constantFrom('hub:', 'system:x', 'hub:system:x', 'hub:hub:'),
  );
  fc.assert(
    fc.property(text, text, (a, b) => {
      const nameOf = (name: string) => {
        try {
          return headerValues(['Impersonate-User', impersonationHeaders({ name, groups: [] })['impersonate-user'] as string]);
        } catch {
          return undefined;
        }
      };
      const [one, other] = [nameOf(a)?.get('impersonate-user')?.[0], nameOf(b)?.get('impersonate-user')?.[0]];
      if (one !== undefined && other !== undefined) assert.equal(one === other, a === b);
    }),
  );
});

test('extras arrive under the key they had', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), key => {
      const headers = impersonationHeaders({ name: 'x', groups: [], extra: { [key]: ['v'] } });
      const raw = Object.entries(headers).flatMap(([name, value]) => [value].flat().flatMap(one => [name, one]));
      assert.deepEqual(prefixedValues(headerValues(raw), 'impersonate-extra-'), { [key.toLowerCase()]: ['v'] });
    }),
  );
});
