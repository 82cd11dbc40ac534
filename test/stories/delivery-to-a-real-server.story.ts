import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, test } from 'node:test';
import type { KindRef } from '../../src/api/define-kind.ts';
import type { KubeObject } from '../../src/api/object.ts';
import { workReasons } from '../../src/api/work.ts';
import { bearer, fixed } from '../../src/client/credential.ts';
import { httpClient } from '../../src/client/http-client.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { applyObjects, type ApplyOptions } from '../../src/core/delivery/apply-objects.ts';
import { DeliveryError } from '../../src/core/delivery/delivery-error.ts';
import { openMember, type Member } from '../../src/core/delivery/member.ts';
import { refOf } from '../../src/core/delivery/object-ref.ts';
import { removeObjects } from '../../src/core/delivery/remove-objects.ts';
import { waitHealthy } from '../../src/core/delivery/wait-healthy.ts';
import { errorText } from '../../src/util/error-text.ts';
import { readYaml } from '../../src/yaml/read-yaml.ts';
import { TestCa } from '../helpers/certificates.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startEtcd, startRealApiServer, type RealCluster } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const skip = missingRig('etcd', 'kube-apiserver');
const owner = { release: { name: 'web', namespace: 'shop' } };
const stack = new AsyncDisposableStack();
const stop = new AbortController();
const { signal } = stop;
let real: RealCluster;
let member: Member;

function memberFor(token?: string): Member {
  const context = readContext(readKubeconfigs(real.kubeconfig, {}), { env: {} });
  const client = httpClient(contextTransport(context, token === undefined ? {} : { credentials: fixed(bearer(token)) }));
  stack.defer(() => client[Symbol.asyncDispose]());
  return openMember('east', client, { signal });
}

before(async () => {
  if (skip !== undefined) return;
  const etcd = stack.use(await startEtcd());
  real = stack.use(await startRealApiServer({ etcd, tokens: { 'guest-token': { user: 'guest' } } }));
  member = memberFor();
  // No controller is here to give the namespace its account.
  await apply([{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } }, object('v1', 'ServiceAccount', 'default')]);
});
after(async () => {
  stop.abort();
  await stack.disposeAsync();
});

const apply = (objects: readonly KubeObject[], options: Partial<ApplyOptions> = {}) =>
  applyObjects(member, objects, { owner, signal, ...options });

function object(apiVersion: string, kind: string, name: string, fields: object = {}): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: 'shop' }, ...fields };
}

const clusterWide = (obj: KubeObject): KubeObject => ({ ...obj, metadata: { name: obj.metadata.name! } });

async function refusalOf(objects: readonly KubeObject[], options: Partial<ApplyOptions> = {}): Promise<DeliveryError> {
  try {
    await apply(objects, options);
  } catch (error) {
    assert.ok(error instanceof DeliveryError, String(error));
    return error;
  }
  return assert.fail('nothing was refused');
}

const podSpec = { containers: [{ name: 'web', image: 'web:1' }] };
const template = (app: string) => ({ metadata: { labels: { app } }, spec: podSpec });
const deployment = (app: string) =>
  object('apps/v1', 'Deployment', 'web', { spec: { selector: { matchLabels: { app } }, template: template(app) } });
const widgetDefinition = (scope: string): KubeObject =>
  clusterWide(
    object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'widgets.example.com', {
      spec: {
        group: 'example.com',
        scope,
        names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: {
              openAPIV3Schema: {
                type: 'object',
                properties: {
                  spec: {
                    type: 'object',
                    properties: {
                      size: { type: 'integer', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'Value is immutable' }] },
                    },
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
              },
            },
          },
        ],
      },
    }),
  );
const widget = (size: number) => object('example.com/v1', 'Widget', 'w', { spec: { size } });

