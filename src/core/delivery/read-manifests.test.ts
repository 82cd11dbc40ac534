import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { workReasons } from '../../api/work.ts';
import type { KubeObject } from '../../api/object.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import { DeliveryError } from './delivery-error.ts';
import { startMemoryMember, widgetDefinition } from './member-test-support.ts';
import { refOf, refText } from './object-ref.ts';
import { parseManifests, placeObjects, readManifests } from './read-manifests.ts';

const names = (objects: readonly KubeObject[]) => objects.map(obj => refText(refOf(obj)));
const map = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`;
/** With a character of which YAML takes no halves. */
const json = (name: string) => `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"smile":"\\ud83d\\ude00"}}`;

test('documents are read, empty ones left out', () => {
  const texts: [text: string, expected: string[]][] = [
    ['', []],
    ['\n---\n# nothing\n---\n', []],
    ['null', []],
    [`${map('a')}---\n${map('b')}`, ['ConfigMap a', 'ConfigMap b']],
    [`---\r\n${map('a').replaceAll('\n', '\r\n')}---\r\n${map('b')}`, ['ConfigMap a', 'ConfigMap b']],
    [`${map('a')}--- # the next one\n${map('b')}`, ['ConfigMap a', 'ConfigMap b']],
    [`--- {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}}\n---\n${map('b')}`, ['ConfigMap a', 'ConfigMap b']],
    [`%YAML 1.1\n---\n${map('a')}...\n${map('b')}`, ['ConfigMap a', 'ConfigMap b']],
    [`\ufeff${map('a')}`, ['ConfigMap a']],
    [`${map('a')}data:\n  pem: |\n    -----BEGIN CERTIFICATE-----\n    ---\n`, ['ConfigMap a']],
    ['{"apiVersion":"v1","kind":"List","items":[{"apiVersion":"v1","kind":"Secret","metadata":{"name":"s"}}]}', ['Secret s']],
    ['{"apiVersion":"v1","kind":"SecretList","metadata":{},"items":[{"metadata":{"name":"s"}}]}', ['Secret s']],
    ['{"apiVersion":"v1","kind":"List","items":[]}', []],
    [`${json('a')}\n${json('b')}\n---\n${map('c')}---\n${json('d')}`, ['ConfigMap a', 'ConfigMap b', 'ConfigMap c', 'ConfigMap d']],
  ];
  for (const [text, expected] of texts) assert.deepEqual(names(parseManifests(text)), expected, text);
});

test('what is wrong is named with its document, kind and name', () => {
  const texts: [text: string, words: RegExp][] = [
    [`${map('a')}---\na: [`, /^document 2: yaml: /],
    ['just text', /^document 1: not an object$/],
    ['apiVersion: v1\nmetadata: {name: x}', /^document 1: kind is missing$/],
    ['kind: ConfigMap\nmetadata: {name: x}', /^document 1: ConfigMap: apiVersion is missing$/],
    ['apiVersion: v1\nkind: ConfigMap', /^document 1: ConfigMap: metadata is missing$/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {}', /^document 1: ConfigMap: metadata\.name is missing$/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: 1}', /metadata\.name must be a text, not 1$/],
    ['apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, labels: [a]}', /^document 1: ConfigMap "x": metadata\.labels must be a map/],
    [
      'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, annotations: {on: true}}',
      /metadata\.annotations\.true must be a text, not true$/,
    ],
    ['apiVersion: v1\nkind: List\nitems: [1]', /^document 1: item 1: not an object$/],
    ['apiVersion: v1\nkind: ConfigMapList\nitems: [{}]', /^document 1: item 1: ConfigMap: metadata is missing$/],
  ];
  for (const [text, words] of texts) {
    assert.throws(
      () => parseManifests(text),
      (error: unknown) => {
        assert.ok(error instanceof DeliveryError && error.isFinal && error.reason === workReasons.renderFailed, text);
        assert.match(error.message, words, text);
        return true;
      },
    );
  }
});

test('no text makes reading fail in any other way', () => {
  const piece = fc.constantFrom(
    '---\n',
    '...\n',
    'kind: List\n',
    'items:\n',
    '- ',
    'apiVersion: v1\n',
    'metadata: {name: x}\n',
    '# \n',
    '%YAML',
    '&a',
    '*a',
    '\t',
  );
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fc.oneof(piece, fc.string())).map(parts => parts.join('')),
      ),
      text => {
        try {
          parseManifests(text);
        } catch (error) {
          assert.ok(error instanceof DeliveryError, String(error));
        }
      },
    ),
  );
});

test('whatever objects are written are read again', () => {
  const name = fc.stringMatching(/^[a-z][a-z0-9-]{0,20}$/);
  const obj = fc.record({
    apiVersion: fc.constant('v1'),
    kind: fc.constant('ConfigMap'),
    metadata: fc.record({ name }),
    data: fc.dictionary(name, fc.string()),
  });
  fc.assert(
    fc.property(fc.array(obj), objects => {
      const text = objects.map(one => `---\n${writeYaml(one)}`).join('\n');
      assert.deepEqual(JSON.parse(JSON.stringify(parseManifests(text))), JSON.parse(JSON.stringify(objects)));
    }),
  );
});

test('objects get the namespace that their kind needs', async t => {
  const member = await startMemoryMember(t);
  const text = [
    map('a'),
    map('b').replace('name: b', 'name: b\n  namespace: other'),
    'apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: c, namespace: other}',
    'apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: d}',
    writeYaml(widgetDefinition as never),
  ].join('\n---\n');
  const objects = await readManifests(member, text, { namespace: 'shop', signal: member.signal });
  assert.deepEqual(names(objects), [
    'ConfigMap shop/a',
    'ConfigMap other/b',
    'ClusterRole c',
    'Widget shop/d',
    'CustomResourceDefinition widgets.example.com',
  ]);
});

test('kinds that the member does not have are named, or kept as they are', async t => {
  const member = await startMemoryMember(t);
  const gadget = { apiVersion: 'example.com/v1', kind: 'Gadget', metadata: { name: 'g' } };
  const options = { namespace: 'shop', signal: member.signal };
  await assert.rejects(placeObjects(member, [gadget], options), /kind Gadget in example\.com\/v1/);
  assert.deepEqual(names(await placeObjects(member, [gadget], { ...options, unknownKinds: 'keep' })), ['Gadget g']);
  await assert.rejects(placeObjects(member, [gadget, { kind: 'X' }], options), /^DeliveryError: object 2: X: apiVersion is missing$/);
});

test('a generated name follows from object and owner, and is never too long', async t => {
  const member = await startMemoryMember(t);
  const task = { apiVersion: 'batch/v1', kind: 'Job', metadata: { generateName: `${'t'.repeat(70)}-` } };
  const nameFor = async (work: string) => {
    const [job] = await placeObjects(member, [task], { namespace: 'shop', owner: { work }, signal: member.signal });
    return job!.metadata.name!;
  };
  assert.equal(await nameFor('a'), await nameFor('a'));
  assert.notEqual(await nameFor('a'), await nameFor('b'));
  assert.equal((await nameFor('a')).length, 63);
});
