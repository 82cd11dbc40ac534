import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMemoryServer } from '../../test/helpers/memory-server.ts';
import { CustomResourceDefinition } from '../api/builtin-kinds.ts';
import type { KubeObject } from '../api/object.ts';
import { isJsonObject, type JsonObject } from '../util/json.ts';
import { hubKinds } from './hub-kinds.ts';
import { installKinds } from './install-kinds.ts';

/** Paths of fields that say nothing about themselves, or do not say it in a sentence. */
function undescribed(schema: JsonObject, path: string): string[] {
  const { description, properties, items, additionalProperties } = schema;
  const isSentence = typeof description === 'string' && /^[A-Z"].*[.?]$/s.test(description);
  return [
    ...(isSentence ? [] : [path]),
    ...Object.entries(isJsonObject(properties) ? properties : {}).flatMap(([name, field]) =>
      undescribed(field as JsonObject, `${path}.${name}`),
    ),
    ...(isJsonObject(items) ? undescribed(items, `${path}[]`) : []),
    ...(isJsonObject(additionalProperties) ? undescribed(additionalProperties, `${path}{}`) : []),
  ];
}

for (const kind of hubKinds) {
  const { spec } = kind.definition() as KubeObject & CustomResourceDefinition;
  test(`every field of ${kind.kind}.${kind.group} is described in a sentence`, () => {
    const { properties } = spec!.versions[0]!.schema!.openAPIV3Schema as unknown as JsonObject;
    const { apiVersion: _, kind: __, metadata: ___, ...own } = properties as Record<string, JsonObject>;
    assert.deepEqual(
      Object.entries(own).flatMap(([name, field]) => undescribed(field, name)),
      [],
    );
  });
}

test('objects of our own kinds that nobody has looked at yet are under way for all who wait', () => {
  const own = hubKinds.filter(({ group }) => group.endsWith('drover.io'));
  const statusOf = (kind: (typeof own)[number]) => {
    const { spec } = kind.definition() as KubeObject & CustomResourceDefinition;
    const { properties } = spec!.versions[0]!.schema!.openAPIV3Schema as unknown as { properties: Record<string, JsonObject> };
    return properties['status'];
  };
  const wrong = own.filter(kind => {
    const status = statusOf(kind);
    return isJsonObject(status?.['properties']) && 'conditions' in status['properties'] && status['default'] === undefined;
  });
  assert.ok(own.length > 10);
  assert.deepEqual(
    wrong.map(({ kind }) => kind),
    [],
  );
});

test('kinds are installed once, and written again only when they differ', async t => {
  const { client } = await startMemoryServer(t);
  await installKinds(client, hubKinds, t.signal);
  const versions = async () => (await client.list(CustomResourceDefinition)).items.map(one => one.metadata.resourceVersion);
  const before = await versions();
  await installKinds(client, hubKinds, t.signal);
  assert.deepEqual(await versions(), before);

  const [first, ...rest] = hubKinds;
  const definition = first!.definition();
  const changed = { definition: () => ({ ...definition, metadata: { ...definition.metadata, labels: { changed: 'yes' } } }) };
  await installKinds(client, [changed, ...rest], t.signal);
  assert.notDeepEqual(await versions(), before);
});

test('a kind whose names are taken is an error that says so', async t => {
  const { client } = await startMemoryServer(t);
  await installKinds(client, hubKinds, t.signal);
  const definition = hubKinds[0]!.definition() as KubeObject & CustomResourceDefinition;
  const names = {
    ...definition.spec!.names,
    plural: 'others',
    kind: 'Other',
    singular: definition.spec!.names.singular,
    listKind: 'OtherList',
  };
  const other = {
    ...definition,
    metadata: { name: `others.${definition.spec!.group}` },
    spec: { ...definition.spec!, names },
  } as KubeObject;
  await assert.rejects(
    installKinds(client, [{ definition: () => other }], t.signal, { timeoutMs: 500 }),
    /the hub does not serve "others\..*": .*already in use/,
  );
});
