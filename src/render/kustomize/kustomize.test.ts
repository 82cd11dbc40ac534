import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { readOverlayCases } from '../../../test/kustomize/overlay-cases.ts';
import { readYaml } from '../../yaml/read-yaml.ts';
import type { KustomizeBounds } from './build-context.ts';
import { BoundError, KustomizeError } from './kustomize-error.ts';
import { kustomize } from './kustomize.ts';
import { RemoteError } from './loader.ts';

const recordedFile = path.join(import.meta.dirname, '../../../test/kustomize/recorded-answers.json');
/** What the real program gave; null where it refused. */
const recorded = JSON.parse(readFileSync(recordedFile, 'utf8')) as Record<string, string | null>;

const encoder = new TextEncoder();

function build(files: Readonly<Record<string, string>>, folder = '.', bounds: KustomizeBounds = {}): string {
  return kustomize(new Map(Object.entries(files).map(([name, text]) => [name, encoder.encode(text)])), folder, bounds);
}

describe('overlays are built as the real program builds them', () => {
  const cases = readOverlayCases();
  assert.ok(cases.length >= 120);
  for (const { name, files, folder } of cases) {
    test(name, () => {
      const expected = recorded[name];
      assert.notEqual(expected, undefined, 'not recorded: run npm run test:kustomize -- --record');
      if (expected === null) assert.throws(() => kustomize(files, folder), KustomizeError);
      else assert.equal(kustomize(files, folder), expected);
    });
  }
});

const pod = 'apiVersion: v1\nkind: Pod\nmetadata: {name: p}\n';

test('files are left as they are', () => {
  const bytes = encoder.encode(pod);
  const files = new Map([
    ['kustomization.yaml', encoder.encode('resources: [p.yaml]\nnamePrefix: x-\n')],
    ['p.yaml', bytes],
  ]);
  assert.equal(kustomize(files, ''), kustomize(files, ''));
  assert.deepEqual(bytes, encoder.encode(pod));
});

test('nothing but the files given is read', () => {
  const refused = (resource: string) =>
    assert.throws(() => build({ 'kustomization.yaml': `resources: ["${resource}"]\n` }), { message: /^remote resource ".*" is refused/ });
  refused('https://example.com/a.yaml');
  refused('http://169.254.169.254/latest');
  refused('github.com/org/repo//path?ref=v1');
  refused('git@github.com:org/repo.git');
  refused('ssh://git@host/org/repo');
  refused('git::https://host/org/repo');
  refused('file:///etc');
  assert.throws(() => build({ 'kustomization.yaml': 'components: ["https://example.com/x"]\n' }), RemoteError);
  assert.throws(() => build({ 'kustomization.yaml': 'patches: [{path: "https://example.com/x"}]\n' }), RemoteError);
  assert.throws(() => build({ 'kustomization.yaml': 'openapi: {path: "https://example.com/x"}\n' }), RemoteError);
});

test('no path leads out of the tree', () => {
  for (const name of ['../x.yaml', '../../../../etc/passwd', '/etc/passwd', 'a/../../x.yaml']) {
    for (const field of [`resources: ["${name}"]`, `configMapGenerator: [{name: c, files: ["${name}"]}]`, `components: ["${name}"]`]) {
      assert.throws(() => build({ 'kustomization.yaml': `${field}\n`, 'x.yaml': pod }), KustomizeError, field);
    }
  }
  assert.throws(() => build({ '../kustomization.yaml': 'resources: []\n' }), {
    message: 'file "../kustomization.yaml" leads out of its tree',
  });
});

test('aliases cannot make a small text large', () => {
  const lines = ['a: &l0 [x, x, x, x, x, x, x, x, x, x]'];
  for (let i = 1; i < 9; i++)
    lines.push(
      `k${i}: &l${i} [${Array(10)
        .fill(`*l${i - 1}`)
        .join(', ')}]`,
    );
  assert.throws(() => build({ 'kustomization.yaml': 'resources: [p.yaml]\n', 'p.yaml': `${pod}${lines.join('\n')}\n` }), BoundError);
  const merges = ['l0: &l0 {v: 1}'];
  for (let i = 1; i < 30; i++) merges.push(`l${i}: &l${i} {p: {<<: *l${i - 1}}, q: {<<: *l${i - 1}}}`);
  assert.throws(() => build({ 'kustomization.yaml': 'resources: [p.yaml]\n', 'p.yaml': `${pod}${merges.join('\n')}\n` }), BoundError);
  assert.throws(() => build({ 'kustomization.yaml': 'resources: [p.yaml]\n', 'p.yaml': `${pod}a: &a [*a]\n` }), KustomizeError);
});

test('deep nesting is refused', () => {
  const deep = `${pod}a: ${'['.repeat(5000)}${']'.repeat(5000)}\n`;
  assert.throws(() => build({ 'kustomization.yaml': 'resources: [p.yaml]\n', 'p.yaml': deep }), BoundError);
});

