import assert from 'node:assert/strict';
import { test } from 'node:test';
import { memberSubjectOf, subjectOf, type Holder } from './subjects.ts';

const apiGroup = 'rbac.authorization.k8s.io';
const findUser = (principal: string) => (principal === 'genericoidc_user://ada' ? 'u-ada' : undefined);

const cases: readonly (readonly [string, Holder, { kind: string; name: string } | undefined])[] = [
  ['a user', { userName: 'u-ann' }, { kind: 'User', name: 'u-ann' }],
  ['a local principal', { userPrincipalName: 'local://u-ann' }, { kind: 'User', name: 'u-ann' }],
  ['a principal of a provider', { userPrincipalName: 'genericoidc_user://ada' }, { kind: 'User', name: 'u-ada' }],
  ['a principal that never signed in', { userPrincipalName: 'genericoidc_user://bob' }, undefined],
  ['a group', { groupPrincipalName: 'genericoidc_group://devs' }, { kind: 'Group', name: 'genericoidc_group://devs' }],
  ['a group of Kubernetes', { groupName: 'devs' }, { kind: 'Group', name: 'devs' }],
  ['nobody', {}, undefined],
];
for (const [what, holder, expected] of cases)
  test(`${what} is the same person on the hub and on members`, () => {
    assert.deepEqual(subjectOf(holder, findUser), expected && { apiGroup, ...expected });
    assert.deepEqual(memberSubjectOf(holder, findUser), expected);
  });

test('names that the hub gave out itself are others on members', () => {
  const holder = { userName: 'system:serviceaccount:default:robot' };
  assert.equal(memberSubjectOf(holder, findUser)?.name, 'hub:system:serviceaccount:default:robot');
});

test('an account of the member is one there and nobody on the hub', () => {
  const holder = { serviceAccount: 'shop:robot' };
  assert.deepEqual(memberSubjectOf(holder, findUser), { kind: 'ServiceAccount', namespace: 'shop', name: 'robot' });
  assert.equal(subjectOf(holder, findUser), undefined);
});
