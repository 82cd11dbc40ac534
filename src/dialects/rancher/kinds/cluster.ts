import { inert } from '../../../api/inert-fields.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { anyObject, flag, integer, list, mapOf, object, openObject, optional, quantity, text } from '../../../api/schema.ts';
import { clusterIdPattern, managementGroup, provisioningGroup } from '../names.ts';
import { rancherConditions } from './condition.ts';

const agentEnvVars = optional(
  list(
    'Further variables for the agent of the cluster.',
    openObject('A variable.', { name: text('The name of the variable.'), value: optional(text('Its value. Empty when absent.')) }),
  ),
);

const agentCustomization = optional(
  openObject('How the Deployment of the agent differs from the usual one.', {
    appendTolerations: optional(list('Tolerations besides the usual ones.', anyObject('A toleration.'))),
    overrideAffinity: optional(anyObject('The affinity in place of the usual one.')),
    overrideResourceRequirements: optional(anyObject('Requests and limits in place of the usual ones.')),
    schedulingCustomization: optional(
      openObject('Priority and disruption of the agent.', {
        priorityClass: optional(anyObject('The priority of the agent: value and preemptionPolicy.')),
        podDisruptionBudget: optional(anyObject('How many of its pods must be there: minAvailable or maxUnavailable.')),
      }),
    ),
  }),
);

const shared = {
  agentEnvVars,
  clusterAgentDeploymentCustomization: agentCustomization,
  fleetAgentDeploymentCustomization: optional(
    anyObject(inert('How the agent of Fleet differs from the usual one.', 'there is no agent of Fleet')),
  ),
  localClusterAuthEndpoint: optional(
    openObject(inert('An address at which people reach the cluster without the hub.', 'people reach it through the hub'), {
      enabled: optional(flag('Whether there is one.')),
      fqdn: optional(text('The host name of the address.')),
      caCerts: optional(text('The authorities that vouch for it, PEM.')),
    }),
  ),
};

