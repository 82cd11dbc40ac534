import { del, get, post, table, until, type Case, type UntilStep } from '../case.ts';
import { crd, crdPath, established, served, widget, widgetPath } from '../sample-crd.ts';

const ns = '/api/v1/namespaces/{{ns}}';
const secrets = `${ns}/secrets`;
const secret = (name: string, labels: object = {}, type = 'Opaque'): object => ({ metadata: { name, labels }, type });
const seed = [
  post(secrets, secret('a', { tier: 'web', n: '1' }), { codeOnly: true }),
  post(secrets, secret('b', { tier: 'db', n: '5' }, 'example.com/x'), { codeOnly: true }),
  post(secrets, secret('c', { n: '10' }), { codeOnly: true }),
  post(secrets, secret('d', {}), { codeOnly: true }),
];

/** Reads at version 0 come from a cache that follows a moment later. */
const inCache = (count: number): UntilStep =>
  until(`${secrets}?resourceVersion=0`, b => (b as { items?: unknown[] }).items?.length === count);

const labelSelectors = [
  'tier=web',
  'tier==web',
  'tier!=web',
  'tier in (web,db)',
  'tier notin (web)',
  'tier',
  '!tier',
  'n>4',
  'n<6',
  'tier=web,n=1',
  'tier=web,n=2',
  'tier=',
  'tier in ()',
  'n>x',
  'tier in (web',
  'tier=web,',
  ',',
  '=',
  'a=b=c',
  'tier web',
  'x y=z',
  'tier in (web),',
  '!',
  'tier!web',
  'a/b/c=d',
  'tier=bad value',
  'n>1,n<9',
  'tier notin (web,)',
  '(a)',
  'tier=w*',
  'n>=5',
  "tier='web'",
];
const fieldSelectors = [
  'metadata.name=a',
  'metadata.name==a',
  'metadata.name!=a',
  'metadata.namespace={{ns}}',
  'metadata.namespace=other',
  'type=Opaque',
  'type!=Opaque',
  'metadata.name=a,type=Opaque',
  'metadata.name=a,metadata.name=b',
  'spec.nodeName=x',
  'metadata.uid=x',
  'metadata.name',
  'metadata.name=a\\,b',
  'metadata.name=',
  '=',
  ',',
  'metadata.labels.tier=web',
  'status.phase=x',
  'metadata.name=a=b',
  'metadata.name in (a)',
];
const podSelectors = [
  'spec.nodeName=',
  'spec.nodeName!=x',
  'status.phase=Pending',
  'spec.restartPolicy=Always',
  'spec.schedulerName=default-scheduler',
  'spec.serviceAccountName=default',
  'spec.hostNetwork=false',
  'status.podIP=',
  'status.nominatedNodeName=',
  'spec.terminationGracePeriodSeconds=30',
];
const otherFields: readonly [string, readonly string[]][] = [
  [`${ns}/services`, ['spec.clusterIP=None', 'spec.type=ClusterIP', 'spec.type!=ClusterIP', 'spec.ports=x']],
  ['/api/v1/namespaces', ['status.phase=Terminating', 'metadata.name={{ns}}', 'spec.x=y']],
  ['/api/v1/nodes', ['spec.unschedulable=true', 'status.phase=x']],
  ['/apis/batch/v1/namespaces/{{ns}}/jobs', ['status.successful=0', 'status.failed=0']],
  ['/apis/apps/v1/namespaces/{{ns}}/replicasets', ['status.replicas=0', 'spec.replicas=0']],
  ['/apis/apps/v1/namespaces/{{ns}}/deployments', ['status.replicas=0', 'metadata.name=x']],
  [`${ns}/replicationcontrollers`, ['status.replicas=0']],
  [
    `${ns}/events`,
    [
      'involvedObject.kind=Pod',
      'involvedObject.name=x,involvedObject.uid=y',
      'reason=x',
      'type=Normal',
      'source=x',
      'reportingComponent=x',
      'regarding.kind=Pod',
      'involvedObject.fieldPath=x',
    ],
  ],
  [
    '/apis/events.k8s.io/v1/namespaces/{{ns}}/events',
    ['regarding.kind=Pod', 'reportingController=x', 'involvedObject.kind=Pod', 'reason=x'],
  ],
  ['/apis/certificates.k8s.io/v1/certificatesigningrequests', ['spec.signerName=x', 'spec.username=x']],
  ['/apis/resource.k8s.io/v1/resourceslices', ['spec.nodeName=x', 'spec.driver=x', 'spec.pool=x']],
  ['/apis/rbac.authorization.k8s.io/v1/namespaces/{{ns}}/roles', ['metadata.name=x', 'rules=x']],
  ['/apis/storage.k8s.io/v1/storageclasses', ['metadata.name=x', 'provisioner=x']],
  [`${ns}/endpoints`, ['metadata.name=x', 'subsets=x']],
  [`${ns}/persistentvolumeclaims`, ['metadata.name=x', 'name=x', 'status.phase=x']],
  ['/api/v1/persistentvolumes', ['name=x', 'metadata.name=x', 'spec.x=y']],
  ['/apis/apiextensions.k8s.io/v1/customresourcedefinitions', ['metadata.name=x', 'spec.group=x']],
];
const optionErrors = [
  'resourceVersionMatch=NotOlderThan',
  'resourceVersionMatch=Exact',
  'resourceVersionMatch=Exact&resourceVersion=0',
  'resourceVersionMatch=Wrong&resourceVersion=1',
  'resourceVersionMatch=Exact&continue=x',
  'sendInitialEvents=true',
  'sendInitialEvents=false',
  'sendInitialEvents=maybe',
  'resourceVersion=x',
  'resourceVersion=-1',
  'limit=x',
  'limit=-1',
  'limit=0',
  'limit=99999999999999999999',
  'continue=x',
  'continue=x&resourceVersion=5',
  'continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiJ4In0',
  'continue=eyJ2IjoieCJ9',
  'watch=true&resourceVersionMatch=NotOlderThan&resourceVersion=1',
  'watch=true&sendInitialEvents=true',
  'watch=true&sendInitialEvents=true&resourceVersionMatch=Exact',
  'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=x',
  'watch=true&resourceVersion=x',
  'watch=true&continue=x&timeoutSeconds=1',
  'watch=true&limit=1&timeoutSeconds=1&resourceVersion=0',
  'watch=true&sendInitialEvents=false&timeoutSeconds=1',
  'watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan&timeoutSeconds=1',
  'resourceVersion=99999999',
  'resourceVersion=99999999&resourceVersionMatch=Exact',
];

