import { apply, del, events, get, jsonPatch, merge, post, put, table, until, watch, type Case, type Step } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const own = `${crdPath}/widgets.{{group}}`;
const ready = (definition: object): Step[] => [post(crdPath, definition, { codeOnly: true }), established, served];
const object = (properties: object, extra: object = {}): object => ({ type: 'object', properties, ...extra });
const one = (schema: object): object => crd({ spec: object({ f: schema }) });

/** A schema for spec.f, and values to try. */
const keywords: readonly [string, object, readonly unknown[]][] = [
  ['string', { type: 'string' }, ['x', 1, null, true, {}, []]],
  ['integer', { type: 'integer' }, [1, 1.5, '1', -3, true]],
  ['number', { type: 'number' }, [1, 1.5, '1', null]],
  ['boolean', { type: 'boolean' }, [true, 'true', 0]],
  ['array', { type: 'array', items: { type: 'string' } }, [[], ['a'], [1], {}, 'x', [null]]],
  ['map', { type: 'object', additionalProperties: { type: 'integer' } }, [{}, { a: 1 }, { a: 'x' }, []]],
  ['int-or-string', { 'x-kubernetes-int-or-string': true }, [1, 'a', 1.5, true, {}]],
  ['enum', { type: 'string', enum: ['red', 'blue'] }, ['red', 'green', '']],
  ['enum of numbers', { type: 'integer', enum: [1, 2] }, [1, 3]],
  ['pattern', { type: 'string', pattern: '^a+$' }, ['aa', 'b', '']],
  ['lengths', { type: 'string', minLength: 2, maxLength: 3 }, ['a', 'ab', 'abcd', 'äöü', '😀😀😀']],
  ['minimum and maximum', { type: 'integer', minimum: 1, maximum: 5 }, [0, 1, 5, 6]],
  ['exclusive bounds', { type: 'number', minimum: 1, maximum: 5, exclusiveMinimum: true, exclusiveMaximum: true }, [1, 1.1, 5]],
  ['multipleOf', { type: 'number', multipleOf: 0.5 }, [1, 1.5, 1.2]],
  ['item counts', { type: 'array', minItems: 1, maxItems: 2, items: { type: 'string' } }, [[], ['a'], ['a', 'b', 'c']]],
  [
    'property counts',
    { type: 'object', minProperties: 1, maxProperties: 2, additionalProperties: { type: 'string' } },
    [{}, { a: 'b' }, { a: 'b', c: 'd', e: 'f' }],
  ],
  ['required', object({ a: { type: 'string' }, b: { type: 'string' } }, { required: ['a', 'b'] }), [{}, { a: 'x' }, { a: 'x', b: 'y' }]],
  ['nullable', { type: 'string', nullable: true }, [null, 'x', 1]],
  ['default', { type: 'string', default: 'filled' }, [null, 'x', '']],
  ['default and nullable', { type: 'string', default: 'filled', nullable: true }, [null, 'x']],
  ['date-time', { type: 'string', format: 'date-time' }, ['2024-01-01T00:00:00Z', 'yesterday']],
  [
    'formats of addresses',
    object({
      v4: { type: 'string', format: 'ipv4' },
      v6: { type: 'string', format: 'ipv6' },
      cidr: { type: 'string', format: 'cidr' },
      mac: { type: 'string', format: 'mac' },
    }),
    [
      { v4: '1.2.3.4', v6: '::1', cidr: '10.0.0.0/8', mac: '00:00:5e:00:53:01' },
      { v4: 'x', v6: 'x', cidr: 'x', mac: 'x' },
    ],
  ],
  [
    'formats of names',
    object({
      uuid: { type: 'string', format: 'uuid' },
      email: { type: 'string', format: 'email' },
      uri: { type: 'string', format: 'uri' },
      hostname: { type: 'string', format: 'hostname' },
    }),
    [
      { uuid: 'x', email: 'x', uri: 'x', hostname: '-x' },
      { email: 'a@b.example', uri: 'https://example.com', hostname: 'a.b' },
    ],
  ],
  [
    'formats of values',
    object({
      byte: { type: 'string', format: 'byte' },
      date: { type: 'string', format: 'date' },
      duration: { type: 'string', format: 'duration' },
      i32: { type: 'integer', format: 'int32' },
      i64: { type: 'integer', format: 'int64' },
      odd: { type: 'string', format: 'made-up' },
    }),
    [
      { byte: '*', date: 'x', duration: 'x', odd: 'x' },
      { i32: 3_000_000_000, i64: 3_000_000_000 },
      { byte: 'YQ==', date: '2024-01-01', duration: '1h' },
    ],
  ],
  ['anyOf', { type: 'string', anyOf: [{ pattern: '^a' }, { pattern: '^b' }] }, ['a', 'b', 'c']],
  ['oneOf', { type: 'string', oneOf: [{ pattern: '^a' }, { pattern: 'z$' }] }, ['a', 'az', 'c']],
  ['allOf and not', { type: 'string', allOf: [{ pattern: '^a' }, { minLength: 2 }], not: { pattern: 'x' } }, ['ab', 'a', 'ax', 'b']],
  [
    'set',
    { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
    [
      ['a', 'b'],
      ['a', 'a', 'a'],
    ],
  ],
  [
    'list map',
    {
      type: 'array',
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['name'],
      items: object({ name: { type: 'string' }, v: { type: 'integer' } }, { required: ['name'] }),
    },
    [[{ name: 'a' }, { name: 'b' }], [{ name: 'a' }, { name: 'a' }], [{ v: 1 }]],
  ],
  [
    'preserved unknown fields',
    object({ known: { type: 'integer' } }, { 'x-kubernetes-preserve-unknown-fields': true }),
    [{ any: { thing: 1 } }, { known: 'x' }],
  ],
  ['anything at all', { 'x-kubernetes-preserve-unknown-fields': true }, [1, 'x', [1, 'x', {}], { a: null }, null]],
  [
    'an embedded object',
    { type: 'object', 'x-kubernetes-embedded-resource': true, 'x-kubernetes-preserve-unknown-fields': true },
    [
      {},
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a', surprise: 1 } },
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'Bad Name', labels: { a: 'b c' } } },
      { apiVersion: 'a/b/c', kind: '' },
    ],
  ],
  [
    'nested defaults',
    object({
      a: object(
        { b: { type: 'integer', default: 3 }, c: { type: 'array', items: object({ d: { type: 'string', default: 'e' } }) } },
        { default: { c: [{}] } },
      ),
    }),
    [{}, { a: {} }, { a: { c: [{}, { d: 'x' }] } }],
  ],
];

