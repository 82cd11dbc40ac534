import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { CustomResourceDefinition } from '../api/builtin-kinds.ts';
import { whyInert } from '../api/inert-fields.ts';
import { valuesOf, type OpenApiSchema } from '../api/openapi-schema.ts';
import { hubKinds } from './hub-kinds.ts';

const root = path.join(import.meta.dirname, '..');
/** Known by other names where they are read, or written by the hub alone. */
const readElsewhere = new Set(['runOn', 'lastLogin']);

/** Every word of the sources that act upon objects; what is not among them nobody reads. */
function wordsOfSources(): ReadonlySet<string> {
  const isActing = (file: string) => !/\.test\.ts$|\/kinds\/|^(ui|apiserver|sandbox)\//.test(file);
  const files = globSync('**/*.ts', { cwd: root }).filter(isActing);
  return new Set(files.flatMap(file => readFileSync(path.join(root, file), 'utf8').match(/\w+/g) ?? []));
}

/** Fields that people write and that are not said to be inert. */
function* fieldsOf(schema: OpenApiSchema, at: string): Generator<{ name: string; path: string }> {
  if (whyInert(schema.description) !== undefined) return;
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (whyInert(field.description) !== undefined) continue;
    yield { name, path: `${at}.${name}` };
    yield* fieldsOf(field, `${at}.${name}`);
  }
  if (schema.items) yield* fieldsOf(schema.items, `${at}[]`);
  const values = valuesOf(schema);
  if (values) yield* fieldsOf(values, `${at}{}`);
}

test('a field of a dialect that no code names is said to be inert', () => {
  const words = wordsOfSources();
  const silent = hubKinds.flatMap(kind => {
    const { spec } = kind.definition() as CustomResourceDefinition;
    const { properties = {} } = spec!.versions[0]!.schema!.openAPIV3Schema as OpenApiSchema;
    const { apiVersion: _, kind: __, metadata: ___, status: ____, ...own } = properties;
    return [...fieldsOf({ properties: own }, kind.kind)].filter(({ name }) => !words.has(name) && !readElsewhere.has(name));
  });
  assert.deepEqual(
    silent.map(one => one.path),
    [],
    'act upon them, or describe them with inert(…)',
  );
});