export const cases: readonly Case[] = [
  ...chunk(labelSelectors, 4).map((selectors, i): Case => ({
    name: `label selectors ${i + 1}: ${selectors.join(' ; ')}`,
    steps: [...seed, ...selectors.map(s => get(`${secrets}?labelSelector=${encodeURIComponent(s)}`))],
  })),
  ...chunk(fieldSelectors, 4).map((selectors, i): Case => ({
    name: `field selectors ${i + 1}: ${selectors.join(' ; ')}`,
    steps: [...seed, ...selectors.map(s => get(`${secrets}?fieldSelector=${escape(s)}`))],
  })),
  {
    name: 'field selectors of pods',
    steps: [
      post(`${ns}/pods`, { metadata: { name: 'p' }, spec: { containers: [{ name: 'c', image: 'i' }] } }),
      ...podSelectors.map(s => get(`${ns}/pods?fieldSelector=${escape(s)}`)),
    ],
  },
  ...otherFields.map(([path, selectors]): Case => ({
    name: `field selectors of ${path}`,
    steps: selectors.map(s => get(`${path}?fieldSelector=${escape(s)}`, { keep: () => true, codeOnly: s === 'status.phase=Terminating' })),
  })),
  ...optionErrors.map((query): Case => ({
    name: `options ${query}`,
    steps: [...seed.slice(0, 1), inCache(1), get(`${secrets}?${query}`, { ignore: query.includes('99999999') ? ['message'] : [] })],
  })),
  {
    name: 'paging with a limit',
    steps: [
      ...seed,
      inCache(4),
      get(`${secrets}?limit=2`, { capture: { next: 'metadata.continue' } }),
      get(`${secrets}?limit=2&continue={{next}}`),
      get(`${secrets}?limit=1&continue={{next}}`, { capture: { last: 'metadata.continue' } }),
      get(`${secrets}?continue={{next}}`),
      get(`${secrets}?limit=5&continue={{last}}`),
      get(`${secrets}?limit=2&continue={{next}}&resourceVersion=0`),
      get(`${secrets}?limit=4`),
      get(`${secrets}?limit=2&labelSelector=n`, { capture: { selected: 'metadata.continue' } }),
      get(`${secrets}?limit=2&labelSelector=n&continue={{selected}}`),
      get(`${secrets}?limit=2&resourceVersion=0`),
      get(`${secrets}?limit=1`, { headers: table }),
      get(`${secrets}?limit=1`, { headers: { Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' } }),
    ],
  },
  {
    name: 'a page does not see later writes',
    steps: [
      ...seed,
      get(`${secrets}?limit=1`, { capture: { next: 'metadata.continue' } }),
      del(`${secrets}/b`, undefined, { codeOnly: true }),
      post(secrets, secret('bb'), { codeOnly: true }),
      get(`${secrets}?limit=10&continue={{next}}`),
      get(secrets),
    ],
  },
  {
    name: 'lists at a version',
    steps: [
      ...seed.slice(0, 2),
      get(secrets, { capture: { rv: 'metadata.resourceVersion' } }),
      post(secrets, secret('later'), { codeOnly: true }),
      inCache(3),
      get(`${secrets}?resourceVersion={{rv}}&resourceVersionMatch=Exact`),
      get(`${secrets}?resourceVersion={{rv}}&resourceVersionMatch=NotOlderThan`),
      get(`${secrets}?resourceVersion={{rv}}`),
      get(`${secrets}?resourceVersion={{rv}}&limit=1`),
      get(`${secrets}?resourceVersion=0`),
      get(`${secrets}?resourceVersion=0&resourceVersionMatch=NotOlderThan`),
    ],
  },
  {
    name: 'an empty list',
    steps: [
      get(`${ns}/pods`),
      get('/apis/apps/v1/namespaces/{{ns}}/deployments'),
      get('/api/v1/namespaces/no-such-namespace/pods'),
      get(`${ns}/pods`, { headers: table }),
    ],
  },
  {
    name: 'lists of custom resources',
    steps: [
      post(crdPath, crd(), { codeOnly: true }),
      established,
      served,
      get(widgetPath),
      post(widgetPath, widget({ x: 1 }), { codeOnly: true }),
      post(widgetPath, widget({ x: 2 }, { name: 'b', labels: { l: 'm' } }), { codeOnly: true }),
      get(widgetPath),
      get(`${widgetPath}?limit=1`, { capture: { next: 'metadata.continue' } }),
      get(`${widgetPath}?limit=1&continue={{next}}`),
      get(`${widgetPath}?labelSelector=l%3Dm`),
      get(`${widgetPath}?fieldSelector=metadata.name%3Da`),
      get(`${widgetPath}?fieldSelector=spec.x%3D1`),
      get('/apis/{{group}}/v1/widgets'),
      get(widgetPath, { headers: table }),
      get(widgetPath, { headers: { Accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1' } }),
    ],
  },
];

function chunk<T>(items: readonly T[], size: number): T[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, i) => items.slice(i * size, (i + 1) * size));
}

/** Placeholders must survive the escaping. */
function escape(selector: string): string {
  return encodeURIComponent(selector).replaceAll('%7B%7B', '{{').replaceAll('%7D%7D', '}}');
}
