import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { headerValues } from './header-values.ts';
import { impersonator } from './impersonation.ts';
import type { AccessAttributes, Authorizer, ResourceAttributes, UserInfo } from './user.ts';

const imp: UserInfo = { name: 'imp', groups: ['system:authenticated'] };
const listPods: ResourceAttributes = {
  isResource: true,
  verb: 'list',
  group: '',
  version: 'v1',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
};
/** Grants are `verb resource[/subresource] [name]`. */
const print = (a: AccessAttributes) =>
  a.isResource ? `${a.verb} ${a.resource}${a.subresource && `/${a.subresource}`} ${a.name}`.trim() : `${a.verb} ${a.path}`;
const granting = (...grants: string[]): Authorizer => ({ authorize: (_user, a) => ({ allowed: grants.includes(print(a)), reason: '' }) });
const everything: Authorizer = { authorize: () => ({ allowed: true, reason: '' }) };

test('without headers nothing changes', () => {
  assert.equal(impersonator(everything)(imp, headerValues(['Accept', '*/*']), listPods), undefined);
});

test('who one becomes', async t => {
  const table: [string[], UserInfo, string][] = [
    [['Impersonate-User', 'bob'], { name: 'bob', groups: ['system:authenticated'] }, 'impersonate:user-info'],
    [
      ['impersonate-user', 'bob', 'IMPERSONATE-GROUP', 'a', 'Impersonate-Group', 'b, c'],
      { name: 'bob', groups: ['a', 'b, c', 'system:authenticated'] },
      'impersonate:user-info',
    ],
    [['Impersonate-User', 'system:anonymous'], { name: 'system:anonymous', groups: ['system:unauthenticated'] }, 'impersonate:user-info'],
    [
      ['Impersonate-User', 'x', 'Impersonate-Group', 'system:unauthenticated'],
      { name: 'x', groups: ['system:unauthenticated'] },
      'impersonate:user-info',
    ],
    [
      ['Impersonate-User', 'system:serviceaccount:foo:default'],
      {
        name: 'system:serviceaccount:foo:default',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:foo', 'system:authenticated'],
      },
      'impersonate:serviceaccount',
    ],
    [
      ['Impersonate-User', 'system:node:n1'],
      { name: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
      'impersonate:arbitrary-node',
    ],
    [
      ['Impersonate-User', 'bob', 'Impersonate-Uid', 'u9', 'Impersonate-Extra-Foo%2Fbar', 'x'],
      { name: 'bob', uid: 'u9', groups: ['system:authenticated'], extra: { 'foo/bar': ['x'] } },
      'impersonate:user-info',
    ],
    // Keys without a domain are for plain impersonation only.
    [
      ['Impersonate-User', 'bob', 'Impersonate-Extra-Scopes', 'x'],
      { name: 'bob', groups: ['system:authenticated'], extra: { scopes: ['x'] } },
      '',
    ],
    [
      ['Impersonate-User', 'bob', 'Impersonate-Group', 'system:masters'],
      { name: 'bob', groups: ['system:masters', 'system:authenticated'] },
      '',
    ],
  ];
  for (const [raw, user, constraint] of table)
    await t.test(raw.join(' '), () => assert.deepEqual(impersonator(everything)(imp, headerValues(raw), listPods), { user, constraint }));
});

test('refusals have the words of the real server', async t => {
  const bob = ['Impersonate-User', 'bob'];
  const plain = ['impersonate users bob'];
  const table: [string, string[], string[], number, string][] = [
    [
      'no right',
      [],
      bob,
      403,
      'pods is forbidden: User "imp" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    ],
    [
      'no user',
      [],
      ['Impersonate-Group', 'g'],
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)} without impersonating a user name',
    ],
    [
      'no user but extra',
      [],
      ['Impersonate-Extra-A', 'b'],
      400,
      'requested &user.DefaultInfo{Name:"", UID:"", Groups:[]string(nil), Extra:map[string][]string{"a":[]string{"b"}}} without impersonating a user name',
    ],
    [
      'masters in a constrained mode',
      ['impersonate-on:user-info:list pods', 'impersonate:user-info users bob', 'impersonate:user-info groups system:masters'],
      [...bob, 'Impersonate-Group', 'system:masters'],
      403,
      'groups.authentication.k8s.io "system:masters" is forbidden: User "imp" cannot impersonate:user-info resource "groups" in API group "authentication.k8s.io" at the cluster scope: impersonating the system:masters group is not allowed',
    ],
    [
      'a key without a domain in a constrained mode',
      ['impersonate-on:user-info:list pods', 'impersonate:user-info users bob'],
      [...bob, 'Impersonate-Extra-Foo', 'x'],
      403,
      'userextras.authentication.k8s.io is forbidden: User "imp" cannot impersonate:user-info resource "userextras" in API group "authentication.k8s.io" at the cluster scope: impersonating an invalid key in extra is not allowed: extra.key: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'plain right to the user only',
      plain,
      [...bob, 'Impersonate-Group', 'g'],
      403,
      'pods is forbidden: User "imp" cannot impersonate-on:user-info:list resource "pods" in API group "" at the cluster scope',
    ],
  ];
  for (const [name, grants, raw, code, message] of table)
    await t.test(name, () => assert.throws(() => impersonator(granting(...grants))(imp, headerValues(raw), listPods), { code, message }));
  await t.test('the mode that worked last names the refusal', () => {
    const impersonate = impersonator(granting(...plain));
    assert.equal(impersonate(imp, headerValues(bob), listPods)?.user.name, 'bob');
    assert.throws(() => impersonate(imp, headerValues([...bob, 'Impersonate-Group', 'g']), listPods), {
      message: 'groups "g" is forbidden: User "imp" cannot impersonate resource "groups" in API group "" at the cluster scope',
    });
    assert.throws(() => impersonate(imp, headerValues(['Impersonate-User', 'system:serviceaccount:ns:sa']), listPods), {
      message:
        'serviceaccounts "sa" is forbidden: User "imp" cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
    });
  });
});

