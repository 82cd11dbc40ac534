import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { parseJson, printJson, type JsonObject } from '../../util/json.ts';
import { structOfKind } from '../facts/facts.ts';
import { apiFixtures } from '../facts/api-fixtures.ts';
import { undecodableBody } from './go-json-error.ts';
import { shapeObject } from './shape.ts';

const fixtures = apiFixtures('json');

test('every fixture of k8s.io/api keeps its shape', { skip: fixtures === undefined && 'go is not installed' }, () => {
  for (const { file, gvk } of fixtures!) {
    const body = parseJson(readFileSync(file, 'utf8')) as JsonObject;
    const struct = structOfKind(gvk);
    assert.ok(struct, `no struct for ${file}`);
    const problems: string[] = [];
    const shaped = shapeObject(struct, body, problems);
    assert.deepEqual(problems, [], file);
    assert.equal(printJson(shaped), printJson(body), file);
  }
  assert.ok(fixtures!.length > 80);
});

const kinds = {
  Deployment: { group: 'apps', version: 'v1', kind: 'Deployment' },
  ConfigMap: { group: '', version: 'v1', kind: 'ConfigMap' },
  Secret: { group: '', version: 'v1', kind: 'Secret' },
  Role: { group: 'rbac.authorization.k8s.io', version: 'v1', kind: 'Role' },
  Event: { group: 'events.k8s.io', version: 'v1', kind: 'Event' },
  Lease: { group: 'coordination.k8s.io', version: 'v1', kind: 'Lease' },
  CustomResourceDefinition: { group: 'apiextensions.k8s.io', version: 'v1', kind: 'CustomResourceDefinition' },
};

function shape(kind: keyof typeof kinds, body: string, problems: string[] = []): JsonObject {
  return shapeObject(structOfKind(kinds[kind])!, parseJson(body) as JsonObject, problems);
}

const container = (fields: string) => `{"spec":{"template":{"spec":{"containers":[{${fields}}]}}}}`;
const crd = (schema: string) => `{"spec":{"versions":[{"schema":{"openAPIV3Schema":${schema}}}]}}`;
const wrongQuantity = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";

