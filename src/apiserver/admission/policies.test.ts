import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { admissionRequest } from '../../../test/helpers/admission-request.ts';
import { startMemoryCluster } from '../../../test/helpers/memory-cluster.ts';
import { mutate, validate } from './admission-chain.ts';
import { mutatingPolicy } from './mutating-policy.ts';
import { validatingPolicy } from './validating-policy.ts';
import { watchedLists } from './watched-lists.ts';

const apiVersion = 'admissionregistration.k8s.io/v1';
const everyConfigMap = { resourceRules: [{ operations: ['*'], apiGroups: [''], apiVersions: ['*'], resources: ['configmaps'] }] };
const configMap = (data: Record<string, string> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'c', namespace: 'a' },
  data,
});

async function cluster(kind: 'Validating' | 'Mutating', policy: Record<string, unknown>, binding: Record<string, unknown> = {}) {
  const api = await startMemoryCluster();
  await api.add({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'a', labels: { team: 'x' } } });
  await api.add({
    apiVersion,
    kind: `${kind}AdmissionPolicy`,
    metadata: { name: 'p' },
    spec: { matchConstraints: everyConfigMap, failurePolicy: 'Fail', ...policy },
  });
  await api.add({
    apiVersion,
    kind: `${kind}AdmissionPolicyBinding`,
    metadata: { name: 'b' },
    spec: { policyName: 'p', ...(kind === 'Validating' && { validationActions: ['Deny'] }), ...binding },
  });
  const lists = watchedLists(api);
  return { api, plugins: [mutatingPolicy({ lists }), validatingPolicy({ lists })] };
}

async function refusal(run: void | Promise<void>): Promise<StatusError> {
  try {
    await run;
  } catch (error) {
    if (error instanceof StatusError) return error;
    throw error;
  }
  throw new Error('the request was admitted');
}

const verdicts: [string, Record<string, unknown>, string | undefined][] = [
  ['a rule that holds', { validations: [{ expression: 'object.data.size() == 1' }] }, undefined],
  ['a rule that does not hold', { validations: [{ expression: 'object.data.size() > 1' }] }, 'failed expression: object.data.size() > 1'],
  ['a rule with a message', { validations: [{ expression: 'false', message: 'no bad' }] }, 'no bad'],
  [
    'a rule with a message expression',
    { validations: [{ expression: 'false', messageExpression: '"bad " + object.metadata.name', message: 'fixed' }] },
    'bad c',
  ],
  [
    'variables',
    {
      variables: [
        { name: 'keys', expression: 'object.data.map(k, k)' },
        { name: 'count', expression: 'size(variables.keys)' },
      ],
      validations: [{ expression: 'variables.count == 2', messageExpression: '"has " + string(variables.count)' }],
    },
    'has 1',
  ],
  ['the namespace', { validations: [{ expression: 'namespaceObject.metadata.labels.team == "y"', message: 'wrong team' }] }, 'wrong team'],
  [
    'a failing expression',
    { validations: [{ expression: 'object.spec.replicas > 1' }] },
    "expression 'object.spec.replicas > 1' resulted in error: no such key: spec",
  ],
  ['a failing expression to be ignored', { failurePolicy: 'Ignore', validations: [{ expression: 'object.spec.replicas > 1' }] }, undefined],
  [
    'a condition that does not hold',
    { matchConditions: [{ name: 'n', expression: 'request.userInfo.username == "bob"' }], validations: [{ expression: 'false' }] },
    undefined,
  ],
  [
    'an unknown kind of params',
    { paramKind: { apiVersion: 'example.com/v1', kind: 'Nothing' }, validations: [{ expression: 'true' }] },
    "failed to configure policy: failed to find resource referenced by paramKind: 'example.com/v1, Kind=Nothing'",
  ],
];
for (const [what, policy, expected] of verdicts)
  test(`a policy with ${what} ${expected === undefined ? 'admits' : 'refuses'}`, async () => {
    const { api, plugins } = await cluster('Validating', policy);
    const run = validate(plugins, admissionRequest(api, { object: configMap({ key: 'v' }) }));
    if (expected === undefined) return void (await run);
    const error = await refusal(run);
    const message = what.startsWith('an unknown kind')
      ? `ValidatingAdmissionPolicy 'p' denied request: ${expected}`
      : `ValidatingAdmissionPolicy 'p' with binding 'b' denied request: ${expected}`;
    assert.deepEqual([error.code, error.reason, error.message], [422, 'Invalid', `configmaps "c" is forbidden: ${message}`]);
    assert.deepEqual(error.details?.causes, [{ message }]);
  });

