import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayEnter } from './access-mode.ts';
import { parseOidcConfig } from './oidc-config.ts';
import type { AuthConfig } from '../../kinds/user.ts';
import { identityOf } from './provider-identity.ts';

const jane = { principal: 'genericoidc_user://jane', groups: ['genericoidc_group://dev'] };
const nothing = { userName: 'u-jane', bindings: [] };

test('who may enter depends on the mode of the provider', () => {
  const of = (accessMode: 'unrestricted' | 'restricted' | 'required', allowedPrincipalIds: string[] = []) => ({
    accessMode,
    allowedPrincipalIds,
  });
  const members = { userName: 'u-jane', bindings: [{ userName: 'u-jane' }] };
  const groups = { userName: 'u-jane', bindings: [{ userName: 'u-joe' }, { groupPrincipalName: 'genericoidc_group://dev' }] };
  assert.ok(mayEnter(of('unrestricted'), jane, nothing));
  for (const mode of ['restricted', 'required'] as const) {
    assert.ok(!mayEnter(of(mode), jane, nothing));
    assert.ok(!mayEnter(of(mode, ['genericoidc_user://joe', 'genericoidc_group://ops', 'jane']), jane, nothing));
    assert.ok(mayEnter(of(mode, ['genericoidc_user://jane']), jane, nothing));
    assert.ok(mayEnter(of(mode, ['genericoidc_group://dev']), jane, nothing));
  }
  assert.ok(mayEnter(of('restricted'), jane, members) && mayEnter(of('restricted'), jane, groups));
  assert.ok(!mayEnter(of('required'), jane, members) && !mayEnter(of('required'), jane, groups));
  assert.ok(!mayEnter(of('restricted'), jane, { userName: '', bindings: [{}] }), 'a binding of nobody binds nobody');
});

const config = (more: object): AuthConfig => ({
  apiVersion: 'management.cattle.io/v3',
  kind: 'AuthConfig',
  metadata: { name: 'genericoidc' },
  type: 'genericOIDCConfig',
  enabled: true,
  issuer: 'https://id.example.com',
  clientId: 'hub',
  rancherUrl: 'https://hub.example.com',
  ...more,
});

test('a provider is used when it is enabled and whole', () => {
  assert.equal(parseOidcConfig(undefined), undefined);
  assert.equal(parseOidcConfig(config({ enabled: false })), undefined);
  assert.equal(parseOidcConfig(config({ type: 'githubConfig' })), undefined);
  const { redirectUrl, scope, clientSecretName } = parseOidcConfig(
    config({ clientSecret: 'cattle-global-data:genericoidcconfig-clientsecret', scope: 'profile groups' }),
  )!;
  assert.deepEqual(
    [redirectUrl, scope, clientSecretName],
    ['https://hub.example.com/verify-auth', 'openid profile groups', 'genericoidcconfig-clientsecret'],
  );
  for (const wrong of [
    { issuer: undefined },
    { issuer: 'file:///etc/passwd' },
    { issuer: 'https://user:pass@id.example.com' },
    { clientId: '' },
    { rancherUrl: 'https://hub.example.com/elsewhere' },
    { clientSecret: 'kube-system:bootstrap-token' },
    { clientSecret: 'hunter2' },
  ])
    assert.throws(() => parseOidcConfig(config(wrong)), /cannot be used/, JSON.stringify(wrong));
});

test('the secret of a provider is not told when it stands in the wrong place', () => {
  assert.throws(
    () => parseOidcConfig(config({ clientSecret: 'hunter2' })),
    (error: Error) => !error.message.includes('hunter2'),
  );
});

test('names and groups are those that Kubernetes can carry', () => {
  const names = { groupsClaim: 'groups', nameClaim: 'name', emailClaim: 'email' };
  const { groups, displayName, loginName } = identityOf(
    {
      sub: 's',
      name: 'Jane\n',
      preferred_username: 'jane',
      groups: ['ops', 'dev', 'dev', '', ' x', 'a\r\nb', 7, 'system:masters', 'Größe'],
    },
    names,
  );
  assert.deepEqual([displayName, loginName], ['jane', 'jane']);
  assert.deepEqual(
    groups,
    ['dev', 'ops', 'system:masters', 'Größe'].sort().map(name => `genericoidc_group://${name}`),
  );
  assert.deepEqual(identityOf({ sub: 's', groups: 'one' }, names).groups, ['genericoidc_group://one']);
  assert.deepEqual(identityOf({ sub: 's', groups: { a: 1 } }, names).groups, []);
});