// Each answer was given by a kube-apiserver 1.36.3.
const refusals: [keyof typeof kinds, body: string, message: string][] = [
  [
    'Deployment',
    '{"spec":{"replicas":"3"}}',
    'json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'Deployment',
    '{"spec":{"replicas":1.5}}',
    'json: cannot unmarshal number 1.5 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'Deployment',
    '{"spec":{"replicas":4294967296}}',
    'json: cannot unmarshal number 4294967296 into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  [
    'Deployment',
    '{"spec":{"replicas":[1]}}',
    'json: cannot unmarshal array into Go struct field DeploymentSpec.spec.replicas of type int32',
  ],
  ['Deployment', '{"spec":"x"}', 'json: cannot unmarshal string into Go struct field Deployment.spec of type v1.DeploymentSpec'],
  [
    'Deployment',
    '{"spec":{"template":{"spec":{"containers":["a"]}}}}',
    'json: cannot unmarshal string into Go struct field PodSpec.spec.template.spec.containers of type v1.Container',
  ],
  [
    'Deployment',
    '{"spec":{"template":{"spec":{"containers":{}}}}}',
    'json: cannot unmarshal object into Go struct field PodSpec.spec.template.spec.containers of type []v1.Container',
  ],
  [
    'Deployment',
    '{"spec":{"template":{"spec":{"volumes":[{"name":"a","hostPath":"x"}]}}}}',
    'json: cannot unmarshal string into Go struct field Volume.spec.template.spec.volumes.VolumeSource.hostPath of type v1.HostPathVolumeSource',
  ],
  ['Deployment', container('"resources":{"limits":{"cpu":"abc"}}'), wrongQuantity],
  ['Deployment', container('"resources":{"limits":{"cpu":true}}'), wrongQuantity],
  [
    'Deployment',
    container('"resources":{"limits":5}'),
    'json: cannot unmarshal number into Go struct field ResourceRequirements.spec.template.spec.containers.resources.limits of type v1.ResourceList',
  ],
  [
    'Deployment',
    '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":true}}}}',
    'json: cannot unmarshal bool into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'Deployment',
    '{"spec":{"strategy":{"rollingUpdate":{"maxSurge":1.5}}}}',
    'json: cannot unmarshal number 1.5 into Go struct field RollingUpdateDeployment.spec.strategy.rollingUpdate.maxSurge of type int32',
  ],
  [
    'Deployment',
    '{"metadata":{"creationTimestamp":"notatime"}}',
    'parsing time "notatime" as "2006-01-02T15:04:05Z07:00": cannot parse "notatime" as "2006"',
  ],
  [
    'Deployment',
    '{"metadata":{"creationTimestamp":5}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.creationTimestamp of type string',
  ],
  ['Deployment', '{"metadata":{"creationTimestamp":"2024-13-01T00:00:00Z"}}', 'parsing time "2024-13-01T00:00:00Z": month out of range'],
  [
    'Deployment',
    '{"metadata":{"labels":{"a":1}}}',
    'json: cannot unmarshal number into Go struct field ObjectMeta.metadata.labels of type string',
  ],
  [
    'Deployment',
    '{"metadata":{"labels":["a"]}}',
    'json: cannot unmarshal array into Go struct field ObjectMeta.metadata.labels of type map[string]string',
  ],
  ['Secret', '{"data":{"a":"###"}}', 'illegal base64 data at input byte 0'],
  ['Secret', '{"data":{"a":"YQ"}}', 'illegal base64 data at input byte 0'],
  [
    'CustomResourceDefinition',
    crd('{"properties":{"a":{"items":{"type":5}}}}'),
    'json: cannot unmarshal number into Go struct field JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.items.type of type string',
  ],
  ['CustomResourceDefinition', crd('{"additionalProperties":5}'), 'boolean or JSON schema expected'],
];

for (const [kind, body, message] of refusals)
  test(`a ${kind} ${body} is refused as Go refuses it`, () => assert.throws(() => shape(kind, body), { message }));

test('the answer to an undecodable body names the kind and its version', () => {
  const error = undecodableBody('Deployment', 'v1', new Error('json: wrong'));
  assert.deepEqual([error.code, error.message], [400, 'Deployment in version "v1" cannot be handled as a Deployment: json: wrong']);
});

// Forms that Go prints, as observed on a kube-apiserver 1.36.3.
const forms: [why: string, kind: keyof typeof kinds, body: string, printed: string][] = [
  [
    'null in a map is its zero value',
    'ConfigMap',
    '{"data":{"b":"x","a":null},"binaryData":{"z":null}}',
    '{"metadata":{},"data":{"a":"","b":"x"},"binaryData":{"z":""}}',
  ],
  ['bits beyond the last byte are dropped', 'Secret', '{"data":{"a":"YR=="}}', '{"metadata":{},"data":{"a":"YQ=="}}'],
  ['an empty list that is always printed stays', 'Role', '{"rules":[]}', '{"metadata":{},"rules":[]}'],
  ['a list that is always printed is null when absent', 'Role', '{}', '{"metadata":{},"rules":null}'],
  [
    'empty structs are printed',
    'Deployment',
    '{"metadata":{"name":"d"}}',
    '{"metadata":{"name":"d"},"spec":{"selector":null,"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
  ],
  [
    'a pointer keeps its zero',
    'Deployment',
    '{"spec":{"replicas":0,"paused":false,"selector":{}}}',
    '{"metadata":{},"spec":{"replicas":0,"selector":{},"template":{"metadata":{},"spec":{"containers":null}},"strategy":{}},"status":{}}',
  ],
  ['a null time is not printed in metadata', 'ConfigMap', '{"metadata":{"creationTimestamp":null}}', '{"metadata":{}}'],
  [
    'times become UTC',
    'ConfigMap',
    '{"metadata":{"creationTimestamp":"2024-05-01T02:30:00.5+02:00"}}',
    '{"metadata":{"creationTimestamp":"2024-05-01T00:30:00Z"}}',
  ],
  [
    'microseconds stay',
    'Lease',
    '{"spec":{"renewTime":"2024-05-01T02:30:00.000001+02:00"}}',
    '{"metadata":{},"spec":{"renewTime":"2024-05-01T00:30:00.000001Z"}}',
  ],
];

