import { conditions, notSeenYet } from './conditions.ts';
import { defineKind, type ObjectFor } from './define-kind.ts';
import { flag, integer, list, listMap, mapOf, object, oneOf, optional, quantity, text, time } from './schema.ts';
import { workAnnotations } from './work-annotations.ts';

const taint = object('Keeps services and workflows away from the cluster.', {
  key: text('The name of the taint.', { minLength: 1 }),
  value: optional(text('The value of the taint. Empty when absent.')),
  effect: oneOf(
    ['NoSchedule', 'PreferNoSchedule', 'NoExecute'],
    'NoSchedule: what is not on the cluster yet is not placed on it. NoExecute: what was placed on it goes away too. PreferNoSchedule: nothing.',
  ),
  timeAdded: optional(time('When the taint was added.')),
});

const connection = object(
  'How the hub reaches the API server of the cluster.',
  {
    mode: oneOf(
      ['Direct', 'Tunnel', 'Sandbox', 'Local'],
      'Direct: the hub calls the server. Tunnel: an agent in the cluster dials the hub. Sandbox: the cluster lives inside the hub. Local: it is the hub itself.',
    ),
    server: optional(text('The address of the API server, for Direct.', { pattern: '^https?://' })),
    caBundle: optional(text('The certificates that vouch for the server, PEM in base64. The system trusts nobody else when it is set.')),
    insecureSkipTLSVerify: optional(flag('Whether to believe any certificate of the server.')),
    tlsServerName: optional(text('The name expected in the certificate of the server. The host of the address when absent.')),
    proxyURL: optional(text('The HTTP proxy through which the server is reached. None when absent.')),
    secretName: optional(text('The Secret in the namespace of the cluster whose key "token" holds the credential, for Direct.')),
  },
  {
    rules: [
      { rule: "self.mode != 'Direct' || has(self.server)", message: 'server is required when mode is Direct' },
      { rule: "self.mode == 'Direct' || !has(self.server)", message: 'server is only for mode Direct' },
    ],
  },
);

const sandbox = object('What a sandbox cluster is made of.', {
  nodes: optional(integer('How many nodes it has.', { minimum: 1, maximum: 1000, default: 1 })),
  nodeCapacity: optional(mapOf('The capacity of each node. 32 CPUs, 256Gi of memory and 110 pods when absent.', quantity('An amount.'))),
});

const apiResource = object('A kind that the cluster serves.', {
  name: text('The plural in lower case, as in the path.'),
  kind: text('The kind in CamelCase.'),
});

const groupVersion = object('A version of an API group that the cluster serves.', {
  groupVersion: text('Group and version, such as "apps/v1".'),
  resources: list('The kinds of the version.', apiResource),
});

