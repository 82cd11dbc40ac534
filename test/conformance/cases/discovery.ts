import { del, get, post, request, until, type Case } from '../case.ts';
import { crd, established } from '../sample-crd.ts';

const aggregated = { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList' };
const groupVersions = [
  'admissionregistration.k8s.io/v1',
  'apiextensions.k8s.io/v1',
  'apiregistration.k8s.io/v1',
  'apps/v1',
  'authentication.k8s.io/v1',
  'authorization.k8s.io/v1',
  'autoscaling/v1',
  'autoscaling/v2',
  'batch/v1',
  'certificates.k8s.io/v1',
  'coordination.k8s.io/v1',
  'discovery.k8s.io/v1',
  'events.k8s.io/v1',
  'flowcontrol.apiserver.k8s.io/v1',
  'networking.k8s.io/v1',
  'node.k8s.io/v1',
  'policy/v1',
  'rbac.authorization.k8s.io/v1',
  'resource.k8s.io/v1',
  'scheduling.k8s.io/v1',
  'storage.k8s.io/v1',
];
// Other cases add groups of custom resources meanwhile.
const isBuiltIn = (item: Record<string, unknown>): boolean => {
  const name = String(item['name'] ?? (item['metadata'] as Record<string, unknown> | undefined)?.['name'] ?? '');
  return !name.endsWith('.example.com');
};

export const cases: readonly Case[] = [
  { name: 'the core versions', steps: [get('/api'), get('/api/')] },
  { name: 'the group list', steps: [get('/apis', { keep: isBuiltIn }), get('/apis/', { keep: isBuiltIn })] },
  { name: 'the core resources', steps: [get('/api/v1'), get('/api/v1/')] },
  { name: 'aggregated core', steps: [get('/api', { headers: aggregated })] },
  { name: 'aggregated groups', steps: [get('/apis', { headers: aggregated, keep: isBuiltIn })] },
  {
    name: 'aggregated discovery falls back to v2 when v2beta1 comes first',
    steps: [
      get('/api', {
        headers: {
          Accept:
            'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json',
        },
      }),
      get('/api', { headers: { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList,application/json' } }),
      get('/api', { headers: { Accept: 'application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList' } }),
    ],
  },
  {
    name: 'an unchanged aggregated document is not sent again',
    steps: [
      get('/api', { headers: aggregated, capture: { etag: 'header:etag' } }),
      get('/api', { headers: { ...aggregated, 'If-None-Match': '{{etag}}' } }),
    ],
  },
  ...groupVersions.flatMap((gv): Case[] => [
    { name: `resources of ${gv}`, steps: [get(`/apis/${gv}`)] },
    { name: `versions of the group of ${gv}`, steps: [get(`/apis/${gv.split('/')[0]}`)] },
  ]),
  {
    name: 'discovery in yaml',
    steps: [get('/api/v1', { headers: { Accept: 'application/yaml' } }), get('/api', { headers: { Accept: 'application/yaml' } })],
  },
  {
    name: 'unknown groups, versions and resources',
    steps: [
      get('/apis/nowhere.example.com'),
      get('/apis/nowhere.example.com/v1'),
      get('/apis/nowhere.example.com/v1/things'),
      get('/apis/apps/v9'),
      get('/apis/apps/v9/deployments'),
      get('/apis/apps/v1/things'),
      get('/api/v2'),
      get('/api/v1/things'),
      get('/api/v1/namespaces/default/things'),
      get('/api/v1/namespaces/default/things/x'),
      get('/api/v1/namespaces/default/pods/x/things'),
    ],
  },
  {
    name: 'a custom resource appears in discovery and disappears',
    steps: [
      post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd({ shortNames: ['wi'], categories: ['all'] })),
      established,
      until('/apis/{{group}}/v1', (_, code) => code === 200),
      get('/apis/{{group}}/v1'),
      get('/apis/{{group}}'),
      get('/apis', {
        headers: aggregated,
        keep: item => String((item['metadata'] as Record<string, unknown>)['name']).startsWith('c') && false,
      }),
      del('/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.{{group}}', undefined, { codeOnly: true }),
      until('/apis/{{group}}/v1', (_, code) => code === 404),
      until('/apis/{{group}}', (_, code) => code === 404),
      get('/apis/{{group}}/v1'),
    ],
  },
  {
    name: 'version',
    steps: [get('/version', { ignore: ['git.*', 'buildDate', 'goVersion', 'compiler', 'platform'] }), get('/version/', { codeOnly: true })],
  },
  {
    name: 'health',
    steps: [
      get('/healthz'),
      get('/livez'),
      get('/readyz'),
      get('/readyz/ping'),
      get('/livez/ping'),
      get('/readyz/nothing'),
      get('/healthz?verbose', { codeOnly: true }),
      get('/readyz', { anonymous: true }),
    ],
  },
  {
    name: 'methods that discovery does not offer',
    steps: [
      post('/api/v1', {}),
      post('/apis', {}),
      del('/apis/apps'),
      request('PUT', '/version', {}),
      request('OPTIONS', '/api'),
      request('HEAD', '/api/v1'),
    ],
  },
  {
    name: 'openapi v3 names every group version',
    steps: [get('/openapi/v3', { ignore: ['paths\\.apis/[a-z0-9]+\\.example\\.com.*'], keep: () => true })],
    alone: true,
  },
  {
    name: 'openid configuration',
    steps: [get('/.well-known/openid-configuration', { ignore: ['jwks_uri'] }), get('/openid/v1/jwks', { codeOnly: true })],
  },
];