/** Changes that a real server never allows: before, after, the field that it names. */
const immutable: Record<string, [before: KubeObject, after: KubeObject, field: RegExp]> = {
  'the selector of a Deployment': [deployment('a'), deployment('b'), /^spec\.selector /],
  'the service of a StatefulSet': ['a', 'b'].map(serviceName =>
    object('apps/v1', 'StatefulSet', 'db', { spec: { serviceName, selector: { matchLabels: { app: 'db' } }, template: template('db') } }),
  ) as never,
  'the template of a Job': [1, 2].map(n =>
    object('batch/v1', 'Job', 'task', {
      spec: { template: { spec: { restartPolicy: 'Never', containers: [{ name: 'web', image: `web:${n}` }] } } },
    }),
  ) as never,
  'the role of a RoleBinding': ['a', 'b'].map(name =>
    object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'bound', {
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    }),
  ) as never,
  'the address of a Service': ['10.0.0.50', '10.0.0.51'].map(clusterIP =>
    object('v1', 'Service', 'web', { spec: { clusterIP, ports: [{ port: 80 }] } }),
  ) as never,
  'the type of a Secret': ['Opaque', 'example.com/other'].map(type => object('v1', 'Secret', 'secret', { type })) as never,
  'the data of an immutable ConfigMap': ['1', '2'].map(v => object('v1', 'ConfigMap', 'fixed', { immutable: true, data: { v } })) as never,
  'the provisioner of a StorageClass': ['a', 'b'].map(provisioner =>
    clusterWide(object('storage.k8s.io/v1', 'StorageClass', 'fast', { provisioner })),
  ) as never,
  'the value of a PriorityClass': [1, 2].map(value =>
    clusterWide(object('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value })),
  ) as never,
  'the containers of a Pod': [1, 2].map(n =>
    object('v1', 'Pod', 'bare', { spec: { containers: [{ name: `web${n}`, image: 'web:1' }] } }),
  ) as never,
  'a field whose rule of the definition forbids it': [widget(1), widget(2), /^spec\.size /],
};

test('a real server refuses changes of immutable fields in words that are known, and force finds the way out', { skip }, async () => {
  await apply([widgetDefinition('Namespaced')]);
  for (const [name, [first, second, field = /./]] of Object.entries(immutable)) {
    const [present] = await apply([first]);
    const error = await refusalOf([second]);
    assert.equal(error.isFinal, true, `${name}: ${errorText(error)}`);
    assert.match(error.message, /cannot be changed once it is there: set spec\.options\.force/, `${name}: ${errorText(error)}`);
    assert.match(error.message.replace(/^cannot apply [^:]+: /, ''), field, name);
    // No kubelet and no controllers are here to end the life of a pod.
    if (first.kind === 'Pod') continue;
    const [replaced] = await apply([second], { force: true });
    assert.notEqual(replaced!.metadata.uid, present!.metadata.uid, name);
  }
});

test('what holds data is not deleted by force', { skip }, async () => {
  const claim = (storage: string) =>
    object('v1', 'PersistentVolumeClaim', 'data', { spec: { accessModes: [storage], resources: { requests: { storage: '1Gi' } } } });
  await apply([claim('ReadWriteOnce')]);
  assert.match((await refusalOf([claim('ReadWriteMany')])).message, /spec cannot be changed/);
  assert.match((await refusalOf([claim('ReadWriteMany')], { force: true })).message, /delete it yourself/);
  assert.match((await refusalOf([widgetDefinition('Cluster')], { force: true })).message, /delete it yourself/);
});

test('definitions and their objects come in one set, and go', { skip }, async () => {
  const definition = structuredClone(widgetDefinition('Namespaced'));
  definition.metadata.name = 'gadgets.example.com';
  Object.assign((definition['spec'] as { names: object }).names, {
    kind: 'Gadget',
    plural: 'gadgets',
    singular: 'gadget',
    listKind: 'GadgetList',
  });
  const objects = [object('example.com/v1', 'Gadget', 'g'), definition, object('v1', 'ConfigMap', 'settings')];
  const applied = await apply(objects);
  await waitHealthy(member, objects.map(refOf), { timeoutMs: 60_000, signal, applied });
  const { removed } = await removeObjects(member, objects.map(refOf), { owner, signal });
  assert.equal(removed.length, 3);
});

test('objects of others are found among many', { skip }, async () => {
  const many = Array.from({ length: 30 }, (_, i) => object('v1', 'ConfigMap', `many-${i}`));
  await apply(many, { owner: { work: 'c-m-1/theirs' } });
  const error = await refusalOf([...Array.from({ length: 20 }, (_, i) => object('v1', 'ConfigMap', `mine-${i}`)), many[7]!]);
  assert.equal(error.reason, workReasons.notOwned);
  assert.match(error.message, /^ConfigMap shop\/many-7 is there already and belongs to Work "c-m-1\/theirs"/);
  await apply(many, { takeOwnership: true });
});

test('a chart sees the same cluster through us as through Helm', { skip: skip ?? missingRig('helm') }, async () => {
  using scratch = tempDir('capabilities');
  const files = {
    'Chart.yaml': 'apiVersion: v2\nname: seen\nversion: 1.0.0\n',
    'templates/seen.yaml': [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: seen}\ndata:',
      '  version: {{ .Capabilities.KubeVersion.Version | quote }}',
      '  seen: {{ .Capabilities.APIVersions | toJson | quote }}\n',
    ].join('\n'),
  };
  mkdirSync(path.join(scratch.dir, 'templates'));
  for (const [name, text] of Object.entries(files)) writeFileSync(path.join(scratch.dir, name), text);
  const args = ['template', 'seen', scratch.dir, '--dry-run=server', '--kubeconfig', real.kubeconfig];
  const { stdout, stderr } = await runCommand(rigProgramPath('helm'), args, { env: { HOME: scratch.dir }, timeoutMs: 120_000 });
  assert.notEqual(stdout, '', stderr);
  const { data } = readYaml(stdout).value as { data: { version: string; seen: string } };
  const { kubeVersion, apiVersions } = await member.kinds.capabilities(signal);
  assert.equal(kubeVersion, data.version);
  assert.deepEqual([...apiVersions].sort(), (JSON.parse(data.seen) as string[]).sort());
});

