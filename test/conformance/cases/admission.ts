import { apply, del, get, merge, pause, post, webhookLog, type Case, type Step } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const registration = '/apis/admissionregistration.k8s.io/v1';
const map = (name: string, data: object = { k: 'v' }, labels: object = {}): object => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, labels },
  data,
});
const onlyHere = { matchLabels: { 'kubernetes.io/metadata.name': '{{ns}}' } };
const rule = (extra: object = {}): object => ({
  apiGroups: [''],
  apiVersions: ['v1'],
  operations: ['CREATE', 'UPDATE', 'DELETE'],
  resources: ['configmaps'],
  ...extra,
});

function hook(kind: 'Validating' | 'Mutating', behaviour: string, extra: object = {}): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: `${kind}WebhookConfiguration`,
    metadata: { name: '{{id}}' },
    webhooks: [
      {
        name: `${behaviour}.example.com`,
        sideEffects: 'None',
        admissionReviewVersions: ['v1'],
        namespaceSelector: onlyHere,
        rules: [rule()],
        clientConfig: { url: `{{webhook}}/${behaviour}`, caBundle: '{{webhookCa}}' },
        ...extra,
      },
    ],
  };
}
const install = (kind: 'Validating' | 'Mutating', behaviour: string, extra: object = {}): Step =>
  post(`${registration}/${kind.toLowerCase()}webhookconfigurations`, hook(kind, behaviour, extra), { codeOnly: true });

// A server learns of configurations through a watch, and has no way to say that it has.
const heard = pause(1500);

function policy(spec: object): object {
  return {
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingAdmissionPolicy',
    metadata: { name: '{{id}}' },
    spec: { matchConstraints: { resourceRules: [rule({ operations: ['CREATE', 'UPDATE'] })], namespaceSelector: onlyHere }, ...spec },
  };
}
const binding = (spec: object = {}): object => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingAdmissionPolicyBinding',
  metadata: { name: '{{id}}' },
  spec: { policyName: '{{id}}', validationActions: ['Deny'], ...spec },
});