/** A member: a Kubernetes cluster that the hub manages. */
export const Cluster = defineKind({
  group: 'drover.io',
  version: 'v1alpha1',
  kind: 'Cluster',
  plural: 'clusters',
  categories: ['drover'],
  scope: 'Cluster',
  description: 'A member: a Kubernetes cluster that the hub manages.',
  spec: object(
    'What the cluster is said to be.',
    {
      id: optional(
        text('The id of the cluster, also the name of its namespace on the hub. Made from the uid of the object when absent.', {
          pattern: '^(local|c-[a-z0-9]{5}|c-m-[a-z0-9]{8})$',
        }),
      ),
      connection,
      sandbox: optional(sandbox),
      taints: optional(
        listMap('Keep away what chooses clusters by their labels. Works that name the cluster stay.', taint, ['key', 'effect']),
      ),
      paused: optional(flag('Whether the hub leaves the cluster as it is for now.')),
    },
    {
      rules: [
        { rule: 'has(self.id) == has(oldSelf.id) && (!has(self.id) || self.id == oldSelf.id)', message: 'id cannot be changed' },
        { rule: "!has(self.sandbox) || self.connection.mode == 'Sandbox'", message: 'sandbox is only for mode Sandbox' },
        {
          rule: "(self.connection.mode == 'Local') == (has(self.id) && self.id == 'local')",
          message: 'mode Local and id "local" go together: they mean the hub itself',
        },
      ],
    },
  ),
  status: object(
    'What the cluster was last seen to be.',
    {
      id: optional(text('The id of the cluster, also the name of its namespace on the hub.')),
      uid: optional(text('The uid of the namespace "kube-system" of the cluster, which no two clusters share.')),
      server: optional(text('The address at which people reach the API of the cluster itself, where it is known.')),
      version: optional(text('The version of Kubernetes, such as "v1.36.3".')),
      platform: optional(text('The platform of the API server, such as "linux/amd64".')),
      provider: optional(text('The distribution, where it could be told: k3s, rke2, eks, gke, aks, openshift, harvester, kwok, sandbox.')),
      nodes: optional(
        object('The nodes of the cluster.', {
          total: integer('How many there are.'),
          ready: integer('How many of them are ready.'),
        }),
      ),
      capacity: optional(mapOf('The capacity of all nodes together.', quantity('An amount.'))),
      allocatable: optional(mapOf('What pods may use of it.', quantity('An amount.'))),
      requested: optional(
        mapOf('What the pods on its nodes ask for together, and how many there are. Small changes are told late.', quantity('An amount.')),
      ),
      limits: optional(mapOf('What the pods on its nodes may use at the most, as far as they have limits.', quantity('An amount.'))),
      requestedPercent: optional(
        object('How much of what nodes offer is asked for, in hundredths.', {
          cpu: optional(integer('Of the processors.')),
          memory: optional(integer('Of the memory.')),
        }),
      ),
      regions: optional(
        list('Where the cluster is: what its label topology.kubernetes.io/region says, otherwise those of its nodes.', text('A region.')),
      ),
      apiResources: optional(list('The kinds the cluster serves.', groupVersion)),
      agentVersion: optional(text('The version of the agent, for Tunnel.')),
      lastSeen: optional(
        time('When the cluster last answered. While it goes on answering, the time is brought up to date every few minutes.'),
      ),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Reason', type: 'string', path: '.status.conditions[?(@.type=="Ready")].reason' },
    { name: 'Version', type: 'string', path: '.status.version' },
    { name: 'Nodes', type: 'integer', path: '.status.nodes.total' },
    { name: 'Mode', type: 'string', path: '.spec.connection.mode', priority: 1 },
    { name: 'Id', type: 'string', path: '.status.id', priority: 1 },
    { name: 'Region', type: 'string', path: '.status.regions[0]', priority: 1 },
    { name: 'Pods', type: 'string', path: '.status.requested.pods', priority: 1 },
    { name: 'CPU', type: 'string', path: '.status.allocatable.cpu', priority: 1 },
    { name: 'CPU%', type: 'integer', path: '.status.requestedPercent.cpu', priority: 1 },
    { name: 'Memory', type: 'string', path: '.status.allocatable.memory', priority: 1 },
    { name: 'Memory%', type: 'integer', path: '.status.requestedPercent.memory', priority: 1 },
    { name: 'Agent', type: 'string', path: '.status.agentVersion', priority: 1 },
    { name: 'Last Seen', type: 'date', path: '.status.lastSeen', priority: 1 },
    { name: 'Message', type: 'string', path: '.status.conditions[?(@.type=="Ready")].message', priority: 1 },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type Cluster = ObjectFor<typeof Cluster>;

/** Types of the conditions of a Cluster. `Ready` says whether Works can be delivered; a clock that is off is told by `ClockSynced` alone. */
export const clusterConditions = { ready: 'Ready', connected: 'Connected', clockSynced: 'ClockSynced' } as const;

/** Conditions of a Cluster whose agent runs there as a pod; absent when it runs elsewhere. */
export const agentConditions = {
  /** Whether the newest of its pods runs. When it does not, the reason is that of the pod: `ImagePullBackOff`, `CrashLoopBackOff`, `Unschedulable`. */
  deployed: 'AgentDeployed',
} as const;

/** Conditions of a Cluster that are there only while something is wrong. */
export const clusterFaults = {
  /** Two agents with the same identity want the tunnel of the cluster. */
  duplicateAgent: 'DuplicateAgent',
} as const;

/** Why a condition of a Cluster is what it is. */
export const clusterReasons = {
  /** `Ready` and `Connected` are True: the API server answers and says that it is ready. */
  answering: 'Answering',
  /** `Ready` is False: the API server answers, and says that it is not ready. */
  notReady: 'NotReady',
  /** Nothing answers at the address of the cluster, or not in time. */
  unreachable: 'Unreachable',
  /** The Secret with the credential, or its key, is not there. */
  credentialMissing: 'CredentialMissing',
  /** The API server does not accept the credential of the hub. */
  credentialRefused: 'CredentialRefused',
  /** No agent is connected, for clusters that are reached through a tunnel. */
  agentDisconnected: 'AgentDisconnected',
  /** The hub has not asked the cluster yet. */
  notAskedYet: 'NotAskedYet',
  /** `ClockSynced` is True: the clocks of hub and cluster agree. */
  clocksAgree: 'ClocksAgree',
  /** `ClockSynced` is False: the clocks differ so much that tokens and certificates may be refused. */
  clocksDiffer: 'ClocksDiffer',
  /** `ClockSynced` is Unknown: the cluster did not tell its time. */
  clockUnknown: 'ClockUnknown',
  /** `DuplicateAgent` is True: one agent serves, another with the same identity stands by. */
  sameIdentityTwice: 'SameIdentityTwice',
  /** `Ready` is False: the cluster is being removed, and what the hub put on it is being taken away first. */
  leaving: 'Leaving',
} as const;
export type ClusterReason = (typeof clusterReasons)[keyof typeof clusterReasons];

/** Held while the hub takes back what it put on the cluster and removes the namespace of the cluster. */
export const clusterFinalizer = 'drover.io/cluster';

export const clusterAnnotations = {
  /** On a Cluster: `drover join` is at work; the value is the uid of the cluster that is being joined. */
  joining: 'drover.io/joining',
  /** On a Cluster: "true" removes it without cleaning up on the member. */
  forceRemoval: workAnnotations.forceRemoval,
  /** On the namespace of a cluster: the name of the Cluster. */
  cluster: 'drover.io/cluster',
} as const;

export const clusterLabels = {
  /** On what the hub put on a member: the id of the cluster there. */
  clusterId: 'drover.io/cluster-id',
} as const;