const secured: KubeObject = {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: 'secured', labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
};

const refusals: Record<string, { objects: KubeObject[]; words: RegExp; isFinal: boolean }> = {
  'a missing kind': {
    objects: [object('nowhere.example.com/v1', 'Thing', 'x')],
    words: /kind Thing in nowhere\.example\.com\/v1: is its/,
    isFinal: false,
  },
  'a missing namespace': {
    objects: [{ ...object('v1', 'ConfigMap', 'x'), metadata: { name: 'x', namespace: 'nowhere' } }],
    words: /namespace "nowhere" does not exist/,
    isFinal: false,
  },
  'pods against the security of their namespace': {
    objects: [
      secured,
      ...['ServiceAccount', 'Pod'].map(kind => ({
        apiVersion: 'v1',
        kind,
        metadata: { name: 'default', namespace: 'secured' },
        ...(kind === 'Pod' && { spec: podSpec }),
      })),
    ],
    words: /the pod security level "restricted:latest" of its namespace denies it/,
    isFinal: false,
  },
  'a wrong value': { objects: [object('v1', 'Service', 'x', { spec: { ports: [{ port: 99999999 }] } })], words: /wrong/, isFinal: true },
  'a wrong type': {
    objects: [object('v1', 'Service', 'x', { spec: { ports: 'none' } })],
    words: /wrong|fields or values that its kind does not have/,
    isFinal: true,
  },
  'a wrong name': { objects: [object('v1', 'ConfigMap', 'Not_A_Name')], words: /wrong/, isFinal: true },
  'an unknown field': {
    objects: [object('v1', 'ConfigMap', 'x', { dta: {} })],
    words: /fields or values that its kind does not have/,
    isFinal: true,
  },
  'a list with the same key twice': {
    objects: [object('v1', 'Service', 'x', { spec: { ports: [1, 2].map(port => ({ name: `p${port}`, port: 80 })) } })],
    words: /fields or values that its kind does not have|wrong/,
    isFinal: true,
  },
  'a Secret that is not in base64': {
    objects: [object('v1', 'Secret', 'x', { data: { a: 'not base64' } })],
    words: /fields or values that its kind does not have/,
    isFinal: true,
  },
  'too much data': {
    objects: [object('v1', 'ConfigMap', 'x', { data: { a: 'a'.repeat(1_200_000) } })],
    words: /wrong|larger/,
    isFinal: true,
  },
  'a request that is too large': {
    objects: [object('v1', 'ConfigMap', 'x', { data: { a: 'a'.repeat(4_000_000) } })],
    words: /larger/,
    isFinal: true,
  },
  'an object too large for etcd': {
    objects: [object('example.com/v1', 'Widget', 'x', { spec: { a: 'a'.repeat(1_700_000) } })],
    words: /larger/,
    isFinal: true,
  },
};

test('refusals of a real server become words that a person can act on', { skip }, async () => {
  await apply([widgetDefinition('Namespaced')]);
  for (const [name, { objects, words, isFinal }] of Object.entries(refusals)) {
    const error = await refusalOf(objects);
    assert.match(error.message, words, `${name}: ${errorText(error)}`);
    assert.equal(error.isFinal, isFinal, `${name}: ${errorText(error)}`);
  }
  const secret = await refusalOf([object('v1', 'Secret', 'x', { stringData: { a: 4711 }, data: 'hunter2' })]);
  assert.doesNotMatch(errorText(secret), /4711|hunter2/);
});