test('a rule chooses the reason of its refusal', async () => {
  const { api, plugins } = await cluster('Validating', { validations: [{ expression: 'false', reason: 'Forbidden' }] });
  const error = await refusal(validate(plugins, admissionRequest(api, { object: configMap() })));
  assert.deepEqual([error.code, error.reason], [403, 'Forbidden']);
});

test('a binding that warns and audits lets the request pass', async () => {
  const policy = {
    validations: [{ expression: 'false', message: 'hm' }],
    auditAnnotations: [{ key: 'name', valueExpression: 'string(object.metadata.name)' }],
  };
  const { api, plugins } = await cluster('Validating', policy, { validationActions: ['Warn', 'Audit'] });
  const request = admissionRequest(api, { object: configMap() });
  await validate(plugins, request);
  assert.deepEqual(request.warnings, ["Validation failed for ValidatingAdmissionPolicy 'p' with binding 'b': hm"]);
  assert.deepEqual(request.annotations, {
    'p/name': 'c',
    'validation.policy.admission.k8s.io/validation_failure':
      '[{"message":"hm","policy":"p","binding":"b","expressionIndex":0,"validationActions":["Warn","Audit"]}]',
  });
});

test('params come from the binding, and their absence can refuse', async () => {
  const policy = {
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    validations: [{ expression: 'object.data.size() <= int(params.data.max)', messageExpression: '"at most " + params.data.max' }],
  };
  const binding = { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } };
  const { api, plugins } = await cluster('Validating', policy, binding);
  const request = admissionRequest(api, { object: configMap({ a: '', b: '' }) });
  const absent = await refusal(validate(plugins, request));
  assert.match(absent.message, /failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction$/);
  await api.add({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'limits', namespace: 'a' }, data: { max: '1' } });
  const exceeded = await refusal(validate(plugins, request));
  assert.match(exceeded.message, /denied request: at most 1$/);
});

test('a binding narrows a policy to namespaces', async () => {
  const binding = { matchResources: { namespaceSelector: { matchLabels: { team: 'y' } } } };
  const { api, plugins } = await cluster('Validating', { validations: [{ expression: 'false' }] }, binding);
  await validate(plugins, admissionRequest(api, { object: configMap() }));
});

test('a mutating policy patches the object', async () => {
  const mutations = [
    { patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/added", value: object.metadata.name}]' } },
  ];
  const { api, plugins } = await cluster('Mutating', { reinvocationPolicy: 'Never', mutations });
  const request = admissionRequest(api, { object: configMap({ key: 'v' }) });
  await mutate(plugins, request);
  assert.deepEqual(request.object?.['data'], { key: 'v', added: 'c' });
});

test('a mutating policy that fails refuses the request', async () => {
  const mutations = [{ patchType: 'JSONPatch', jsonPatch: { expression: '[JSONPatch{op: "remove", path: "/data/none"}]' } }];
  const { api, plugins } = await cluster('Mutating', { reinvocationPolicy: 'Never', mutations });
  const error = await refusal(mutate(plugins, admissionRequest(api, { object: configMap({ key: 'v' }) })));
  assert.equal(error.code, 403);
  assert.match(error.message, /^policy 'p' with binding 'b' denied request: JSON Patch: /);
});
