import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import type { AccessAttributes, ResourceAttributes, UserInfo } from '../../auth/user.ts';
import { auditEvent, type AuditedRequest } from './audit-event.ts';
import { auditLog } from './audit-log.ts';
import { auditDecision, defaultAuditPolicy, parseAuditPolicy, type AuditRule } from './audit-policy.ts';

const alice: UserInfo = { name: 'alice', groups: ['dev'] };
const want = (verb: string, resource: string, rest: Partial<ResourceAttributes> = {}): ResourceAttributes => ({
  isResource: true,
  verb,
  group: '',
  version: 'v1',
  resource,
  subresource: '',
  namespace: 'shop',
  name: 'n',
  ...rest,
});
const level = (rules: readonly AuditRule[], attributes: AccessAttributes) => auditDecision({ rules }, alice, attributes).level;

test('the first rule that matches decides', async t => {
  const pods = [{ group: '', resources: ['pods'] }];
  const table: [AuditRule[], AccessAttributes, string][] = [
    [[], want('get', 'pods'), 'None'],
    [[{ level: 'Metadata', users: ['bob'] }, { level: 'Request' }], want('get', 'pods'), 'Request'],
    [[{ level: 'Metadata', userGroups: ['dev'] }], want('get', 'pods'), 'Metadata'],
    [[{ level: 'Metadata', verbs: ['list'] }], want('get', 'pods'), 'None'],
    [[{ level: 'Request', resources: pods }], want('get', 'pods'), 'Request'],
    [[{ level: 'Request', resources: pods }], want('get', 'pods', { subresource: 'log' }), 'None'],
    [[{ level: 'Request', resources: [{ group: '', resources: ['pods/*'] }] }], want('get', 'pods', { subresource: 'log' }), 'Request'],
    [[{ level: 'Request', resources: [{ group: '*', resources: ['*/log'] }] }], want('get', 'pods', { subresource: 'log' }), 'Request'],
    [[{ level: 'Request', resources: [{ group: 'apps' }] }], want('get', 'deployments', { group: 'apps' }), 'Request'],
    [[{ level: 'Request', resources: [{ resources: ['pods'], resourceNames: ['m'] }] }], want('get', 'pods'), 'None'],
    [[{ level: 'Request', namespaces: [''] }], want('get', 'pods'), 'None'],
    [[{ level: 'Request', nonResourceURLs: ['/api*'] }], { isResource: false, verb: 'get', path: '/apis' }, 'Request'],
    [[{ level: 'Request', nonResourceURLs: ['*'] }], want('get', 'pods'), 'None'],
  ];
  for (const [rules, attributes, expected] of table)
    await t.test(JSON.stringify(rules), () => assert.equal(level(rules, attributes), expected));
});

test('bodies that hold secrets are never written', () => {
  const all: AuditRule[] = [{ level: 'RequestResponse' }];
  assert.equal(level(all, want('update', 'secrets')), 'Metadata');
  assert.equal(level(all, want('create', 'serviceaccounts', { subresource: 'token' })), 'Metadata');
  assert.equal(level(all, want('create', 'tokenreviews', { group: 'authentication.k8s.io' })), 'Metadata');
  assert.equal(level(all, want('update', 'configmaps')), 'RequestResponse');
});

test('without a policy of the operator, changes are noted and noise is not', () => {
  const decide = (attributes: AccessAttributes) => auditDecision(defaultAuditPolicy, alice, attributes).level;
  assert.equal(decide(want('create', 'pods')), 'Metadata');
  assert.equal(decide(want('delete', 'secrets')), 'Metadata');
  assert.equal(decide(want('list', 'pods')), 'None');
  assert.equal(decide(want('update', 'leases', { group: 'coordination.k8s.io' })), 'None');
  assert.equal(decide({ isResource: false, verb: 'get', path: '/healthz' }), 'None');
});

