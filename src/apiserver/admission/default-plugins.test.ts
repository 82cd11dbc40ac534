import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodSpec } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { admissionRequest } from '../../../test/helpers/admission-request.ts';
import { eventually } from '../../../test/helpers/eventually.ts';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { quotaController } from '../controllers/quota-controller.ts';
import type { AdmissionRequest } from './admission.ts';
import { mutate, validate } from './admission-chain.ts';
import { defaultPlugins } from './default-plugins.ts';

interface Options {
  labels?: Record<string, string>;
  objects?: KubeObject[];
}

async function cluster({ labels = {}, objects = [] }: Options = {}) {
  const api = await startMemoryCluster();
  await api.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels } });
  await api.add({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'a' } });
  for (const obj of objects) await api.add(obj);
  const plugins = defaultPlugins({ api });
  return {
    api,
    admit: async (parts: Partial<AdmissionRequest>) => {
      const request = admissionRequest(api, parts);
      await mutate(plugins, request);
      await validate(plugins, request);
      return request;
    },
  };
}

async function refused(run: Promise<unknown>): Promise<StatusError> {
  const error = await run.then(
    () => undefined,
    (e: unknown) => e,
  );
  if (error instanceof StatusError) return error;
  throw error ?? new Error('the request was admitted');
}

const pod = (spec: Partial<PodSpec> = {}, meta: Record<string, unknown> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'p', namespace: 'a', ...meta },
  spec: { containers: [{ name: 'c', image: 'i' }], ...spec },
});
const specOf = (request: AdmissionRequest) => request.object?.['spec'] as PodSpec;
const object = (kind: string, name: string, fields: Record<string, unknown> = {}, apiVersion = 'v1', namespace?: string): KubeObject => ({
  apiVersion,
  kind,
  metadata: { name, ...(namespace !== undefined && { namespace }) },
  ...fields,
});

test('a pod gets account, token, tolerations and priority', async () => {
  const { admit } = await cluster();
  const spec = specOf(await admit({ object: pod() }));
  const volume = spec.volumes?.[0];
  assert.match(volume?.name ?? '', /^kube-api-access-[a-z0-9]{5}$/);
  assert.deepEqual(
    [spec.serviceAccountName, spec.serviceAccount, spec.priority, spec.preemptionPolicy],
    ['default', 'default', 0, 'PreemptLowerPriority'],
  );
  assert.deepEqual(spec.containers[0]?.volumeMounts, [
    { name: volume?.name, readOnly: true, mountPath: '/var/run/secrets/kubernetes.io/serviceaccount' },
  ]);
  assert.deepEqual(spec.tolerations, [
    { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
  ]);
});

test('a pod waits for the default account of a new namespace', async () => {
  const { api, admit } = await cluster();
  await api.delete({ group: '', version: 'v1', resource: 'serviceaccounts' }, { namespace: 'a', name: 'default' });
  const running = admit({ object: pod() });
  await api.add(object('ServiceAccount', 'default', {}, 'v1', 'a'));
  assert.equal(specOf(await running).serviceAccountName, 'default');
});

const refusals: [string, Options, Partial<AdmissionRequest>, number, string][] = [
  ['a missing namespace', {}, { object: object('ConfigMap', 'c', {}, 'v1', 'none') }, 404, 'namespaces "none" not found'],
  [
    'a missing service account',
    {},
    { object: pod({ serviceAccountName: 'bot' }) },
    403,
    'pods "p" is forbidden: error looking up service account a/bot: serviceaccount "bot" not found',
  ],
  [
    'an unknown priority class',
    {},
    { object: pod({ priorityClassName: 'high' }) },
    403,
    'pods "p" is forbidden: no PriorityClass with name high was found',
  ],
  [
    'a priority of its own',
    {},
    { object: pod({ priority: 5 }) },
    403,
    'pods "p" is forbidden: the integer value of priority (5) must not be provided in pod spec; priority admission controller computed 0 from the given PriorityClass name',
  ],
  [
    'an unknown runtime class',
    {},
    { object: pod({ runtimeClassName: 'vm' }) },
    403,
    'pods "p" is forbidden: pod rejected: RuntimeClass "vm" not found',
  ],
  [
    'the deletion of a system namespace',
    {},
    { operation: 'DELETE', oldObject: object('Namespace', 'kube-system') },
    403,
    'namespaces "kube-system" is forbidden: this namespace may not be deleted',
  ],
  [
    'a privileged pod in a baseline namespace',
    { labels: { 'pod-security.kubernetes.io/enforce': 'baseline' } },
    { object: pod({ hostNetwork: true, containers: [{ name: 'c', image: 'i', securityContext: { privileged: true } }] }) },
    403,
    'pods "p" is forbidden: violates PodSecurity "baseline:latest": host namespaces (hostNetwork=true), privileged (container "c" must not set securityContext.privileged=true)',
  ],
  [
    'a plain pod in a restricted namespace',
    { labels: { 'pod-security.kubernetes.io/enforce': 'restricted', 'pod-security.kubernetes.io/enforce-version': 'v1.30' } },
    { object: pod() },
    403,
    'pods "p" is forbidden: violates PodSecurity "restricted:v1.30": allowPrivilegeEscalation != false (container "c" must set securityContext.allowPrivilegeEscalation=false), unrestricted capabilities (container "c" must set securityContext.capabilities.drop=["ALL"]), runAsNonRoot != true (pod or container "c" must set securityContext.runAsNonRoot=true), seccompProfile (pod or container "c" must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost")',
  ],
  [
    'an unknown pod security level',
    {},
    {
      operation: 'CREATE',
      object: { ...object('Namespace', 'n'), metadata: { name: 'n', labels: { 'pod-security.kubernetes.io/enforce': 'x' } } },
    },
    422,
    'Namespace "n" is invalid: metadata.labels[pod-security.kubernetes.io/enforce]: Invalid value: "x": must be one of privileged, baseline, restricted',
  ],
  [
    'a container beyond its limit range',
    { objects: [object('LimitRange', 'l', { spec: { limits: [{ type: 'Container', max: { memory: '1Gi' } }] } }, 'v1', 'a')] },
    { object: pod({ containers: [{ name: 'c', image: 'i', resources: { limits: { memory: '2Gi' } } }] }) },
    403,
    'pods "p" is forbidden: maximum memory usage per Container is 1Gi, but limit is 2Gi',
  ],
  [
    'a container with too little of two things',
    {
      objects: [object('LimitRange', 'l', { spec: { limits: [{ type: 'Container', min: { cpu: '100m', memory: '1Mi' } }] } }, 'v1', 'a')],
    },
    { object: pod({ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '50m', memory: '1Ki' } } }] }) },
    403,
    'pods "p" is forbidden: [minimum cpu usage per Container is 100m, but request is 50m, minimum memory usage per Container is 1Mi, but request is 1Ki]',
  ],
  [
    'a quota that is full',
    { objects: [quota({ pods: '1' }, { pods: '1' })] },
    { object: pod() },
    403,
    'pods "p" is forbidden: exceeded quota: q, requested: pods=1, used: pods=1, limited: pods=1',
  ],
  [
    'a quota on what a pod does not say',
    { objects: [quota({ 'requests.cpu': '1' }, { 'requests.cpu': '0' })] },
    { object: pod() },
    403,
    'pods "p" is forbidden: failed quota: q: must specify requests.cpu for: c',
  ],
  [
    'a quota that was not counted yet',
    { objects: [quota({ pods: '1' }, {})] },
    { object: pod() },
    403,
    'pods "p" is forbidden: status unknown for quota: q, resources: pods',
  ],
];

