import { apply, get, jsonPatch, merge, post, type Case } from '../case.ts';
import { crd, crdPath, established, served, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const json = { headers: { 'Content-Type': 'application/json' } };
const yaml = { headers: { 'Content-Type': 'application/yaml' } };
const nested = (depth: number, open: string, close: string): string => open.repeat(depth) + close.repeat(depth);

export const cases: readonly Case[] = [
  { name: 'a body over the limit', steps: [post(maps, `{"metadata":{"name":"a"},"data":{"k":"${'x'.repeat(3_200_000)}"}}`, json)] },
  { name: 'a body near the limit', steps: [post(maps, `{"metadata":{"name":"a"},"data":{"k":"${'x'.repeat(3_000_000)}"}}`, json)] },
  {
    name: 'a patch over the limit',
    steps: [
      post(maps, { metadata: { name: 'a' } }, { codeOnly: true }),
      merge(`${maps}/a`, `{"data":{"k":"${'x'.repeat(3_200_000)}"}}`),
      apply(`${maps}/a`, `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a"},"data":{"k":"${'x'.repeat(3_200_000)}"}}`),
    ],
  },
  {
    name: 'deep nesting in JSON',
    steps: [
      post(maps, `{"metadata":{"name":"a"},"x":${nested(5000, '[', ']')}}`, json),
      post(maps, `{"metadata":{"name":"a"},"x":${nested(20_000, '[', ']')}}`, { ...json, codeOnly: true }),
    ],
  },
  {
    name: 'deep nesting in YAML',
    steps: [
      post(maps, `metadata: {name: a}\nx: ${nested(5000, '[', ']')}\n`, yaml),
      post(maps, `metadata: {name: b}\nx: ${nested(20_000, '[', ']')}\n`, yaml),
      post(maps, `metadata: {name: c}\nx:\n  ${'- '.repeat(20_000)}\n`, yaml),
      apply(`${maps}/d`, `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: d}\nx: ${nested(20_000, '[', ']')}\n`),
    ],
  },
  {
    name: 'repeated keys in YAML',
    steps: ['Strict', 'Warn', 'Ignore'].flatMap(fieldValidation => [
      post(`${maps}?dryRun=All&fieldValidation=${fieldValidation}`, 'metadata: {name: a}\ndata:\n  k: a\n  k: b\n  l: a\n  l: b\n', yaml),
      post(`${maps}?dryRun=All&fieldValidation=${fieldValidation}`, '{"metadata":{"name":"a"},"data":{"k":"a","k":"b"}}', yaml),
      apply(
        `${maps}/a?dryRun=All&fieldValidation=${fieldValidation}`,
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  k: a\n  k: b\n',
      ),
    ]),
  },
  {
    name: 'a body that says it is compressed',
    steps: [
      post(maps, { metadata: { name: 'a' } }, { headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' } }),
      post(maps, '\u001f\u008b', { headers: { 'Content-Type': 'application/json', 'Content-Encoding': 'gzip' } }),
    ],
  },
  {
    name: 'deep nesting in a custom resource',
    steps: [
      post(crdPath, crd(), { codeOnly: true }),
      established,
      served,
      post(
        widgetPath,
        `{"apiVersion":"{{group}}/v1","kind":"Widget","metadata":{"name":"a"},"spec":${nested(500, '{"a":', '}').replace('}', '1}')}}`,
        json,
      ),
      post(widgetPath, `{"apiVersion":"{{group}}/v1","kind":"Widget","metadata":{"name":"b"},"spec":{"x":${nested(20_000, '[', ']')}}}`, {
        ...json,
        codeOnly: true,
      }),
    ],
  },
  {
    name: 'an alias bomb in YAML',
    steps: [
      post(
        maps,
        'a: &a ["x","x","x","x","x","x","x","x","x"]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: &f [*e,*e,*e,*e,*e,*e,*e,*e,*e]\ng: &g [*f,*f,*f,*f,*f,*f,*f,*f,*f]\nmetadata: {name: a}\n',
        { ...yaml, codeOnly: true },
      ),
    ],
  },
  {
    name: 'copies that grow',
    steps: [
      post(maps, { metadata: { name: 'a' }, data: { k: 'x'.repeat(100_000) } }, { codeOnly: true }),
      jsonPatch(
        `${maps}/a`,
        Array.from({ length: 100 }, (_, i) => ({ op: 'copy', from: '/data', path: `/data/k${i}` })),
      ),
    ],
  },
  {
    name: 'strange YAML',
    steps: [
      '',
      '---\n',
      '- a\n- b\n',
      'a: [',
      '\t',
      'metadata: {name: a}\n--- \nmetadata: {name: b}\n',
      '"just text"',
      'metadata:\n  name: a\n name: b\n',
      '%YAML 9.9\n---\nmetadata: {name: a}\n',
      'metadata: {name: !!binary YQ==}\n',
      '? [complex]\n: key\nmetadata: {name: c}\n',
      '1: 2\nmetadata: {name: d}\n',
      'metadata: {name: 0x10}\n',
      'metadata: {name: 2024-01-01}\n',
      'metadata: {name: e}\ndata: {yes: no, on: off}\n',
      '<<: {metadata: {name: f}}\n',
    ].map(body => post(`${maps}?dryRun=All`, body, yaml)),
  },
  {
    name: 'strange unicode',
    steps: [
      post(maps, '{"metadata":{"name":"a"},"data":{"k":"\\u0000"}}', json),
      post(maps, '{"metadata":{"name":"b"},"data":{"k":"\\ud83d\\ude00","l":"\u2028<>&"}}', json),
      post(
        maps,
        Buffer.concat([Buffer.from('{"metadata":{"name":"c"},"data":{"k":"'), Buffer.from([0xff, 0xfe]), Buffer.from('"}}')]),
        json,
      ),
      post(maps, Buffer.from('{"metadata":{"name":"d"}}', 'utf16le'), json),
      get(`${maps}/b`),
    ],
  },
  {
    name: 'strange numbers',
    steps: [
      '1e400',
      '-1',
      '1.0',
      '0.5',
      '9223372036854775807',
      '9223372036854775808',
      '1e2',
      '"5"',
      'true',
      'null',
      '[]',
      '01',
      '+1',
      '.5',
      'Infinity',
    ].map(n =>
      post(
        '/apis/apps/v1/namespaces/{{ns}}/deployments?dryRun=All',
        `{"metadata":{"name":"a"},"spec":{"replicas":${n},"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"i"}]}}}}`,
        json,
      ),
    ),
  },
  {
    name: 'wrong types everywhere',
    steps: [
      { spec: 'x' },
      { spec: [] },
      { spec: { containers: {} } },
      { spec: { containers: 'x' } },
      { spec: { containers: [null] } },
      { spec: { containers: ['x'] } },
      { spec: { containers: [{ name: 1 }] } },
      { spec: { containers: [{ ports: [{ containerPort: 'x' }] }] } },
      { spec: { containers: [{ args: [1] }] } },
      { spec: { hostNetwork: 'yes' } },
      { spec: { terminationGracePeriodSeconds: '30' } },
      { spec: { nodeSelector: [] } },
      { metadata: [] },
      { metadata: { creationTimestamp: 'x' } },
      { metadata: { creationTimestamp: 5 } },
      { metadata: { labels: [] } },
      { metadata: { finalizers: 'x' } },
      { metadata: { ownerReferences: {} } },
      { status: 'x' },
    ].map(body => post(`${ns}/pods?dryRun=All`, { metadata: { name: 'p' }, ...body })),
  },
  {
    name: 'prototype names are ordinary',
    steps: [
      post(
        maps,
        '{"metadata":{"name":"a","labels":{"constructor":"x","toString":"y"}},"data":{"__proto__":"x","constructor":"y","hasOwnProperty":"z"}}',
        json,
      ),
      get(`${maps}/a`),
      merge(`${maps}/a`, '{"data":{"__proto__":null,"valueOf":"1"}}'),
      jsonPatch(`${maps}/a`, '[{"op":"add","path":"/data/__proto__","value":"q"}]'),
      get(`${maps}?labelSelector=constructor%3Dx`),
      apply(`${maps}/b`, '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"b"},"data":{"__proto__":"x","toString":"y"}}'),
      get(`${maps}/constructor`),
      get(`${ns}/constructor`),
      get('/apis/__proto__/v1'),
      get('/apis/constructor'),
    ],
  },
  {
    name: 'long things',
    steps: [
      get(`${maps}?labelSelector=${encodeURIComponent(`a in (${Array.from({ length: 500 }, (_, i) => `v${i}`).join(',')})`)}`),
      get(`${maps}?continue=${'A'.repeat(5000)}`),
      post(maps, { metadata: { name: 'a', labels: Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`k${i}`, 'v'])) } }),
      post(maps, { metadata: { name: 'b', finalizers: Array.from({ length: 50 }, (_, i) => `x.io/f${i}`) } }),
    ],
  },
];