export const cases: readonly Case[] = [
  ...(['allow', 'warn', 'deny', 'deny-bare', 'deny-coded', 'bad-uid', 'no-response', 'error', 'garbage'] as const).map(
    (behaviour): Case => ({
      name: `a validating webhook that says ${behaviour}`,
      steps: [
        install('Validating', behaviour),
        heard,
        post(maps, map('a')),
        merge(`${maps}/kube-root-ca.crt`, { data: { x: 'y' } }),
        del(`${maps}/kube-root-ca.crt`),
        del(`${registration}/validatingwebhookconfigurations/{{id}}`, undefined, { codeOnly: true }),
      ],
    }),
  ),
  ...(['label', 'data', 'bad-patch', 'no-patch-type', 'allow', 'deny', 'deny-coded'] as const).map((behaviour): Case => ({
    name: `a mutating webhook that says ${behaviour}`,
    steps: [
      install('Mutating', behaviour, { rules: [rule({ operations: ['CREATE', 'UPDATE'] })] }),
      heard,
      post(maps, map('a')),
      get(`${maps}/a`),
      apply(`${maps}/b`, map('b')),
      apply(`${maps}/b`, map('b')),
      merge(`${maps}/a`, { data: { x: 'y' } }),
    ],
  })),
  {
    name: 'what a validating webhook is asked',
    impersonated: true,
    steps: [
      install('Validating', 'allow'),
      heard,
      post(`${maps}?fieldManager=fm`, map('a')),
      merge(`${maps}/a`, { data: { x: 'y' } }),
      post(`${maps}?dryRun=All`, map('b')),
      del(`${maps}/a`, { gracePeriodSeconds: 3 }),
      webhookLog,
    ],
  },
  {
    name: 'what a mutating webhook is asked',
    impersonated: true,
    steps: [install('Mutating', 'data'), heard, post(maps, map('a')), apply(`${maps}/a`, map('a', { z: '1' })), webhookLog],
  },
  {
    name: 'subresources and other kinds through a webhook',
    impersonated: true,
    steps: [
      install('Validating', 'allow', {
        rules: [rule({ apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*/*'], scope: 'Namespaced' })],
      }),
      heard,
      post(`${ns}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      merge(`${ns}/pods/p/status`, { status: { phase: 'Running' } }),
      post(`${ns}/pods/p/binding`, { target: { kind: 'Node', name: 'n' } }),
      merge('/apis/apps/v1/namespaces/{{ns}}/deployments/missing/scale', {}),
      post(`${ns}/serviceaccounts/default/token`, { spec: {} }, { ignore: ['.*'] }),
      webhookLog,
    ],
  },
  {
    name: 'an unreachable webhook fails or is ignored',
    steps: [
      install('Validating', 'allow', { clientConfig: { url: 'https://127.0.0.1:1/x' } }),
      heard,
      post(maps, map('a')),
      merge(
        `${registration}/validatingwebhookconfigurations/{{id}}`,
        {
          webhooks: [
            {
              name: 'allow.example.com',
              failurePolicy: 'Ignore',
              sideEffects: 'None',
              admissionReviewVersions: ['v1'],
              namespaceSelector: onlyHere,
              rules: [rule()],
              clientConfig: { url: 'https://127.0.0.1:1/x' },
            },
          ],
        },
        { codeOnly: true },
      ),
      heard,
      post(maps, map('a')),
    ],
  },
  {
    name: 'a webhook with side effects refuses dry runs',
    impersonated: true,
    steps: [install('Validating', 'allow', { sideEffects: 'NoneOnDryRun' }), heard, post(`${maps}?dryRun=All`, map('a')), webhookLog],
  },
  {
    name: 'object selectors and match conditions',
    steps: [
      install('Validating', 'deny', {
        objectSelector: { matchLabels: { check: 'yes' } },
        matchConditions: [{ name: 'not-b', expression: 'object.metadata.name != "b"' }],
      }),
      heard,
      post(maps, map('a')),
      post(maps, map('b', {}, { check: 'yes' })),
      post(maps, map('c', {}, { check: 'yes' })),
      merge(`${maps}/a`, { metadata: { labels: { check: 'yes' } } }),
    ],
  },
  ...(
    [
      ['no names', hook('Validating', 'allow', { name: 'short' })],
      ['no side effects', hook('Validating', 'allow', { sideEffects: undefined })],
      ['bad side effects', hook('Validating', 'allow', { sideEffects: 'Some' })],
      ['no review versions', hook('Validating', 'allow', { admissionReviewVersions: [] })],
      ['an http url', hook('Validating', 'allow', { clientConfig: { url: 'http://x' } })],
      ['url and service', hook('Validating', 'allow', { clientConfig: { url: 'https://x', service: { name: 'a', namespace: 'b' } } })],
      ['a bad timeout', hook('Validating', 'allow', { timeoutSeconds: 99 })],
      [
        'a bad rule',
        hook('Validating', 'allow', {
          rules: [{ operations: ['FROB'], apiGroups: ['*', 'x'], apiVersions: [], resources: ['a/b/c', '*/*', 'x'] }],
        }),
      ],
      ['a bad match condition', hook('Validating', 'allow', { matchConditions: [{ name: 'a b', expression: 'object.' }] })],
      ['a bad bundle', hook('Validating', 'allow', { clientConfig: { url: 'https://x', caBundle: 'YQ==' } })],
    ] as const
  ).map(([what, body]): Case => ({
    name: `a webhook configuration with ${what}`,
    steps: [post(`${registration}/validatingwebhookconfigurations`, body, { ignore: ['.*caBundle'] })],
  })),
  ...(
    [
      ['denies', { validations: [{ expression: "object.metadata.name != 'bad'", message: 'no bad' }] }, {}],
      [
        'explains by expression',
        { validations: [{ expression: "object.metadata.name != 'bad'", messageExpression: "'not ' + object.metadata.name" }] },
        {},
      ],
      ['gives a reason', { validations: [{ expression: "object.metadata.name != 'bad'", reason: 'Unauthorized' }] }, {}],
      ['warns', { validations: [{ expression: "object.metadata.name != 'bad'", message: 'no bad' }] }, { validationActions: ['Warn'] }],
      ['audits', { validations: [{ expression: "object.metadata.name != 'bad'" }] }, { validationActions: ['Audit'] }],
      ['warns and audits', { validations: [{ expression: "object.metadata.name != 'bad'" }] }, { validationActions: ['Warn', 'Audit'] }],
      [
        'uses variables',
        { variables: [{ name: 'bad', expression: "object.metadata.name == 'bad'" }], validations: [{ expression: '!variables.bad' }] },
        {},
      ],
      [
        'asks the authorizer and the namespace',
        {
          validations: [
            { expression: "namespaceObject.metadata.name == '{{ns}}' && !authorizer.group('').resource('pods').check('create').errored()" },
            { expression: "object.metadata.name != 'bad' || request.userInfo.username == 'x'" },
          ],
        },
        {},
      ],
      ['fails at run time', { validations: [{ expression: "object.data['missing'] == 'x'" }] }, {}],
      ['fails at run time but ignores it', { failurePolicy: 'Ignore', validations: [{ expression: "object.data['missing'] == 'x'" }] }, {}],
      [
        'matches by condition',
        { matchConditions: [{ name: 'c', expression: "object.metadata.name == 'bad'" }], validations: [{ expression: 'false' }] },
        {},
      ],
      [
        'needs parameters',
        {
          paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
          validations: [{ expression: "object.metadata.name != params.data['forbidden']" }],
        },
        { paramRef: { name: 'params', parameterNotFoundAction: 'Deny' } },
      ],
    ] as const
  ).map(([what, spec, bind]): Case => ({
    name: `an admission policy ${what}`,
    steps: [
      post(maps, map('params', { forbidden: 'bad' }), { codeOnly: true }),
      post(`${registration}/validatingadmissionpolicies`, policy(spec), { codeOnly: true }),
      post(`${registration}/validatingadmissionpolicybindings`, binding(bind), { codeOnly: true }),
      heard,
      post(maps, map('good')),
      post(maps, map('bad')),
      merge(`${maps}/params`, { data: { x: 'y' } }),
    ],
  })),
  ...(
    [
      ['a syntax error', { validations: [{ expression: 'object.' }] }],
      ['an unknown variable', { validations: [{ expression: 'nothing == 1' }] }],
      ['a wrong type', { validations: [{ expression: '"text"' }] }],
      ['no validations', {}],
      ['a bad reason', { validations: [{ expression: 'true', reason: 'Odd' }] }],
      ['a bad failure policy', { failurePolicy: 'Maybe', validations: [{ expression: 'true' }] }],
      [
        'duplicate variables',
        {
          variables: [
            { name: 'a', expression: '1' },
            { name: 'a', expression: '2' },
          ],
          validations: [{ expression: 'true' }],
        },
      ],
    ] as const
  ).map(([what, spec]): Case => ({
    name: `an admission policy with ${what}`,
    steps: [post(`${registration}/validatingadmissionpolicies`, policy(spec))],
  })),
  {
    name: 'a mutating policy by apply configuration',
    steps: mutating({
      patchType: 'ApplyConfiguration',
      applyConfiguration: { expression: 'Object{metadata: Object.metadata{labels: {"by": "policy"}}}' },
    }),
  },
  {
    name: 'a mutating policy by json patch',
    steps: mutating({
      patchType: 'JSONPatch',
      jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data/" + jsonpatch.escapeKey("a/b".replace("/", "-")), value: "policy"}]' },
    }),
  },
];

function mutating(mutation: object): Step[] {
  return [
    post(`${registration}/mutatingadmissionpolicies`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicy',
      metadata: { name: '{{id}}' },
      spec: {
        reinvocationPolicy: 'Never',
        matchConstraints: { resourceRules: [rule({ operations: ['CREATE'] })], namespaceSelector: onlyHere },
        mutations: [mutation],
      },
    }),
    post(`${registration}/mutatingadmissionpolicybindings`, {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingAdmissionPolicyBinding',
      metadata: { name: '{{id}}' },
      spec: { policyName: '{{id}}' },
    }),
    heard,
    post(maps, map('a')),
    apply(`${maps}/b`, map('b')),
  ];
}
