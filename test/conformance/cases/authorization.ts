import { apply, del, get, merge, post, put, until, type Case, type Step } from '../case.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const maps = `${ns}/configmaps`;
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const roles = `${rbac}/namespaces/{{ns}}/roles`;
const bindings = `${rbac}/namespaces/{{ns}}/rolebindings`;
const reviews = '/apis/authorization.k8s.io/v1';
const alice = { as: 'alice-{{id}}' };
const map = { metadata: { name: 'a' }, data: { k: 'v' } };

const role = (name: string, rules: unknown): object => ({ metadata: { name }, rules });
const rule = (verbs: string[], resources: string[], extra: object = {}): object => ({ apiGroups: [''], verbs, resources, ...extra });
const bind = (
  name: string,
  roleName: string,
  kind = 'Role',
  subjects: unknown = [{ kind: 'User', name: 'alice-{{id}}', apiGroup: 'rbac.authorization.k8s.io' }],
): object => ({ metadata: { name }, roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: roleName }, subjects });
const clusterRole = (rules: unknown, extra: object = {}): object => ({ metadata: { name: '{{id}}' }, rules, ...extra });
/** Grants reach the authorizer through a watch. */
const granted = (verb: string, resource: string, group = ''): Step[] => [
  { step: 'untilAllowed', user: 'alice-{{id}}', verb, resource, group },
];
const allow = (rules: unknown[], verb: string, resource: string, group = ''): Step[] => [
  post(roles, role('r', rules), { codeOnly: true }),
  post(bindings, bind('b', 'r'), { codeOnly: true }),
  ...granted(verb, resource, group),
];
const access = (attributes: object, extra: object = {}): object => ({
  spec: { resourceAttributes: attributes, user: 'alice-{{id}}', ...extra },
});

