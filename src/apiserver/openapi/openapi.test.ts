import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { Json, JsonObject } from '../../util/json.ts';
import { builtinResources } from '../facts/facts.ts';
import { openApiV2Document } from './document-v2.ts';
import { openApiV3Document } from './document-v3.ts';
import { OpenApiDocuments } from './openapi-documents.ts';
import type { PublishedResource } from './operations.ts';

type Document = { paths: Record<string, Record<string, JsonObject>>; components: { schemas: Record<string, JsonObject> } };

const builtins: PublishedResource[] = builtinResources().map(fact => ({ ...fact, isCustom: false }));
const widgets: PublishedResource = {
  group: 'ex.io',
  version: 'v1',
  resource: 'widgets',
  kind: 'Widget',
  listKind: 'WidgetList',
  namespaced: true,
  verbs: ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'],
  subresources: [{ name: 'scale', kind: { group: 'autoscaling', version: 'v1', kind: 'Scale' }, verbs: ['get', 'patch', 'update'] }],
  isCustom: true,
};
const declared: JsonObject = {
  type: 'object',
  description: 'A widget.',
  properties: {
    spec: {
      type: 'object',
      required: ['n', 'replicas'],
      properties: {
        replicas: { type: 'integer', default: 1 },
        q: { 'x-kubernetes-int-or-string': true },
        any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        n: { type: 'string', nullable: true },
        e: { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
  },
};
const schemas = new Map([['ex.io/v1/Widget', declared]]);

function sources(): string | undefined {
  try {
    const cwd = join(import.meta.dirname, '../../../test/rig/kubernetes');
    return execFileSync('go', ['list', '-m', '-f', '{{.Dir}}', 'k8s.io/kubernetes'], { cwd, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return undefined;
  }
}
const dir = sources();

/** The published files were made without enumerations, which a running server has. */
function bare(value: Json): Json {
  if (Array.isArray(value)) return value.map(bare);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(
    ([key, inner]) => !(key === 'description' && typeof inner === 'string') && !(key === 'enum' && Array.isArray(inner)),
  );
  return Object.fromEntries(kept.map(([key, inner]) => [key, bare(inner)]));
}

test(
  'every schema of the built-in groups is the published one without its prose',
  { skip: dir === undefined && 'go is not installed' },
  () => {
    for (const gv of new Set(builtins.map(r => `${r.group}/${r.version}`))) {
      const [group, version] = gv.split('/') as [string, string];
      const file = group === '' ? 'api__v1_openapi.json' : `apis__${group}__${version}_openapi.json`;
      const published = JSON.parse(readFileSync(join(dir!, 'api/openapi-spec/v3', file), 'utf8')) as Document;
      const ours = openApiV3Document({ group, version }, builtins, new Map()) as unknown as Document;
      for (const [name, schema] of Object.entries(ours.components.schemas)) {
        // The published files name all groups, also those that are not served.
        if (/\.(?:DeleteOptions|WatchEvent)$/.test(name)) continue;
        assert.deepEqual(bare(schema), bare(published.components.schemas[name]!), `${file} ${name}`);
      }
    }
  },
);

test('kubectl finds the patch of a kind with fieldValidation, and strategic merges only for built-in kinds', () => {
  const apps = openApiV3Document({ group: 'apps', version: 'v1' }, builtins, new Map()) as unknown as Document;
  const patch = apps.paths['/apis/apps/v1/namespaces/{namespace}/deployments/{name}']!['patch'] as unknown as {
    parameters: { name: string }[];
    requestBody: { content: JsonObject };
  } & JsonObject;
  assert.deepEqual(patch['x-kubernetes-group-version-kind'], { group: 'apps', version: 'v1', kind: 'Deployment' });
  assert.deepEqual(
    patch.parameters.map(p => p.name),
    ['dryRun', 'fieldManager', 'fieldValidation', 'force'],
  );
  assert.ok('application/strategic-merge-patch+json' in patch.requestBody.content);

  const custom = openApiV3Document({ group: 'ex.io', version: 'v1' }, [widgets], schemas) as unknown as Document;
  const customPatch = custom.paths['/apis/ex.io/v1/namespaces/{namespace}/widgets/{name}']!['patch'] as unknown as {
    requestBody: { content: JsonObject };
  };
  assert.ok(!('application/strategic-merge-patch+json' in customPatch.requestBody.content));
});

// What a kube-apiserver 1.36.3 publishes for the same definition, without its prose.
test('a custom kind is published with what every object has', () => {
  const { components } = openApiV3Document({ group: 'ex.io', version: 'v1' }, [widgets], schemas) as unknown as Document;
  const metadata = { allOf: [{ $ref: '#/components/schemas/io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta' }] };
  const everyObject = {
    apiVersion: { type: 'string', description: 'APIVersion defines the versioned schema of this representation of an object.' },
    kind: { type: 'string', description: 'Kind is a string value representing the REST resource this object represents.' },
    metadata: { ...metadata, description: "Standard object's metadata." },
  };
  assert.deepEqual(components.schemas['io.ex.v1.Widget'], {
    description: 'A widget.',
    type: 'object',
    properties: {
      ...everyObject,
      spec: {
        type: 'object',
        required: ['n', 'replicas'],
        properties: {
          any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          e: {
            type: 'object',
            required: ['kind', 'apiVersion'],
            properties: everyObject,
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
          },
          n: { type: 'string', nullable: true },
          q: { anyOf: [{ type: 'integer' }, { type: 'string' }], 'x-kubernetes-int-or-string': true },
          replicas: { type: 'integer', default: 1 },
        },
      },
    },
    'x-kubernetes-group-version-kind': [{ group: 'ex.io', kind: 'Widget', version: 'v1' }],
  });
  assert.ok('io.k8s.api.autoscaling.v1.Scale' in components.schemas);
});

test('swagger leaves untyped what old clients would refuse', () => {
  const { definitions } = openApiV2Document([...builtins, widgets], schemas) as unknown as { definitions: Record<string, JsonObject> };
  assert.deepEqual((definitions['io.ex.v1.Widget']!['properties'] as JsonObject)['spec'], {
    type: 'object',
    required: ['replicas'],
    properties: {
      any: { 'x-kubernetes-preserve-unknown-fields': true },
      e: { 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
      n: {},
      q: { 'x-kubernetes-int-or-string': true },
      replicas: { type: 'integer' },
    },
  });
  assert.deepEqual(definitions['io.k8s.api.core.v1.ContainerPort'], {
    type: 'object',
    required: ['containerPort'],
    properties: {
      name: { type: 'string' },
      hostPort: { type: 'integer', format: 'int32' },
      containerPort: { type: 'integer', format: 'int32' },
      protocol: { type: 'string', enum: ['SCTP', 'TCP', 'UDP'] },
      hostIP: { type: 'string' },
    },
  });
});

test('documents are kept until what they tell changes', () => {
  let catalog = { generation: 1, resources: builtins, customSchemas: new Map<string, JsonObject>() };
  const documents = new OpenApiDocuments(() => catalog);
  const apps = documents.v3('apis/apps/v1');
  const swagger = documents.v2Protobuf();
  assert.equal(documents.v3('apis/ex.io/v1'), undefined);

  catalog = { generation: 2, resources: [...builtins, widgets], customSchemas: schemas };
  assert.equal(documents.v3('apis/apps/v1'), apps);
  const first = documents.v3('apis/ex.io/v1');
  assert.ok(first);
  assert.notEqual(documents.v2Protobuf().hash, swagger.hash);

  catalog = { ...catalog, generation: 3, customSchemas: new Map([['ex.io/v1/Widget', { type: 'object' }]]) };
  assert.notEqual(documents.v3('apis/ex.io/v1')!.hash, first.hash);
});

test('the root leads to every document by its hash', () => {
  const documents = new OpenApiDocuments(() => ({ generation: 1, resources: [...builtins, widgets], customSchemas: schemas }));
  const { paths } = documents.root() as { paths: Record<string, { serverRelativeURL: string }> };
  assert.ok(paths['api/v1'] && paths['apis/apps'] && paths['apis/ex.io/v1'] && !paths['apis/ex.io']);
  for (const [path, { serverRelativeURL }] of Object.entries(paths)) {
    const [, hash] = /^\/openapi\/v3\/.+\?hash=([0-9A-F]{128})$/.exec(serverRelativeURL) ?? [];
    assert.equal(documents.v3(path)?.hash, hash);
  }
});

test('the protobuf form begins with the version of swagger', () => {
  const { body } = new OpenApiDocuments(() => ({ generation: 1, resources: builtins, customSchemas: new Map() })).v2Protobuf();
  assert.equal(body.subarray(0, 5).toString('latin1'), '\n\u00032.0');
});

test('numbers beyond 2^53 are written into it as they are', () => {
  const most = 9223372036854775807n;
  const customSchemas = new Map([
    ['ex.io/v1/Widget', { type: 'object', properties: { n: { type: 'integer', default: most, enum: [most], maximum: most } } }],
  ]);
  const { body } = new OpenApiDocuments(() => ({ generation: 1, resources: [...builtins, widgets], customSchemas })).v2Protobuf();
  assert.ok(body.includes(`${most}\n`));
});