test('a right that is missing is named', { skip }, async () => {
  const guest = memberFor('guest-token');
  await assert.rejects(
    applyObjects(guest, [object('v1', 'ConfigMap', 'x')], { owner, signal }),
    /cannot read ConfigMap shop\/x: the hub lacks the right/,
  );
  await assert.rejects(
    applyObjects(guest, [object('v1', 'ConfigMap', 'x')], { owner, signal, takeOwnership: true }),
    /cannot apply ConfigMap shop\/x: the hub lacks the right/,
  );
});

test('a quota that is used up is named', { skip }, async () => {
  const [quota] = await apply([object('v1', 'ResourceQuota', 'small', { spec: { hard: { 'count/leases.coordination.k8s.io': '0' } } })]);
  const hard = { 'count/leases.coordination.k8s.io': '0' };
  const ResourceQuota: KindRef = { group: '', version: 'v1', kind: 'ResourceQuota', resource: 'resourcequotas', scope: 'Namespaced' };
  await member.client.patch(
    ResourceQuota,
    { namespace: 'shop', name: 'small' },
    { type: 'merge', body: { status: { hard, used: hard } } },
    { subresource: 'status' },
  );
  const lease = object('coordination.k8s.io/v1', 'Lease', 'x');
  const error = await eventually(
    () => refusalOf([lease]),
    refusal => refusal.message.includes('quota'),
    { timeoutMs: 30_000 },
  );
  assert.match(error.message, /^cannot apply Lease shop\/x: the quota "small" is used up/);
  assert.equal(error.isFinal, false);
  await removeObjects(member, [refOf(quota!)], { owner, signal });
});

test('webhooks and policies that deny are named', { skip }, async t => {
  const ca = await TestCa.create('hooks');
  const { certificate, key } = await ca.issue('hook', { dnsNames: ['localhost'], ips: ['127.0.0.1'] });
  const server = createServer({ cert: certificate, key }, async (req, res) => {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    const { uid } = (JSON.parse(body) as { request: { uid: string } }).request;
    res.setHeader('content-type', 'application/json');
    const response = { uid, allowed: false, status: { message: 'leases are out of fashion' } };
    res.end(JSON.stringify({ apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response }));
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const hook = (atPort: number) =>
    clusterWide(
      object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', 'hooks', {
        webhooks: [
          {
            name: 'no-leases.example.com',
            clientConfig: { url: `https://127.0.0.1:${atPort}/`, caBundle: Buffer.from(ca.certificate).toString('base64') },
            rules: [
              {
                apiGroups: ['coordination.k8s.io'],
                apiVersions: ['v1'],
                operations: ['CREATE'],
                resources: ['leases'],
                scope: 'Namespaced',
              },
            ],
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            failurePolicy: 'Fail',
            namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'shop' } },
          },
        ],
      }),
    );
  const lease = object('coordination.k8s.io/v1', 'Lease', 'denied');
  const refusedWith = (words: RegExp) =>
    eventually(
      () => refusalOf([lease], { dryRun: true }),
      error => words.test(error.message),
      { timeoutMs: 60_000, what: String(words) },
    );

  await apply([hook(port)]);
  const denied = await refusedWith(/admission webhook "no-leases\.example\.com" of the member denies it/);
  assert.match(errorText(denied), /leases are out of fashion/);
  await apply([hook(await freePort())]);
  const silent = await refusedWith(/admission webhook "no-leases\.example\.com" of the member does not answer/);
  assert.equal(silent.isFinal, false);
  await removeObjects(member, [refOf(hook(port))], { owner, signal });

  const policy = clusterWide(
    object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', 'no-leases', {
      spec: {
        matchConstraints: {
          resourceRules: [{ apiGroups: ['coordination.k8s.io'], apiVersions: ['v1'], operations: ['CREATE'], resources: ['leases'] }],
        },
        validations: [{ expression: "object.metadata.namespace != 'shop'", message: 'no leases' }],
      },
    }),
  );
  const binding = clusterWide(
    object('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicyBinding', 'no-leases', {
      spec: { policyName: 'no-leases', validationActions: ['Deny'] },
    }),
  );
  await apply([policy, binding]);
  await refusedWith(/admission policy "no-leases" of the member denies it/);
  await removeObjects(member, [policy, binding].map(refOf), { owner, signal });
});

test('a member that is away is told from one that refuses', { skip }, async () => {
  await real.kill();
  try {
    const error = await refusalOf([object('v1', 'ConfigMap', 'x')], { takeOwnership: true });
    assert.equal(error.reason, workReasons.clusterUnreachable);
    assert.equal(error.isFinal, false);
  } finally {
    await real.revive();
  }
  await apply([object('v1', 'ConfigMap', 'x')]);
});