export const cases: readonly Case[] = [
  {
    name: 'a stranger may do nothing',
    steps: [
      get(maps, alice),
      get(`${maps}/a`, alice),
      post(maps, map, alice),
      put(`${maps}/a`, map, alice),
      merge(`${maps}/a`, {}, alice),
      apply(`${maps}/a`, map, alice),
      del(`${maps}/a`, undefined, alice),
      del(maps, undefined, alice),
      get('/api/v1/configmaps', alice),
      get('/api/v1/nodes', alice),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/x/scale', alice),
      get(`${ns}/pods/x/log`, alice),
      get(`${maps}?watch=true`, alice),
      get(`${maps}?fieldSelector=metadata.name%3Dx`, alice),
      get('/metrics', alice),
      get('/nothing', alice),
      get('/apis/none.example.com/v1/things', alice),
      get('/api/v1/things', alice),
      post('/api/v1/namespaces', { metadata: { name: 'x' } }, alice),
      get('/api/v1/namespaces/{{ns}}', alice),
      get('/logs', alice),
    ],
  },
  {
    name: 'everybody may discover',
    steps: [
      get('/api', alice),
      get('/version', { ...alice, codeOnly: true }),
      get('/healthz', alice),
      get('/openapi/v3', { ...alice, codeOnly: true }),
      get('/apis/apps/v1', alice),
      get('/api/v1', { anonymous: true }),
      get('/version', { anonymous: true, codeOnly: true }),
      get('/apis', { anonymous: true }),
      get('/livez', { anonymous: true }),
    ],
  },
  {
    name: 'anonymous and wrong tokens',
    steps: [
      get(maps, { anonymous: true }),
      get(maps, { headers: { Authorization: 'Bearer wrong' } }),
      get('/healthz', { headers: { Authorization: 'Bearer wrong' } }),
      get(maps, { headers: { Authorization: 'Basic YTpi' } }),
      get(maps, { headers: { Authorization: 'Bearer' } }),
      get(maps, { headers: { Authorization: 'Bearer eyJhbGciOiJSUzI1NiJ9.e30.x' } }),
    ],
  },
  {
    name: 'a role grants what it says',
    steps: [
      ...allow([rule(['get', 'list'], ['configmaps'])], 'list', 'configmaps'),
      get(`${maps}/kube-root-ca.crt`, { ...alice, codeOnly: true }),
      get(maps, { ...alice, codeOnly: true }),
      get(`${maps}?watch=true`, alice),
      post(maps, map, alice),
      get('/api/v1/configmaps', alice),
      get(`${ns}/secrets`, alice),
    ],
  },
  {
    name: 'resource names',
    steps: [
      ...allow(
        [
          rule(['get', 'list', 'watch', 'delete'], ['configmaps'], { resourceNames: ['mine'] }),
          rule(['create'], ['configmaps'], { resourceNames: ['mine'] }),
        ],
        'get',
        'configmaps/mine',
      ),
      get(`${maps}/mine`, alice),
      get(`${maps}/other`, alice),
      get(maps, alice),
      get(`${maps}?fieldSelector=metadata.name%3Dmine`, alice),
      get(`${maps}?fieldSelector=metadata.name%3Dother`, alice),
      post(maps, { metadata: { name: 'mine' } }, alice),
      apply(`${maps}/mine`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'mine' } }, alice),
    ],
  },
  {
    name: 'subresources need their own rule',
    steps: [
      ...allow(
        [
          rule(['get', 'patch'], ['pods', 'deployments']),
          { apiGroups: ['apps'], resources: ['*/scale'], verbs: ['get'] },
          rule(['create'], ['pods/*']),
        ],
        'get',
        'pods',
      ),
      get(`${ns}/pods/x/status`, alice),
      get(`${ns}/pods/x/log`, alice),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/x/scale', alice),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments/x', alice),
      post(`${ns}/pods/x/eviction`, {}, alice),
    ],
  },
  {
    name: 'an apply needs patch, and create when it creates',
    steps: [
      ...allow([rule(['patch'], ['configmaps'])], 'patch', 'configmaps'),
      apply(`${maps}/n`, { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'n' } }, alice),
      merge(`${maps}/n`, {}, alice),
      put(`${maps}/n`, map, alice),
    ],
  },
  {
    name: 'nobody grants more than they hold',
    steps: [
      ...allow(
        [rule(['get'], ['configmaps']), { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['*'] }],
        'create',
        'roles',
        'rbac.authorization.k8s.io',
      ),
      post(roles, role('ok', [rule(['get'], ['configmaps'])]), alice),
      post(roles, role('more', [rule(['get', 'list'], ['configmaps', 'secrets'])]), alice),
      post(roles, role('star', [{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]), alice),
      post(bindings, bind('ok', 'ok'), alice),
      post(bindings, bind('admin', 'cluster-admin', 'ClusterRole'), alice),
      post(bindings, bind('missing', 'nothing'), alice),
      merge(`${roles}/ok`, { rules: [rule(['delete'], ['configmaps'])] }, alice),
    ],
  },
  {
    name: 'bind and escalate',
    steps: [
      ...allow(
        [
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: ['create'] },
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['clusterroles'], verbs: ['bind'], resourceNames: ['view'] },
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['escalate'] },
        ],
        'escalate',
        'roles',
        'rbac.authorization.k8s.io',
      ),
      post(bindings, bind('view', 'view', 'ClusterRole'), alice),
      post(bindings, bind('edit', 'edit', 'ClusterRole'), alice),
      post(roles, role('any', [rule(['*'], ['secrets'])]), alice),
    ],
  },
  {
    name: 'role bindings are fixed and checked',
    steps: [
      post(bindings, bind('b', 'r')),
      merge(`${bindings}/b`, { roleRef: { name: 'other' } }),
      post(bindings, bind('c', 'r', 'Odd')),
      post(bindings, bind('d', '')),
      post(
        bindings,
        bind('e', 'r', 'Role', [
          { kind: 'Odd', name: 'x' },
          { kind: 'ServiceAccount', name: 'x' },
          { kind: 'User', name: '' },
          { kind: 'Group', name: 'g', apiGroup: 'odd' },
        ]),
      ),
      post(
        bindings,
        bind('f', 'r', 'Role', [
          { kind: 'ServiceAccount', name: 'x', namespace: '{{ns}}' },
          { kind: 'Group', name: 'g' },
        ]),
      ),
      put(`${bindings}/g`, bind('g', 'r')),
      put(`${roles}/new`, role('new', [])),
    ],
  },
  {
    name: 'roles that make no sense',
    steps: [
      post(roles, role('a', [{ verbs: ['get'] }])),
      post(roles, role('a', [{ verbs: [], resources: ['x'], apiGroups: [''] }])),
      post(roles, role('a', [{ verbs: ['get'], nonResourceURLs: ['/x'] }])),
      post(`${rbac}/clusterroles`, clusterRole([{ verbs: ['get'], nonResourceURLs: ['/x'], resources: ['y'], apiGroups: [''] }])),
      post(roles, role('a%2fb', [])),
      post(roles, role('a:b', [])),
      post(roles, role('..', [])),
      post(roles, role('A B', [])),
    ],
  },
  {
    name: 'aggregated roles',
    steps: [
      post(`${rbac}/clusterroles`, { metadata: { name: '{{id}}-part', labels: { 'to-{{id}}': 'yes' } }, rules: [rule(['get'], ['pods'])] }),
      post(
        `${rbac}/clusterroles`,
        clusterRole([], { aggregationRule: { clusterRoleSelectors: [{ matchLabels: { 'to-{{id}}': 'yes' } }] } }),
      ),
      until(`${rbac}/clusterroles/{{id}}`, b => ((b as { rules?: unknown[] }).rules?.length ?? 0) === 1),
      get(`${rbac}/clusterroles/{{id}}`, { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion'] }),
    ],
  },
  {
    name: 'the bootstrap roles',
    steps: [
      'cluster-admin',
      'admin',
      'edit',
      'view',
      'system:basic-user',
      'system:discovery',
      'system:public-info-viewer',
      'system:auth-delegator',
      'system:kube-controller-manager',
      'system:kube-scheduler',
      'system:node',
      'system:monitoring',
      'system:controller:namespace-controller',
      'system:controller:generic-garbage-collector',
      'system:aggregate-to-view',
      'system:service-account-issuer-discovery',
    ].map(name => get(`${rbac}/clusterroles/${name}`, { ignore: ['metadata\\.managedFields.*', 'metadata\\.resourceVersion'] })),
  },
  {
    name: 'the names of bootstrap roles and bindings',
    steps: [
      get(`${rbac}/clusterroles?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults`, {
        headers: { Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' },
        ignore: ['items\\.\\d+\\.metadata\\.(managedFields|resourceVersion).*'],
      }),
      get(`${rbac}/clusterrolebindings?labelSelector=kubernetes.io%2Fbootstrapping%3Drbac-defaults`, {
        ignore: ['items\\.\\d+\\.metadata\\.(managedFields|resourceVersion).*'],
      }),
      get(`${rbac}/namespaces/kube-system/roles`, { ignore: ['items\\.\\d+\\.metadata\\.(managedFields|resourceVersion).*'] }),
      get(`${rbac}/namespaces/kube-system/rolebindings`, { ignore: ['items\\.\\d+\\.metadata\\.(managedFields|resourceVersion).*'] }),
    ],
    alone: true,
  },
  {
    name: 'access reviews',
    steps: [
      ...allow([rule(['get'], ['configmaps'])], 'get', 'configmaps'),
      post(`${reviews}/subjectaccessreviews`, access({ namespace: '{{ns}}', verb: 'get', resource: 'configmaps' })),
      post(`${reviews}/subjectaccessreviews`, access({ namespace: '{{ns}}', verb: 'list', resource: 'configmaps' })),
      post(`${reviews}/subjectaccessreviews`, { spec: { nonResourceAttributes: { path: '/healthz', verb: 'get' }, user: 'x' } }),
      post(`${reviews}/subjectaccessreviews`, access({ verb: '*', resource: '*', group: '*' }, { groups: ['system:masters'] })),
      post(`${reviews}/subjectaccessreviews`, { spec: {} }),
      post(`${reviews}/subjectaccessreviews`, { spec: { user: 'x' } }),
      post(`${reviews}/subjectaccessreviews`, { spec: { user: 'x', resourceAttributes: {}, nonResourceAttributes: {} } }),
      post(`${reviews}/subjectaccessreviews`, { metadata: { name: 'x' }, spec: { user: 'x', resourceAttributes: {} } }),
      post(`${reviews}/namespaces/{{ns}}/localsubjectaccessreviews`, {
        metadata: { namespace: '{{ns}}' },
        ...access({ namespace: '{{ns}}', verb: 'get', resource: 'configmaps' }),
      }),
      post(`${reviews}/namespaces/{{ns}}/localsubjectaccessreviews`, access({ namespace: 'other', verb: 'get', resource: 'configmaps' })),
    ],
  },
  {
    name: 'self reviews',
    steps: [
      ...allow([rule(['get'], ['configmaps'])], 'get', 'configmaps'),
      post(
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { resourceAttributes: { namespace: '{{ns}}', verb: 'get', resource: 'configmaps' } } },
        alice,
      ),
      post(
        `${reviews}/selfsubjectaccessreviews`,
        { spec: { resourceAttributes: { namespace: '{{ns}}', verb: 'delete', resource: 'configmaps', name: 'x', subresource: 'y' } } },
        alice,
      ),
      post(`${reviews}/selfsubjectaccessreviews`, { spec: {} }, alice),
      post(`${reviews}/selfsubjectrulesreviews`, { spec: { namespace: '{{ns}}' } }, alice),
      post(`${reviews}/selfsubjectrulesreviews`, { spec: {} }, alice),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { ...alice, groups: ['g1', 'g2'] }),
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        { kind: 'SelfSubjectReview', apiVersion: 'authentication.k8s.io/v1' },
        alice,
      ),
    ],
  },
  {
    name: 'protobuf is not needed for reviews, but tables and dry runs are',
    steps: [
      post(`${reviews}/selfsubjectaccessreviews?dryRun=All`, { spec: { nonResourceAttributes: { path: '/x', verb: 'get' } } }),
      post(`${reviews}/subjectaccessreviews?dryRun=All`, access({ verb: 'get', resource: 'x' })),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews?dryRun=All', {}, alice),
      post('/apis/authentication.k8s.io/v1/tokenreviews?dryRun=All', { spec: { token: 'x' } }),
    ],
  },
  {
    name: 'impersonation',
    steps: [
      get(maps, { headers: { 'Impersonate-Group': 'g' } }),
      get(maps, { headers: { 'Impersonate-Uid': 'u' } }),
      get(maps, { headers: { 'Impersonate-Extra-a': 'b' } }),
      post(
        '/apis/authentication.k8s.io/v1/selfsubjectreviews',
        {},
        {
          as: 'bob',
          groups: ['x', 'y'],
          headers: { 'Impersonate-Uid': 'u1', 'Impersonate-Extra-Some%2fKey': 'v', 'Impersonate-Extra-Two': ['a', 'b'] },
        },
      ),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { as: 'system:anonymous' }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { as: 'system:serviceaccount:{{ns}}:default' }),
      post('/apis/authentication.k8s.io/v1/selfsubjectreviews', {}, { as: 'x', groups: ['system:authenticated', 'system:masters'] }),
      get(maps, { anonymous: true, headers: { 'Impersonate-User': 'x' } }),
    ],
  },
  {
    name: 'impersonating without the right',
    steps: [
      post(
        `${ns}/serviceaccounts/default/token`,
        { spec: { expirationSeconds: 3600 } },
        { capture: { token: 'status.token' }, codeOnly: true },
      ),
      get(maps, { headers: { Authorization: 'Bearer {{token}}', 'Impersonate-User': 'bob' } }),
      get(maps, { headers: { Authorization: 'Bearer {{token}}', 'Impersonate-User': 'system:serviceaccount:{{ns}}:other' } }),
      get(maps, { headers: { Authorization: 'Bearer {{token}}' } }),
    ],
  },
];