test('deep values of a patch are refused, too', () => {
  const patch = `[{"op": "add", "path": "/a", "value": ${'['.repeat(9000)}${']'.repeat(9000)}}]`;
  const files = {
    'kustomization.yaml': 'resources: [p.yaml]\npatches: [{path: p.json, target: {kind: Pod}}]\n',
    'p.yaml': pod,
    'p.json': patch,
  };
  assert.throws(() => build(files), KustomizeError);
});

test('a JSON patch cannot copy without end', () => {
  const copies = Array.from({ length: 40 }, (_, i) => ({ op: 'copy', from: '/spec', path: `/spec/c${i}` }));
  const patch = JSON.stringify([{ op: 'add', path: '/spec', value: { text: 'x'.repeat(1000) } }, ...copies]);
  const files = {
    'kustomization.yaml': `resources: [p.yaml]\npatches: [{path: p.json, target: {kind: Pod}}]\n`,
    'p.yaml': pod,
    'p.json': patch,
  };
  assert.throws(() => build(files), BoundError);
});

test('bounds are kept', () => {
  const files = {
    'kustomization.yaml': 'resources: [p.yaml, q]\n',
    'p.yaml': pod,
    'q/kustomization.yaml': 'resources: [q.yaml]\n',
    'q/q.yaml': pod.replace('p}', 'q}'),
  };
  assert.match(build(files), /name: q/);
  assert.throws(() => build(files, '.', { maxFiles: 3 }), { message: 'kustomization reads more than 3 files' });
  assert.throws(() => build(files, '.', { maxFileBytes: 20 }), BoundError);
  assert.throws(() => build(files, '.', { maxDepth: 0 }), { message: 'kustomizations are nested more than 0 deep' });
  assert.throws(() => build(files, '.', { maxResources: 1 }), { message: 'kustomization has more than 1 resources' });
  assert.throws(() => build(files, '.', { maxOutputBytes: 50 }), { message: 'kustomization gives more than 50 bytes' });
  assert.throws(() => build(files, '.', { timeoutMs: -1 }), { message: 'kustomization takes longer than -1 ms' });
});

test('any kustomization ends in a text or a KustomizeError', () => {
  const word = fc.constantFrom('a', 'p.yaml', '..', 'q', 'x', 'Pod', 'p', 'name', '$(X)', '[', 'true', '1');
  const value = fc.letrec(tie => ({
    node: fc.oneof(
      { maxDepth: 3 },
      word,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('node'), { maxLength: 3 }),
      fc.dictionary(word, tie('node'), { maxKeys: 3 }),
    ),
  })).node;
  const fields = [
    'resources',
    'patches',
    'images',
    'labels',
    'replacements',
    'vars',
    'replicas',
    'configMapGenerator',
    'components',
    'namespace',
    'transformers',
    'crds',
  ];
  fc.assert(
    fc.property(fc.dictionary(fc.constantFrom(...fields), value), value, (kustomization, extra) => {
      const files = {
        'kustomization.yaml': JSON.stringify({ ...kustomization }),
        'p.yaml': `${pod}spec: ${JSON.stringify(extra)}\n`,
        'q/kustomization.yaml': 'resources: [p.yaml]\n',
        'q/p.yaml': pod,
      };
      try {
        assert.equal(typeof build(files), 'string');
      } catch (error) {
        assert.ok(error instanceof KustomizeError, String((error as Error).stack));
      }
    }),
    { numRuns: 300 },
  );
});

const json = fc.jsonValue({ maxDepth: 3 }).filter(value => !/\\u[0-9a-f]{4}|[0-9]{16}|-0(?![.0-9])/.test(JSON.stringify(value)));

test('what is written as JSON comes out with the same meaning, through patches too', () => {
  fc.assert(
    fc.property(json, json, (spec, added) => {
      const patch = [{ op: 'add', path: '/added', value: added }];
      const files = {
        'kustomization.yaml': JSON.stringify({
          resources: ['p.yaml'],
          patches: [{ target: { kind: 'Thing' }, patch: JSON.stringify(patch) }],
        }),
        'p.yaml': JSON.stringify({ apiVersion: 'v1', kind: 'Thing', metadata: { name: 't' }, spec }),
      };
      const expected = { apiVersion: 'v1', kind: 'Thing', metadata: { name: 't' }, spec, added };
      assert.deepEqual(JSON.parse(JSON.stringify(readYaml(build(files)).value)), JSON.parse(JSON.stringify(expected)));
    }),
    { numRuns: 200 },
  );
});

test('bytes that are no text are refused where text is wanted', () => {
  const files = new Map([
    ['kustomization.yaml', encoder.encode('resources: [p.yaml]\n')],
    ['p.yaml', Uint8Array.of(0x61, 0x3a, 0x20, 0xff, 0xfe)],
  ]);
  assert.throws(() => kustomize(files, '.'), { message: /invalid leading UTF-8 octet/ });
});

test('no key reaches a prototype', () => {
  const text = build({
    'kustomization.yaml': 'resources: [p.yaml]\ncommonAnnotations: {a: b}\n',
    'p.yaml': `${pod}__proto__: {polluted: 1}\nconstructor: 2\n`,
  });
  assert.match(text, /^__proto__:\n {2}polluted: 1$/m);
  assert.equal(({} as { polluted?: unknown }).polluted, undefined);
});
