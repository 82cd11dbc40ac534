import type { KubeObject } from '../../api/object.ts';

export const flowSchemas = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'flowschemas' };
export const priorityLevels = { group: 'flowcontrol.apiserver.k8s.io', version: 'v1', resource: 'prioritylevelconfigurations' };
export const flowControlProducer = 'api-priority-and-fairness-config-producer-v1';

const object = (kind: string, name: string, spec: object): KubeObject => ({
  apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
  kind,
  metadata: { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': 'true' } },
  spec,
});

interface Queues {
  queues: number;
  handSize: number;
}

const limited = (name: string, nominalConcurrencyShares: number, lendablePercent: number, queuing?: Queues) =>
  object('PriorityLevelConfiguration', name, {
    type: 'Limited',
    limited: {
      nominalConcurrencyShares,
      lendablePercent,
      limitResponse: queuing ? { type: 'Queue', queuing: { ...queuing, queueLengthLimit: 50 } } : { type: 'Reject' },
    },
  });

/** The levels every server of the real kind has from its start. */
export const systemPriorityLevels: readonly KubeObject[] = [
  object('PriorityLevelConfiguration', 'exempt', { type: 'Exempt', exempt: { nominalConcurrencyShares: 0, lendablePercent: 0 } }),
  limited('catch-all', 5, 0),
  limited('system', 30, 33, { queues: 64, handSize: 6 }),
  limited('node-high', 40, 25, { queues: 64, handSize: 6 }),
  limited('leader-election', 10, 0, { queues: 16, handSize: 4 }),
  limited('workload-high', 40, 50, { queues: 128, handSize: 6 }),
  limited('workload-low', 100, 90, { queues: 128, handSize: 6 }),
  limited('global-default', 20, 50, { queues: 128, handSize: 6 }),
];

const group = (name: string) => ({ kind: 'Group', group: { name } });
const user = (name: string) => ({ kind: 'User', user: { name } });
const systemServiceAccounts = { kind: 'ServiceAccount', serviceAccount: { namespace: 'kube-system', name: '*' } };
const everybody = [group('system:unauthenticated'), group('system:authenticated')];
const everything = {
  resourceRules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'], clusterScope: true, namespaces: ['*'] }],
  nonResourceRules: [{ verbs: ['*'], nonResourceURLs: ['*'] }],
};
const leases = (verbs: readonly string[]) => ({ verbs, apiGroups: ['coordination.k8s.io'], resources: ['leases'], namespaces: ['*'] });

const flowSchema = (name: string, level: string, matchingPrecedence: number, by: string, subjects: readonly object[], rules: object) =>
  object('FlowSchema', name, {
    priorityLevelConfiguration: { name: level },
    matchingPrecedence,
    ...(by !== '' && { distinguisherMethod: { type: by } }),
    rules: [{ subjects, ...rules }],
  });

/** The flows every server of the real kind tells apart from its start. */
export const systemFlowSchemas: readonly KubeObject[] = [
  flowSchema('exempt', 'exempt', 1, '', [group('system:masters')], everything),
  flowSchema('probes', 'exempt', 2, '', everybody, {
    nonResourceRules: [{ verbs: ['get'], nonResourceURLs: ['/healthz', '/readyz', '/livez'] }],
  }),
  flowSchema(
    'system-leader-election',
    'leader-election',
    100,
    'ByUser',
    [user('system:kube-controller-manager'), user('system:kube-scheduler'), systemServiceAccounts],
    { resourceRules: [leases(['get', 'create', 'update'])] },
  ),
  flowSchema('system-node-high', 'node-high', 400, 'ByUser', [group('system:nodes')], {
    resourceRules: [
      { verbs: ['*'], apiGroups: [''], resources: ['nodes', 'nodes/status'], clusterScope: true, namespaces: ['*'] },
      leases(['*']),
    ],
  }),
  flowSchema('system-nodes', 'system', 500, 'ByUser', [group('system:nodes')], everything),
  flowSchema('kube-controller-manager', 'workload-high', 800, 'ByNamespace', [user('system:kube-controller-manager')], everything),
  flowSchema('kube-scheduler', 'workload-high', 800, 'ByNamespace', [user('system:kube-scheduler')], everything),
  flowSchema('kube-system-service-accounts', 'workload-high', 900, 'ByNamespace', [systemServiceAccounts], everything),
  flowSchema('service-accounts', 'workload-low', 9000, 'ByUser', [group('system:serviceaccounts')], everything),
  flowSchema('global-default', 'global-default', 9900, 'ByUser', everybody, everything),
  flowSchema('catch-all', 'catch-all', 10000, 'ByUser', everybody, everything),
];
