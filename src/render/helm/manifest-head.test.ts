import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { slowHead } from './manifest-head.ts';
import { quickHead } from './quick-head.ts';

const deployment = `# Source: x
apiVersion: apps/v1
kind: Deployment
metadata:
  name: "web"
  labels:
    app: web
  annotations:
    helm.sh/hook: pre-install,post-install
    helm.sh/hook-weight: "-5"
    note: |
      several
      lines
spec:
  replicas: 1
  template:
    spec:
      containers:
      - name: web
        args: ["--port=80", '-v']
        image: example.com/web:1.0@sha256:ab
        command:
          - sh
          - -c
          - |
            set -e

            run # not a comment
        env:
        -
          name: A
          value: 'it''s'
      volumes: []
      nodeSelector: {}
`;

describe('the quick reader of heads', () => {
  test('reads manifests as people write them', () => {
    assert.deepEqual(quickHead(deployment), {
      kind: 'Deployment',
      name: 'web',
      annotations: { 'helm.sh/hook': 'pre-install,post-install', 'helm.sh/hook-weight': '-5', note: '' },
    });
  });

  test('gives up where YAML could mean something else', () => {
    const texts = [
      'kind: yes',
      'kind: &a Job',
      'a: b: c',
      'a: b\n  c',
      'kind: Job\n kind: x',
      '- a',
      'hello',
      'kind: Job\nmetadata: {name: a}',
      'Kind: Job',
      'a: "b',
      'a: .inf',
      'a:\n\tb: c',
    ];
    for (const text of texts) assert.equal(quickHead(text), undefined, text);
  });

  // Pieces that make lines which are nearly right.
  const lines = [
    ...deployment.split('\n'),
    'a: b',
    '  a:',
    '- x',
    '  - x',
    '- ',
    '-',
    'key: |',
    '  key: >-',
    '   text',
    '#c',
    ' # c',
    '',
    '  ',
    'kind: Job',
    'kind:',
    'metadata:',
    ' name: a',
    'a: b: c',
    'a: {b: c}',
    '"a b": c',
    "'q': 'x",
    'a: "\\q"',
    'x: y #z',
    'x: y#z',
    'n: 1e999',
    'a: *b',
    '- - a',
    '- a: b',
    '  c: d',
    '    e:',
    'true: 1',
    'a: -',
    'a: - b',
    'a: ]',
    'a: [b, c]',
    '? a',
    'a: !t b',
    '...',
    '%x',
    'a:b',
    'a : b',
    'a:  b  ',
    '---',
    '{}',
    '  {}',
    '    []',
    '- :8080',
    'a: :x',
    ' name: system:a',
    'apiVersion: "v1"',
    'annotations:',
    '  annotations:',
  ];
  const texts = fc
    .array(
      fc.oneof(
        fc.constantFrom(...lines),
        fc.tuple(fc.integer({ min: 0, max: 6 }), fc.constantFrom(...lines)).map(([spaces, line]) => ' '.repeat(spaces) + line),
      ),
      { maxLength: 12 },
    )
    .map(all => all.join('\n'));

  test('agrees with a real reader wherever it says something', () => {
    let answered = 0;
    fc.assert(
      fc.property(texts, text => {
        const quick = quickHead(text);
        if (!quick) return;
        answered++;
        const slow = slowHead('x', text);
        assert.deepEqual({ kind: quick.kind, name: quick.name }, { kind: slow.kind, name: slow.name });
        assert.deepEqual(Object.keys(quick.annotations).sort(), Object.keys(slow.annotations).sort());
        for (const key of Object.keys(quick.annotations))
          if (key.startsWith('helm.sh/')) assert.equal(quick.annotations[key], slow.annotations[key]);
      }),
      { numRuns: 20_000 },
    );
    assert.ok(answered > 1000, `${answered}`);
  });
});

test('heads are decoded as Go decodes them', () => {
  assert.deepEqual(slowHead('x', 'kind: 5\nMetadata: {name: 7.50, annotations: {a: true, b: null, helm.sh/hook-weight: 3}}'), {
    kind: '5',
    name: '7.5',
    annotations: { a: 'true', b: '', 'helm.sh/hook-weight': '3' },
  });
  const refused: Readonly<Record<string, string>> = {
    hello: 'cannot unmarshal string into Go value of type util.SimpleHead',
    'kind: [a]': 'cannot unmarshal array into Go struct field SimpleHead.kind of type string',
    'metadata: {annotations: {x: {a: b}}}': 'cannot unmarshal object into Go struct field .metadata.annotations of type string',
    'metadata: {annotations: [x]}': 'cannot unmarshal array into Go struct field .metadata.annotations of type map[string]string',
  };
  for (const [text, words] of Object.entries(refused)) {
    assert.throws(() => slowHead('x', text), {
      message: `YAML parse error on x: error unmarshaling JSON: while decoding JSON: json: ${words}`,
    });
  }
});