for (const [why, kind, body, printed] of forms) test(`${why}: ${kind} ${body}`, () => assert.equal(printJson(shape(kind, body)), printed));

test('a divisor that was never set is printed as zero, and quantities are normalised', () => {
  const body = container(
    '"name":"a","env":[{"name":"E","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu"}}}],"resources":{"limits":{"memory":"1024Mi","cpu":"1000m"},"requests":{"cpu":0.5,"memory":"1.5Gi"}}',
  );
  assert.equal(
    printJson((shape('Deployment', body) as { spec: { template: { spec: unknown } } }).spec.template.spec),
    '{"containers":[{"name":"a","env":[{"name":"E","valueFrom":{"resourceFieldRef":{"resource":"limits.cpu","divisor":"0"}}}],"resources":{"limits":{"cpu":"1","memory":"1Gi"},"requests":{"cpu":"500m","memory":"1536Mi"}}}]}',
  );
});

test('unknown fields are dropped and named by their path, but not within schemas that stand beside something else', () => {
  const problems: string[] = [];
  shape('Role', '{"foo":1,"rules":[{"verbs":["get"],"bar":[{}]}],"Metadata":{}}', problems);
  shape('Deployment', container('"foo":1'), problems);
  shape('CustomResourceDefinition', crd('{"foo":1,"properties":{"a":{"bar":1,"items":{"baz":1}}}}'), problems);
  assert.deepEqual(problems, [
    'unknown field "foo"',
    'unknown field "rules[0].bar"',
    'unknown field "Metadata"',
    'unknown field "spec.template.spec.containers[0].foo"',
    'unknown field "spec.versions[0].schema.openAPIV3Schema.foo"',
    'unknown field "spec.versions[0].schema.openAPIV3Schema.properties.a.bar"',
  ]);
});

test('integers beyond doubles survive', () => {
  assert.equal(
    printJson(shape('ConfigMap', '{"metadata":{"generation":9007199254740993}}')),
    '{"metadata":{"generation":9007199254740993}}',
  );
});

test('a key that names the prototype is only a key', () => {
  const shaped = shape('ConfigMap', '{"data":{"__proto__":"x"}}');
  assert.equal(printJson(shaped), '{"metadata":{},"data":{"__proto__":"x"}}');
});

test('shaping twice changes nothing more', () => {
  const struct = structOfKind(kinds.Deployment)!;
  const text = fc.constantFrom('', 'a', '1', '1024Mi', '1500m', '0.1', '2024-05-01T02:30:00+02:00');
  const leaf = fc.oneof(text, fc.constantFrom(null, 0, 1, -5, 1.5, true, false));
  const names = [
    'metadata',
    'spec',
    'template',
    'containers',
    'replicas',
    'resources',
    'limits',
    'labels',
    'strategy',
    'status',
    'cpu',
    'name',
  ];
  const { tree } = fc.letrec<{ tree: unknown }>(tie => ({
    tree: fc.oneof({ maxDepth: 6 }, leaf, fc.dictionary(fc.constantFrom(...names), tie('tree')), fc.array(tie('tree'), { maxLength: 2 })),
  }));
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...names), tree), body => {
      let once: JsonObject;
      try {
        once = shapeObject(struct, body as JsonObject, []);
      } catch {
        return;
      }
      const problems: string[] = [];
      assert.deepEqual(shapeObject(struct, once, problems), once);
      assert.deepEqual(problems, []);
    }),
    { numRuns: 500 },
  );
});