const rules: readonly [string, object, readonly unknown[]][] = [
  [
    'a simple rule',
    object({ n: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule: 'self.n < 5', message: 'too many' }] }),
    [{ n: 1 }, { n: 9 }, {}, { n: 'x' }],
  ],
  [
    'a rule without message',
    object({ n: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule: '!has(self.n) || self.n < 5' }] }),
    [{ n: 9 }, {}],
  ],
  [
    'a message expression',
    object(
      { n: { type: 'integer' } },
      { 'x-kubernetes-validations': [{ rule: 'self.n < 5', messageExpression: '"got " + (self.n > 7 ? "many" : "some")' }] },
    ),
    [{ n: 9 }],
  ],
  [
    'a reason and a path',
    object(
      { n: { type: 'integer' } },
      {
        'x-kubernetes-validations': [
          { rule: 'self.n < 5', reason: 'FieldValueForbidden', fieldPath: '.n', message: 'no' },
          { rule: 'self.n < 4', reason: 'FieldValueRequired' },
        ],
      },
    ),
    [{ n: 9 }],
  ],
  [
    'lists and maps',
    object(
      {
        l: { type: 'array', maxItems: 10, items: { type: 'string', maxLength: 10 } },
        m: { type: 'object', maxProperties: 10, additionalProperties: { type: 'integer' } },
      },
      {
        'x-kubernetes-validations': [
          { rule: '!has(self.l) || self.l.all(x, x.startsWith("a"))' },
          { rule: '!has(self.m) || self.m.exists(k, self.m[k] > 3)' },
          { rule: '!has(self.l) || size(self.l) < 3' },
        ],
      },
    ),
    [{ l: ['a', 'b'] }, { m: { x: 1 } }, { l: ['a', 'a', 'a'], m: { y: 5 } }],
  ],
  [
    'libraries',
    object(
      { s: { type: 'string', maxLength: 100 } },
      {
        'x-kubernetes-validations': [
          { rule: 'self.s.matches("^[a-z./:0-9-]+$")' },
          { rule: '!isURL(self.s) || url(self.s).getScheme() == "https"' },
          { rule: '!isIP(self.s) || ip(self.s).family() == 4' },
          { rule: '!isQuantity(self.s) || quantity(self.s).isGreaterThan(quantity("1"))' },
          { rule: 'self.s.split("/").size() < 6' },
          { rule: 'self.s.lowerAscii() == self.s' },
        ],
      },
    ),
    [{ s: 'http://x' }, { s: 'https://x' }, { s: '::1' }, { s: '10.1.1.1' }, { s: '500m' }, { s: 'a/b/c/d/e/f/g' }],
  ],
  [
    'item rules',
    {
      type: 'object',
      properties: {
        l: {
          type: 'array',
          maxItems: 5,
          items: object({ a: { type: 'integer' }, b: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule: 'self.a <= self.b' }] }),
        },
      },
    },
    [
      {
        l: [
          { a: 1, b: 2 },
          { a: 3, b: 2 },
        ],
      },
      { l: [{ a: 1 }] },
    ],
  ],
];