function quota(hard: Record<string, string>, used: Record<string, string>, spec: Record<string, unknown> = {}): KubeObject {
  return object('ResourceQuota', 'q', { spec: { hard, ...spec }, status: { hard, used } }, 'v1', 'a');
}

for (const [what, options, parts, code, message] of refusals)
  test(`${what} refuses the request`, async () => {
    const { admit } = await cluster(options);
    const error = await refused(admit(parts));
    assert.deepEqual([error.code, error.message], [code, message]);
  });

test('a terminating namespace takes nothing new and says why', async () => {
  const { api, admit } = await cluster();
  await api.add(object('Namespace', 't'));
  await api.delete({ group: '', version: 'v1', resource: 'namespaces' }, { namespace: '', name: 't' });
  const error = await refused(admit({ object: object('ConfigMap', 'c', {}, 'v1', 't') }));
  assert.equal(error.message, 'configmaps "c" is forbidden: unable to create new content in namespace t because it is being terminated');
  assert.deepEqual(error.details?.causes, [
    { reason: 'NamespaceTerminating', message: 'namespace t is being terminated', field: 'metadata.namespace' },
  ]);
});

test('a warn label warns about pods and about what makes them', async () => {
  const { admit } = await cluster({ labels: { 'pod-security.kubernetes.io/warn': 'baseline' } });
  const request = await admit({ object: pod({ hostPID: true }) });
  assert.deepEqual(request.warnings, ['would violate PodSecurity "baseline:latest": host namespaces (hostPID=true)']);
  const deployment = object('Deployment', 'd', { spec: { template: { metadata: {}, spec: specOf(request) } } }, 'apps/v1', 'a');
  assert.equal((await admit({ object: deployment })).warnings.length, 1);
});