test('a policy with a mistake is refused with its place', () => {
  const policy = (rules: unknown) => ({ apiVersion: 'audit.k8s.io/v1', kind: 'Policy', rules });
  assert.throws(() => parseAuditPolicy(policy([{ level: 'All' }])), { message: 'audit policy: rules[0].level "All" is unknown' });
  assert.throws(() => parseAuditPolicy(policy([{ level: 'None', omitStages: ['x'] }])), {
    message: 'audit policy: rules[0].omitStages holds unknown stage "x"',
  });
  assert.throws(() => parseAuditPolicy({ rules: [] }));
  assert.equal(parseAuditPolicy(policy([{ level: 'None' }])).rules.length, 1);
});

test('an event has the shape of the real one', () => {
  const request: AuditedRequest = {
    auditId: 'id',
    requestUri: '/api/v1/namespaces/shop/configmaps?fieldManager=x',
    attributes: want('create', 'configmaps', { name: '' }),
    user: { ...alice, extra: { a: ['b'] } },
    impersonatedUser: { name: 'bob', groups: [] },
    impersonationConstraint: 'impersonate:user-info',
    sourceIps: ['127.0.0.1'],
    userAgent: 'x'.repeat(2000),
    receivedAt: new Date('2026-01-02T03:04:05.678Z'),
    requestObject: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c', managedFields: [{ manager: 'm' }] }, data: { k: 'v' } },
    responseStatus: { code: 201 },
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  };
  const decision = { level: 'Request' as const, omitStages: ['RequestReceived' as const], omitManagedFields: true };
  assert.equal(auditEvent(request, 'RequestReceived', decision, new Date()), undefined);
  assert.deepEqual(auditEvent(request, 'ResponseComplete', decision, new Date('2026-01-02T03:04:06Z')), {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Request',
    auditID: 'id',
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/configmaps?fieldManager=x',
    verb: 'create',
    user: { username: 'alice', groups: ['dev'], extra: { a: ['b'] } },
    impersonatedUser: { username: 'bob' },
    authenticationMetadata: { impersonationConstraint: 'impersonate:user-info' },
    sourceIPs: ['127.0.0.1'],
    userAgent: `${'x'.repeat(1024)}...TRUNCATED`,
    objectRef: { resource: 'configmaps', namespace: 'shop', name: 'c', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 201 },
    requestObject: { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data: { k: 'v' } },
    requestReceivedTimestamp: '2026-01-02T03:04:05.678000Z',
    stageTimestamp: '2026-01-02T03:04:06.000000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
  });
});

function folder(t: TestContext): string {
  const dir = mkdtempSync(join(tmpdir(), 'drover-audit-'));
  t.after(() => rmSync(dir, { recursive: true }));
  return dir;
}

test('events are appended, and what was there stays', async t => {
  const path = join(folder(t), 'audit.log');
  for (const n of [1, 2]) {
    await using log = auditLog({ path });
    log.write({ n });
  }
  assert.equal(readFileSync(path, 'utf8'), '{"n":1}\n{"n":2}\n');
  assert.equal(statSync(path).mode & 0o777, 0o600);
});

test('a full file is put aside and old ones are removed', async t => {
  const dir = folder(t);
  await using log = auditLog({ path: join(dir, 'audit.log'), maxFileBytes: 20, maxFiles: 2 });
  for (let n = 10; n < 20; n++) {
    log.write({ n });
    await log.flush();
  }
  const names = readdirSync(dir).sort();
  assert.equal(names.length, 3);
  assert.equal(
    names
      .map(name => readFileSync(join(dir, name), 'utf8'))
      .join('')
      .endsWith('{"n":17}\n'),
    true,
  );
  assert.equal(readFileSync(join(dir, 'audit.log'), 'utf8'), '{"n":18}\n{"n":19}\n');
});

test('a disk that is too slow or absent costs events, never memory', async t => {
  const dir = folder(t);
  await using log = auditLog({ path: join(dir, 'audit.log'), maxBufferBytes: 20 });
  for (let n = 0; n < 10; n++) log.write({ n });
  assert.equal(log.dropped, 8);
  const errors: unknown[] = [];
  await using broken = auditLog({ path: join(dir, 'none', 'audit.log'), onError: error => errors.push(error) });
  broken.write({});
  await broken.flush();
  assert.equal(broken.dropped, 1);
  assert.equal(errors.length, 1);
});