/** A member as Rancher's own controllers know it. Its name is the id of the cluster. */
export const ManagementCluster = defineKind({
  group: managementGroup,
  version: 'v3',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Cluster',
  description:
    'A member as Rancher knows it, named by its id. One is there for every cluster of the hub; making one makes a cluster that waits for its agent.',
  spec: openObject('What the cluster is said to be.', {
    displayName: optional(text('How people call the cluster. Its id when absent.')),
    description: optional(text('What the cluster is for.')),
    internal: optional(flag('Whether it is the hub itself.')),
    importedConfig: optional(anyObject('There for clusters that are imported.')),
    fleetWorkspaceName: optional(text('The namespace of its provisioning Cluster. It has none when absent.')),
    enableNetworkPolicy: optional(flag(inert('Whether projects are kept apart on the network.'))),
    desiredAgentImage: optional(text('The image of the agent. The one of the hub when absent.')),
    agentImageOverride: optional(text('The image of the agent, whatever else is said.')),
    ...shared,
  }),
  status: openObject('What the cluster was last seen to be.', {
    conditions: rancherConditions,
    driver: optional(text('How the cluster came to be: imported, local, k3s, rke2. Empty until its agent has connected.')),
    provider: optional(text('The distribution: k3s, rke2, eks, gke, aks, harvester and others.')),
    apiEndpoint: optional(text('The address of its API server, where it is known.')),
    caCert: optional(text('The authorities that vouch for that address, PEM in base64.')),
    version: optional(
      openObject('The version of Kubernetes.', {
        major: optional(text('Such as "1".')),
        minor: optional(text('Such as "36".')),
        gitVersion: optional(text('Such as "v1.36.3".')),
        platform: optional(text('Such as "linux/amd64".')),
      }),
    ),
    capacity: optional(mapOf('The capacity of all nodes together.', quantity('An amount.'))),
    allocatable: optional(mapOf('What pods may use of it.', quantity('An amount.'))),
    requested: optional(mapOf('What pods have asked for.', quantity('An amount.'))),
    limits: optional(mapOf('What pods may use at the most.', quantity('An amount.'))),
    nodeCount: optional(integer('How many nodes there are.')),
    agentImage: optional(text('The image of the agent.')),
    appliedAgentEnvVars: agentEnvVars,
    info: optional(
      openObject('Facts about the machines.', {
        machineProvider: optional(text('Who provides them.')),
        kubernetesVersion: optional(text('The version of Kubernetes.')),
        nodeCount: optional(integer('How many nodes there are.')),
        arch: optional(text('Their architecture.')),
        provisioningClusterRef: optional(
          openObject('The provisioning Cluster.', {
            apiVersion: optional(text('Its API version.')),
            kind: optional(text('Its kind.')),
            namespace: optional(text('Its namespace.')),
            name: optional(text('Its name.')),
          }),
        ),
      }),
    ),
  }),
  rules: [
    {
      rule: `self.metadata.name.matches('${clusterIdPattern}')`,
      message: 'the name is the id of the cluster: "c-" and five, or "c-m-" and eight lower-case letters and digits',
    },
  ],
  columns: [
    { name: 'Display Name', type: 'string', path: '.spec.displayName' },
    { name: 'Ready', type: 'string', path: '.status.conditions[?(@.type=="Ready")].status' },
    { name: 'Provider', type: 'string', path: '.status.provider' },
    { name: 'Version', type: 'string', path: '.status.version.gitVersion' },
    { name: 'Nodes', type: 'integer', path: '.status.nodeCount' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type ManagementCluster = ObjectFor<typeof ManagementCluster>;

/** A cluster as people ask Rancher for it. */
export const ProvisioningCluster = defineKind({
  group: provisioningGroup,
  version: 'v1',
  kind: 'Cluster',
  plural: 'clusters',
  scope: 'Namespaced',
  description: 'A cluster that is to be imported. It becomes a member that waits for its agent; status.clusterName is its id.',
  spec: openObject('What the cluster is said to be.', {
    rkeConfig: optional(anyObject('How the hub is to make the cluster. Absent for clusters that are imported; others are not made here.')),
    kubernetesVersion: optional(text(inert('The wanted version of Kubernetes.', 'the hub makes no clusters'))),
    ...shared,
  }),
  status: openObject('What the cluster was last seen to be.', {
    ready: optional(flag('Whether the cluster has been ready at least once.')),
    clusterName: optional(text('The id of the cluster: the name of its management Cluster and of its namespace.')),
    fleetWorkspaceName: optional(text('The namespace of this object.')),
    agentDeployed: optional(flag('Whether its agent has connected.')),
    observedGeneration: optional(integer('The generation of the object this status is about.')),
    conditions: rancherConditions,
  }),
  rules: [
    {
      rule: 'has(self.spec.rkeConfig) == has(oldSelf.spec.rkeConfig)',
      message: 'rkeConfig cannot be added or taken away',
    },
  ],
  columns: [
    { name: 'Ready', type: 'string', path: '.status.ready' },
    { name: 'Id', type: 'string', path: '.status.clusterName' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type ProvisioningCluster = ObjectFor<typeof ProvisioningCluster>;

/** What the agent of a cluster introduces itself with. */
export const ClusterRegistrationToken = defineKind({
  group: managementGroup,
  version: 'v3',
  kind: 'ClusterRegistrationToken',
  plural: 'clusterregistrationtokens',
  scope: 'Namespaced',
  description:
    'Lets the agent of one cluster introduce itself to the hub, and says where the manifest is that deploys it. It stands in the namespace of the cluster.',
  spec: object('For which cluster, and for how long.', {
    clusterName: optional(text('The id of the cluster, also the name of the namespace.')),
    ttl: optional(
      integer('After how many minutes the token is replaced. Never when absent; 0 stands for the setting "crt-default-ttl-minutes".'),
    ),
    gracePeriod: optional(
      integer('How many minutes a replaced token can still be used. The setting "crt-default-grace-period-minutes" when absent.'),
    ),
  }),
  status: openObject('The token and what to do with it.', {
    token: optional(text('The token. The first cluster that uses it is the only one that ever can.')),
    previousToken: optional(text('The token before it, while that can still be used.')),
    manifestUrl: optional(text('Where the manifest is that makes a cluster a member.')),
    command: optional(text('What to run on the cluster.')),
    insecureCommand: optional(text('What to run on the cluster when it does not trust the certificate of the hub.')),
    nodeCommand: optional(text('Always empty: nodes are not made here.')),
    insecureNodeCommand: optional(text('Always empty: nodes are not made here.')),
    windowsNodeCommand: optional(text('Always empty: nodes are not made here.')),
    insecureWindowsNodeCommand: optional(text('Always empty: nodes are not made here.')),
    expiresAt: optional(text('When the token is replaced. Never when absent.')),
    gracePeriodExpiresAt: optional(text('Until when the previous token can be used.')),
    conditions: rancherConditions,
  }),
  columns: [
    { name: 'Cluster', type: 'string', path: '.spec.clusterName' },
    { name: 'Age', type: 'date', path: '.metadata.creationTimestamp' },
  ],
});
export type ClusterRegistrationToken = ObjectFor<typeof ClusterRegistrationToken>;