test('a service account may be the node it runs on', () => {
  const agent: UserInfo = {
    name: 'system:serviceaccount:kube-system:agent',
    groups: [],
    extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
  };
  const impersonate = impersonator(granting('impersonate-on:associated-node:list pods', 'impersonate:associated-node nodes *'));
  assert.equal(
    impersonate(agent, headerValues(['Impersonate-User', 'system:node:n1']), listPods)?.constraint,
    'impersonate:associated-node',
  );
  assert.throws(() => impersonate(agent, headerValues(['Impersonate-User', 'system:node:n2']), listPods), { code: 403 });
});

test('nobody becomes more than every single grant allows, however the headers are written', () => {
  const upperOrLower = (text: string) => fc.boolean().map(upper => (upper ? text.toUpperCase() : text));
  const header = fc.oneof(
    fc.tuple(upperOrLower('impersonate-user'), fc.constantFrom('bob', 'root', '', 'system:node:n1', 'system:serviceaccount:a:b')),
    fc.tuple(upperOrLower('impersonate-group'), fc.constantFrom('dev', 'system:masters', 'dev, system:masters', '')),
    fc.tuple(upperOrLower('impersonate-uid'), fc.constantFrom('1', '')),
    fc.tuple(upperOrLower('impersonate-extra-acme.io%2fx'), fc.constantFrom('y', 'z')),
    fc.tuple(fc.constantFrom('Impersonate-Extra-__proto__', 'X-Remote-User', 'Connection'), fc.constantFrom('root', 'impersonate-user')),
  );
  const grants = ['impersonate users bob', 'impersonate groups dev', 'impersonate userextras/acme.io/x y'];
  fc.assert(
    fc.property(fc.array(header, { maxLength: 6 }), headers => {
      let user: UserInfo | undefined;
      try {
        user = impersonator(granting(...grants))(imp, headerValues(headers.flat()), listPods)?.user;
      } catch {
        return;
      }
      if (!user) return assert.ok(!headers.some(([name, value]) => /^impersonate-/i.test(name) && value !== ''));
      assert.equal(user.name, 'bob');
      assert.ok(user.groups.every(group => group === 'dev' || group === 'system:authenticated'));
      assert.equal(user.uid, undefined);
      for (const [key, values] of Object.entries(user.extra ?? {})) assert.ok(key === 'acme.io/x' && values.every(value => value === 'y'));
    }),
    { numRuns: 1000 },
  );
});
