import { defineKind, type ObjectFor } from '../../api/define-kind.ts';
import { flag, integer, list, listMap, mapOf, object, oneOf, openObject, optional, quantity, text, time } from '../../api/schema.ts';

const secretRef = (what: string) =>
  object(what, {
    namespace: text('The namespace of the Secret.', { minLength: 1 }),
    name: text('The name of the Secret.', { minLength: 1 }),
  });

const taint = object('Keeps resources away from the cluster unless they tolerate it.', {
  key: text('The name of the taint.', { minLength: 1 }),
  value: optional(text('The value of the taint. Empty when absent.')),
  effect: oneOf(['NoSchedule', 'PreferNoSchedule', 'NoExecute'], 'What happens to resources that do not tolerate the taint.'),
  timeAdded: optional(time('When the taint was added.')),
});

const resourceModel = object('One class of nodes.', {
  grade: integer('The place of the class in the list.', { minimum: 0 }),
  ranges: list(
    'What nodes of the class have.',
    object('An amount of one resource.', {
      name: text('The resource.'),
      min: quantity('The least amount, inclusive.'),
      max: quantity('The greatest amount, exclusive.'),
    }),
  ),
});

const condition = object('One aspect of the cluster as it was last observed.', {
  type: text('What the condition is about.'),
  status: oneOf(['True', 'False', 'Unknown'], 'Whether it holds.'),
  reason: text('Why, in one word for programs.'),
  message: text('Why, for people.'),
  lastTransitionTime: time('When the status last changed.'),
  observedGeneration: optional(integer('The generation of the object the condition is about.')),
});

const label = { pattern: '^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$', maxLength: 63 };

/** A member as Karmada knows it. It becomes a Cluster of the same name; its status is mirrored back. */
export const KarmadaCluster = defineKind({
  group: 'cluster.karmada.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Cluster',
  description: 'Cluster represents the desired state and status of a member cluster.',
  spec: openObject('What the member cluster is said to be.', {
    id: optional(
      text('What tells the cluster apart from all others, normally the uid of its namespace kube-system.', { maxLength: 128_000 }),
    ),
    syncMode: oneOf(['Push', 'Pull'], 'Push: the hub calls the cluster. Pull: an agent in the cluster calls the hub.'),
    apiEndpoint: optional(text('The address of the API server: a host name or IP, with or without scheme and port.')),
    secretRef: optional(secretRef('The Secret whose keys "token" and "caBundle" give access to the cluster.')),
    impersonatorSecretRef: optional(secretRef('The Secret whose key "token" may impersonate users on the cluster.')),
    insecureSkipTLSVerification: optional(flag('Whether to believe any certificate of the API server.')),
    proxyURL: optional(text('The proxy through which the API server is reached.', { pattern: '^(https?|socks5)://' })),
    proxyHeader: optional(mapOf('Headers for the proxy.', text('The value of the header; several are separated by commas.'))),
    provider: optional(text('Who provides the cluster.', label)),
    region: optional(text('The region of the cluster.', label)),
    zone: optional(text('The zone of the cluster. Use zones instead.', label)),
    zones: optional(list('The zones of the cluster.', text('The name of a zone.', label))),
    taints: optional(list('Keep resources away that do not tolerate them.', taint)),
    resourceModels: optional(list('Classes of nodes, by which free capacity is counted.', resourceModel)),
  }),
  status: openObject('What the member cluster was last seen to be.', {
    kubernetesVersion: optional(text('The version of Kubernetes.')),
    apiEnablements: optional(
      list(
        'The kinds the cluster serves.',
        object('A version of an API group.', {
          groupVersion: text('Group and version.'),
          resources: optional(
            list('The kinds of the version.', object('A kind.', { name: text('The plural in lower case.'), kind: text('The kind.') })),
          ),
        }),
      ),
    ),
    conditions: optional(listMap('The aspects of the cluster as last observed.', condition, ['type'])),
    nodeSummary: optional(
      object('The nodes of the cluster.', {
        totalNum: optional(integer('How many there are.')),
        readyNum: optional(integer('How many of them are ready.')),
      }),
    ),
    resourceSummary: optional(
      openObject('The resources of the cluster.', {
        allocatable: optional(mapOf('What pods may use on all nodes together.', quantity('An amount.'))),
      }),
    ),
    remedyActions: optional(list('What must be done about the cluster.', text('An action.'))),
  }),
  rules: [
    {
      rule: "size(self.metadata.name) <= 48 && self.metadata.name.matches('^[a-z0-9]([-a-z0-9]*[a-z0-9])?$')",
      message: 'the name must be a DNS label of no more than 48 characters',
    },
    { rule: '!has(self.spec.zone) || !has(self.spec.zones) || size(self.spec.zones) == 0', message: 'Zone and Zones cannot co-exist' },
  ],
  columns: [
    { name: 'Version', type: 'string', path: '.status.kubernetesVersion' },
    { name: 'Mode', type: 'string', path: '.spec.syncMode' },
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
    { name: 'Zones', type: 'string', path: '.spec.zones', priority: 1 },
    { name: 'Region', type: 'string', path: '.spec.region', priority: 1 },
    { name: 'Provider', type: 'string', path: '.spec.provider', priority: 1 },
    { name: 'API-Endpoint', type: 'string', path: '.spec.apiEndpoint', priority: 1 },
    { name: 'Proxy-URL', type: 'string', path: '.spec.proxyURL', priority: 1 },
  ],
});
export type KarmadaCluster = ObjectFor<typeof KarmadaCluster>;

/** Held while the execution namespace and the Cluster go. */
export const karmadaClusterFinalizer = 'karmada.io/cluster-controller';

/** Where karmadactl keeps the credentials of members. */
export const karmadaClusterNamespace = 'karmada-cluster';

/** On everything that Karmada itself makes. */
export const karmadaSystemLabel = { 'karmada.io/system': 'true' };

/** The namespace that holds the Works of one member. */
export const executionNamespace = (cluster: string): string => `karmada-es-${cluster}`;