test('limit ranges fill in requests and limits', async () => {
  const range = object(
    'LimitRange',
    'l',
    { spec: { limits: [{ type: 'Container', default: { cpu: '1' }, defaultRequest: { cpu: '500m', memory: '1Gi' } }] } },
    'v1',
    'a',
  );
  const { admit } = await cluster({ objects: [range] });
  const request = await admit({ object: pod() });
  assert.deepEqual(specOf(request).containers[0]?.resources, { limits: { cpu: '1' }, requests: { cpu: '500m', memory: '1Gi' } });
  assert.equal(
    request.object?.metadata.annotations?.['kubernetes.io/limit-ranger'],
    'LimitRanger plugin set: cpu, memory request for container c; cpu limit for container c',
  );
});

test('requests at the same time share a quota without exceeding it', async () => {
  const { api, admit } = await cluster({
    objects: [quota({ 'count/configmaps': '3', configmaps: '10' }, { 'count/configmaps': '0', configmaps: '0' })],
  });
  const results = await Promise.allSettled(
    Array.from({ length: 8 }, (_, i) => admit({ object: object('ConfigMap', `c${i}`, {}, 'v1', 'a') })),
  );
  assert.equal(results.filter(r => r.status === 'fulfilled').length, 3);
  const status = api.peek({ group: '', resource: 'resourcequotas' }, 'a', 'q')?.['status'] as { used: Record<string, string> };
  assert.deepEqual(status.used, { configmaps: '3', 'count/configmaps': '3' });
});

test('a dry run takes nothing from a quota', async () => {
  const { api, admit } = await cluster({ objects: [quota({ pods: '1' }, { pods: '0' })] });
  await admit({ object: pod(), dryRun: true });
  const status = api.peek({ group: '', resource: 'resourcequotas' }, 'a', 'q')?.['status'] as { used: Record<string, string> };
  assert.deepEqual(status.used, { pods: '0' });
});

test('scopes choose the pods a quota counts', async () => {
  const { admit } = await cluster({ objects: [quota({ pods: '0' }, { pods: '0' }, { scopes: ['NotBestEffort'] })] });
  await admit({ object: pod() });
  const error = await refused(admit({ object: pod({ containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '1' } } }] }) }));
  assert.match(error.message, /exceeded quota: q, requested: pods=1, used: pods=0, limited: pods=0$/);
});

test('the quota controller counts what is there and what goes away', async () => {
  using api = await startMemoryCluster({ namespaces: ['a'] });
  using _controller = quotaController(api);
  const used = () => (api.peek({ group: '', resource: 'resourcequotas' }, 'a', 'q')?.['status'] as { used?: unknown })?.used;
  const requests = { containers: [{ name: 'c', image: 'i', resources: { requests: { cpu: '500m', memory: '1Gi' } } }] };
  await api.add(pod(requests));
  await api.add(pod(requests, { name: 'p2' }));
  await api.add(
    object('ResourceQuota', 'q', { spec: { hard: { pods: '5', 'requests.cpu': '2', memory: '4Gi', 'count/secrets': '1' } } }, 'v1', 'a'),
  );
  await eventually(used, value => value !== undefined);
  assert.deepEqual(used(), { pods: '2', 'requests.cpu': '1', memory: '2Gi', 'count/secrets': '0' });
  await api.delete({ group: '', version: 'v1', resource: 'pods' }, { namespace: 'a', name: 'p2' });
  await eventually(used, value => (value as { pods: string }).pods === '1');
});

test('claims, volumes, nodes and ingresses get their defaults', async () => {
  const annotated = (kind: string, name: string, annotation: string, apiVersion: string, fields: object): KubeObject => ({
    apiVersion,
    kind,
    metadata: { name, annotations: { [annotation]: 'true' } },
    ...fields,
  });
  const { admit } = await cluster({
    objects: [
      annotated('StorageClass', 'fast', 'storageclass.kubernetes.io/is-default-class', 'storage.k8s.io/v1', {
        provisioner: 'example.com/disk',
      }),
      annotated('IngressClass', 'edge', 'ingressclass.kubernetes.io/is-default-class', 'networking.k8s.io/v1', {
        spec: { controller: 'example.com/edge' },
      }),
    ],
  });
  const claim = await admit({ object: object('PersistentVolumeClaim', 'c', { spec: {} }, 'v1', 'a') });
  assert.deepEqual(
    [claim.object?.['spec'], claim.object?.metadata.finalizers],
    [{ storageClassName: 'fast' }, ['kubernetes.io/pvc-protection']],
  );
  const ingress = await admit({ object: object('Ingress', 'i', { spec: {} }, 'networking.k8s.io/v1', 'a') });
  assert.deepEqual(ingress.object?.['spec'], { ingressClassName: 'edge' });
  const node = await admit({ object: object('Node', 'n') });
  assert.deepEqual(node.object?.['spec'], { taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] });
});

test('a config map meets no plugin that waits', async () => {
  const { api } = await cluster();
  const plugins = defaultPlugins({ api });
  const request = admissionRequest(api, { object: object('ConfigMap', 'c', {}, 'v1', 'a') });
  assert.equal(mutate(plugins, request), undefined);
  assert.equal(validate(plugins, request), undefined);
});