const badDefinitions: readonly [string, object][] = [
  ['a wrong name', { ...crd(), metadata: { name: 'gadgets.{{group}}' } }],
  ['no versions', crd({ versions: [] })],
  ['no schema', crd({ version: { schema: undefined } })],
  [
    'two storage versions',
    crd({
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        { name: 'v2', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    }),
  ],
  [
    'no storage version',
    crd({ versions: [{ name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } }] }),
  ],
  [
    'the same version twice',
    crd({
      versions: [
        { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } },
        { name: 'v1', served: true, storage: false, schema: { openAPIV3Schema: { type: 'object' } } },
      ],
    }),
  ],
  [
    'a bad version name',
    crd({ versions: [{ name: 'V_1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }] }),
  ],
  ['a bad scope', crd({ scope: 'Global' })],
  ['no type at the root', crd({ schema: {} })],
  ['a root that is a string', crd({ schema: { type: 'string' } })],
  ['a property without type', crd({ spec: object({ a: {} }) })],
  ['a reference', crd({ spec: { $ref: '#/x' } })],
  ['properties and additionalProperties', crd({ spec: object({ a: { type: 'string' } }, { additionalProperties: { type: 'string' } }) })],
  ['uniqueItems', crd({ spec: object({ a: { type: 'array', uniqueItems: true, items: { type: 'string' } } }) })],
  ['an array without items', crd({ spec: object({ a: { type: 'array' } }) })],
  [
    'a list map without keys',
    crd({ spec: object({ a: { type: 'array', 'x-kubernetes-list-type': 'map', items: object({ n: { type: 'string' } }) } }) }),
  ],
  [
    'a list map with optional keys',
    crd({
      spec: object({
        a: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['n'],
          items: object({ n: { type: 'string' } }),
        },
      }),
    }),
  ],
  ['an unknown list type', crd({ spec: object({ a: { type: 'array', 'x-kubernetes-list-type': 'bag', items: { type: 'string' } } }) })],
  ['a default of the wrong type', crd({ spec: object({ a: { type: 'integer', default: 'x' } }) })],
  ['a bad pattern', crd({ spec: object({ a: { type: 'string', pattern: '(' } }) })],
  ['a bad type', crd({ spec: object({ a: { type: 'text' } }) })],
  [
    'types inside anyOf',
    crd({ spec: object({ a: { type: 'string', anyOf: [{ type: 'string', properties: { x: { type: 'string' } } }] } }) }),
  ],
  ['metadata properties', crd({ schema: object({ metadata: object({ labels: { type: 'object' } }) }) })],
  ['metadata name rules', crd({ schema: object({ metadata: object({ name: { type: 'string', maxLength: 3 } }) }) })],
  [
    'a bad rule',
    crd({
      spec: object(
        { a: { type: 'integer' } },
        { 'x-kubernetes-validations': [{ rule: 'self.b > 1' }, { rule: 'self.a >' }, { rule: 'self.a' }] },
      ),
    }),
  ],
  [
    'a costly rule',
    crd({
      spec: object(
        { l: { type: 'array', items: { type: 'string' } } },
        { 'x-kubernetes-validations': [{ rule: 'self.l.all(a, self.l.all(b, self.l.all(c, a + b + c != "x")))' }] },
      ),
    }),
  ],
  [
    'a bad message expression',
    crd({ spec: object({ a: { type: 'integer' } }, { 'x-kubernetes-validations': [{ rule: 'self.a > 1', messageExpression: '1 + 1' }] }) }),
  ],
  [
    'a costly message expression',
    crd({
      spec: object(
        { a: { type: 'integer' } },
        { 'x-kubernetes-validations': [{ rule: 'self.a > 1', messageExpression: '"got " + string(self.a)' }] },
      ),
    }),
  ],
  [
    'a bad column',
    crd({
      version: {
        additionalPrinterColumns: [
          { name: 'x', type: 'string', jsonPath: 'spec.x' },
          { name: '', type: 'odd', jsonPath: '.spec[' },
        ],
      },
    }),
  ],
  ['a bad scale path', crd({ subresources: { scale: { specReplicasPath: 'spec.replicas', statusReplicasPath: '' } } })],
  [
    'a bad selectable field',
    crd({
      spec: object({ a: object({}) }),
      version: { selectableFields: [{ jsonPath: '.spec.a' }, { jsonPath: '.metadata.name' }, { jsonPath: '.spec.zz' }] },
    }),
  ],
  ['preserveUnknownFields', crd({ extra: { preserveUnknownFields: true } })],
  ['an unknown conversion', crd({ extra: { conversion: { strategy: 'Magic' } } })],
  ['a webhook conversion without webhook', crd({ extra: { conversion: { strategy: 'Webhook' } } })],
  [
    'a protected group',
    {
      ...(crd() as Record<string, unknown>),
      metadata: { name: 'widgets.x.k8s.io' },
      spec: { ...((crd() as Record<string, Record<string, unknown>>)['spec'] ?? {}), group: 'x.k8s.io' },
    },
  ],
  ['unknown fields', { ...(crd() as Record<string, unknown>), surprise: 1 }],
  ['a bad kind name', crd({ extra: { names: { plural: 'widgets', kind: 'wid get' } } })],
  ['no names', crd({ extra: { names: {} } })],
];

export const cases: readonly Case[] = [
  ...keywords.map(([what, schema, values]): Case => ({
    name: `validates ${what}`,
    steps: [
      ...ready(one(schema)),
      post(widgetPath, widget({}, { name: 'absent' })),
      ...values.map((f, i) => post(widgetPath, widget({ f }, { name: `v${i}` }))),
    ],
  })),
  ...rules.map(([what, schema, values]): Case => ({
    name: `evaluates ${what}`,
    steps: [...ready(crd({ spec: schema })), ...values.map((spec, i) => post(widgetPath, widget(spec, { name: `v${i}` })))],
  })),
  ...badDefinitions.map(([what, definition]): Case => ({ name: `refuses a definition with ${what}`, steps: [post(crdPath, definition)] })),
  {
    name: 'a definition is created, established and deleted',
    steps: [
      post(crdPath, crd({ subresources: { status: {} } })),
      established,
      get(own),
      served,
      post(widgetPath, widget({})),
      get(own, { headers: table }),
      post(crdPath, crd()),
      put(own, crd()),
      del(own),
      until(own, (_, code) => code === 404),
      get(own),
      get(widgetPath),
    ],
  },
  {
    name: 'a definition changes while it is served',
    steps: [
      ...ready(crd({ spec: object({ a: { type: 'string' } }) })),
      post(widgetPath, widget({ a: 'x', b: 1 })),
      jsonPatch(
        own,
        [
          {
            op: 'add',
            path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/b',
            value: { type: 'integer', default: 7 },
          },
        ],
        { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion'] },
      ),
      until(`${widgetPath}/a`, b => (b as { spec?: { b?: number } }).spec?.b === 7),
      get(`${widgetPath}/a`),
      post(widgetPath, widget({ a: 'x', b: 1 }, { name: 'b' })),
      merge(own, { spec: { scope: 'Cluster' } }),
      merge(own, { spec: { group: 'other.example.com' } }),
      merge(own, { spec: { names: { kind: 'Other' } } }, { codeOnly: true }),
    ],
  },
  {
    name: 'unknown fields are pruned and reported',
    steps: ['Ignore', 'Warn', 'Strict'].reduce<Step[]>(
      (steps, level, i) => [
        ...steps,
        post(`${widgetPath}?fieldValidation=${level}`, widget({ a: 'x', unk: 1, deep: { x: 1 } }, { name: `n${i}`, odd: 1 }, { more: [] })),
        post(
          `${widgetPath}?fieldValidation=${level}`,
          '{"apiVersion":"{{group}}/v1","kind":"Widget","metadata":{"name":"d' + i + '"},"spec":{"a":"1","a":"2"}}',
          { headers: { 'Content-Type': 'application/json' } },
        ),
      ],
      ready(crd({ spec: object({ a: { type: 'string' }, deep: object({}) }) })),
    ),
  },
  {
    name: 'transition rules and ratcheting',
    steps: [
      ...ready(
        crd({
          spec: object({
            color: { type: 'string', 'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'immutable' }] },
            n: {
              type: 'integer',
              'x-kubernetes-validations': [{ rule: 'oldSelf.hasValue() ? self >= oldSelf.value() : self > 0', optionalOldSelf: true }],
            },
            s: { type: 'string' },
          }),
        }),
      ),
      post(widgetPath, widget({ color: 'red', n: 1, s: 'long enough' })),
      merge(`${widgetPath}/a`, { spec: { color: 'blue' } }),
      merge(`${widgetPath}/a`, { spec: { n: 0 } }),
      merge(`${widgetPath}/a`, { spec: { n: 3 } }),
      post(widgetPath, widget({ n: 0 }, { name: 'b' })),
      jsonPatch(own, [{ op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/properties/spec/properties/s/maxLength', value: 3 }], {
        codeOnly: true,
      }),
      until(`/apis/{{group}}/v1/namespaces/{{ns}}/widgets/a`, (_, code) => code === 200),
      merge(`${widgetPath}/a`, { spec: { n: 4 } }),
      get(`${widgetPath}/a`),
    ],
  },
  {
    name: 'several versions and a deprecation',
    steps: [
      post(
        crdPath,
        crd({
          versions: [
            { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: object({ spec: object({ a: { type: 'string' } }) }) } },
            {
              name: 'v1beta1',
              served: true,
              storage: false,
              deprecated: true,
              schema: { openAPIV3Schema: object({ spec: object({ a: { type: 'string' }, b: { type: 'string', default: 'x' } }) }) },
            },
            {
              name: 'v1alpha1',
              served: true,
              storage: false,
              deprecated: true,
              deprecationWarning: 'leave now',
              schema: { openAPIV3Schema: object({}) },
            },
            { name: 'v2', served: false, storage: false, schema: { openAPIV3Schema: object({}) } },
          ],
        }),
      ),
      established,
      served,
      post('/apis/{{group}}/v1beta1/namespaces/{{ns}}/widgets', {
        apiVersion: '{{group}}/v1beta1',
        kind: 'Widget',
        metadata: { name: 'a' },
        spec: { a: '1', b: '2' },
      }),
      get(`${widgetPath}/a`),
      get('/apis/{{group}}/v1beta1/namespaces/{{ns}}/widgets/a'),
      get('/apis/{{group}}/v1alpha1/namespaces/{{ns}}/widgets'),
      get('/apis/{{group}}/v2/namespaces/{{ns}}/widgets'),
      get('/apis/{{group}}'),
      get('/apis/{{group}}/v1alpha1'),
      merge('/apis/{{group}}/v1beta1/namespaces/{{ns}}/widgets/a', { spec: { a: '3' } }),
      get(own),
    ],
  },
  {
    name: 'a conversion webhook',
    steps: [
      post(
        crdPath,
        crd({
          versions: [
            {
              name: 'v1',
              served: true,
              storage: true,
              schema: { openAPIV3Schema: object({ spec: object({ size: { type: 'integer' } }) }) },
            },
            {
              name: 'v2',
              served: true,
              storage: false,
              schema: { openAPIV3Schema: object({ spec: object({ length: { type: 'integer' } }) }) },
            },
          ],
          extra: {
            conversion: {
              strategy: 'Webhook',
              webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: '{{webhook}}/convert', caBundle: '{{webhookCa}}' } },
            },
          },
        }),
        { ignore: ['.*caBundle'] },
      ),
      established,
      served,
      post('/apis/{{group}}/v2/namespaces/{{ns}}/widgets', {
        apiVersion: '{{group}}/v2',
        kind: 'Widget',
        metadata: { name: 'a' },
        spec: { length: 3 },
      }),
      get(`${widgetPath}/a`),
      get('/apis/{{group}}/v2/namespaces/{{ns}}/widgets/a'),
      get('/apis/{{group}}/v2/namespaces/{{ns}}/widgets'),
      merge(own, { spec: { conversion: { webhook: { clientConfig: { url: '{{webhook}}/convert-fail' } } } } }, { codeOnly: true }),
      until('/apis/{{group}}/v2/namespaces/{{ns}}/widgets/a', (_, code) => code === 500),
      get('/apis/{{group}}/v2/namespaces/{{ns}}/widgets/a'),
      merge(own, { spec: { conversion: { webhook: { clientConfig: { url: '{{webhook}}/convert-metadata' } } } } }, { codeOnly: true }),
      until('/apis/{{group}}/v2/namespaces/{{ns}}/widgets/a', b => !JSON.stringify(b).includes('today')),
      get('/apis/{{group}}/v2/namespaces/{{ns}}/widgets/a'),
    ],
  },
  {
    name: 'printer columns',
    steps: [
      ...ready(
        crd({
          version: {
            additionalPrinterColumns: [
              { name: 'Text', type: 'string', jsonPath: '.spec.text', description: 'Some text' },
              { name: 'Number', type: 'integer', jsonPath: '.spec.n' },
              { name: 'Float', type: 'number', jsonPath: '.spec.f' },
              { name: 'Flag', type: 'boolean', jsonPath: '.spec.b' },
              { name: 'When', type: 'date', jsonPath: '.spec.when' },
              { name: 'Ready', type: 'string', jsonPath: ".spec.conditions[?(@.type=='Ready')].status", priority: 1 },
              { name: 'First', type: 'string', jsonPath: '.spec.list[0]' },
              { name: 'All', type: 'string', jsonPath: '.spec.list[*]' },
              { name: 'Dotted', type: 'string', jsonPath: ".metadata.annotations['a\\.b']" },
              { name: 'Map', type: 'string', jsonPath: '.spec.map' },
            ],
          },
        }),
      ),
      post(
        widgetPath,
        widget(
          {
            text: 't',
            n: 3,
            f: 1.5,
            b: true,
            when: '2020-01-01T00:00:00Z',
            conditions: [
              { type: 'Other', status: 'x' },
              { type: 'Ready', status: 'True' },
            ],
            list: ['a', 'b'],
            map: { x: 1 },
          },
          { annotations: { 'a.b': 'c' } },
        ),
        { codeOnly: true },
      ),
      post(widgetPath, widget({ text: 5, n: 'x', f: 2, b: 'no', when: 'never', list: [] }, { name: 'b' }), { codeOnly: true }),
      get(widgetPath, { headers: table, ignore: ['rows\\.0\\.cells\\.5'] }),
      get(`${widgetPath}/b`, { headers: table }),
      watch('w', `${widgetPath}?watch=true&fieldSelector=metadata.name%3Db`, { headers: table }),
      events('w', 1),
    ],
  },
  {
    name: 'selectable fields',
    steps: [
      ...ready(
        crd({
          spec: object({ color: { type: 'string' }, n: { type: 'integer' }, b: { type: 'boolean' } }),
          version: { selectableFields: [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.n' }, { jsonPath: '.spec.b' }] },
        }),
      ),
      post(widgetPath, widget({ color: 'red', n: 1, b: true }), { codeOnly: true }),
      post(widgetPath, widget({ color: 'blue', n: 2 }, { name: 'b' }), { codeOnly: true }),
      get(`${widgetPath}?fieldSelector=spec.color%3Dred`),
      get(`${widgetPath}?fieldSelector=spec.n%3D2,spec.color!%3Dred`),
      get(`${widgetPath}?fieldSelector=spec.b%3Dtrue`),
      get(`${widgetPath}?fieldSelector=spec.other%3Dx`),
      watch('w', `${widgetPath}?watch=true&fieldSelector=spec.color%3Dred`),
      merge(`${widgetPath}/a`, { spec: { color: 'green' } }),
      merge(`${widgetPath}/b`, { spec: { color: 'red' } }),
      events('w', 3),
      del(`${widgetPath}?fieldSelector=spec.color%3Dred`),
    ],
  },
  {
    name: 'names that clash',
    steps: [
      ...ready(crd({ shortNames: ['wi'] })),
      post(
        crdPath,
        {
          apiVersion: 'apiextensions.k8s.io/v1',
          kind: 'CustomResourceDefinition',
          metadata: { name: 'gadgets.{{group}}' },
          spec: {
            group: '{{group}}',
            scope: 'Namespaced',
            names: { plural: 'gadgets', kind: 'Widget', shortNames: ['wi'] },
            versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
          },
        },
        { codeOnly: true },
      ),
      until(`${crdPath}/gadgets.{{group}}`, b => JSON.stringify(b).includes('NamesAccepted')),
      get(`${crdPath}/gadgets.{{group}}`, { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion'] }),
      get('/apis/{{group}}/v1/gadgets'),
    ],
  },
  {
    name: 'a definition waits for stuck instances',
    steps: [
      ...ready(crd()),
      post(widgetPath, widget({}, { finalizers: ['x.io/f'] })),
      del(own, undefined, { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion'] }),
      until(`${widgetPath}/a`, b => JSON.stringify(b).includes('deletionTimestamp')),
      get(own, { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion', 'status\\.conditions.*'] }),
      post(widgetPath, widget({}, { name: 'late' })),
      merge(`${widgetPath}/a`, { metadata: { finalizers: null } }, { codeOnly: true }),
      until(own, (_, code) => code === 404),
    ],
  },
  {
    name: 'cluster scoped custom resources',
    steps: [
      post(crdPath, crd({ scope: 'Cluster' }), { codeOnly: true }),
      established,
      served,
      post('/apis/{{group}}/v1/widgets', widget({ a: 1 })),
      get('/apis/{{group}}/v1/widgets/a'),
      get('/apis/{{group}}/v1/namespaces/default/widgets'),
      post('/apis/{{group}}/v1/widgets', widget({}, { name: 'b', namespace: 'default' })),
      get('/apis/{{group}}/v1'),
    ],
  },
  {
    name: 'an applied map of annotations without entries',
    steps: [
      ...ready(crd()),
      post(widgetPath, widget({})),
      apply(`${widgetPath}/a`, widget(undefined, { annotations: {} })),
      apply(`${widgetPath}/a`, widget(undefined), { manager: 'm2' }),
    ],
  },
  {
    name: 'the definition of stored versions',
    steps: [
      ...ready(crd()),
      merge(`${own}/status`, { status: { storedVersions: [] } }),
      merge(`${own}/status`, { status: { storedVersions: ['v9'] } }),
      merge(`${own}/status`, { status: { storedVersions: ['v1'] } }, { ignore: ['metadata\\.managedFields.*'] }),
    ],
  },
  {
    name: 'openapi of a custom resource',
    steps: [
      ...ready(crd({ spec: object({ a: { type: 'string', description: 'A letter.' } }) })),
      until('/openapi/v3/apis/{{group}}/v1', (_, code) => code === 200),
      get('/openapi/v3/apis/{{group}}/v1'),
    ],
  },
];
