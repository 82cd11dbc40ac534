import type { Cluster } from '../../../api/cluster.ts';
import { clusterId } from '../../../core/clusters/cluster-id.ts';
import type { AgentWishes, ManifestWishes } from '../../../core/registration/manifest-options.ts';
import { isJsonObject, type Json, type JsonObject } from '../../../util/json.ts';
import type { ManagementCluster } from '../kinds/cluster.ts';
import { rancherLabels } from '../names.ts';
import type { RancherObjects } from '../rancher-objects.ts';

/** What the settings and the Clusters of Rancher say about the import manifest of one cluster. */
export function manifestWishes({ settings, managementClusters }: Pick<RancherObjects, 'settings' | 'managementClusters'>) {
  return (cluster: Cluster): ManifestWishes => {
    const management = managementClusters.get(clusterId(cluster));
    const server = settings.effective('server-url');
    const { agentImageOverride, desiredAgentImage } = management?.spec ?? {};
    const image = agentImageOverride || desiredAgentImage || chosen(settings.effective('agent-image'));
    return {
      ...(server.source !== 'default' && { server: server.value.replace(/\/+$/, '') }),
      ...(image && { image }),
      installUuid: settings.value('install-uuid'),
      registry: settings.value('system-default-registry'),
      isStrict: settings.value('agent-tls-mode') !== 'system-store',
      // Harvester cannot do without this namespace, and its manual warns of those who delete by the manifest.
      keepsNamespace: cluster.metadata.labels?.[rancherLabels.provider] === 'harvester',
      agent: agentWishes(management),
    };
  };
}

const chosen = ({ source, value }: { source: string; value: string }): string => (source === 'default' ? '' : value);

/** What people wrote on the Cluster, as far as it can be meant. */
export function agentWishes(management: ManagementCluster | undefined): AgentWishes {
  const { agentEnvVars = [], clusterAgentDeploymentCustomization: custom = {} } = management?.spec ?? {};
  const { appendTolerations, overrideAffinity, overrideResourceRequirements, schedulingCustomization } = custom;
  const priority = priorityOf(schedulingCustomization?.priorityClass);
  const disruptionBudget = budgetOf(schedulingCustomization?.podDisruptionBudget);
  return {
    env: agentEnvVars.map(({ name, value = '' }) => ({ name, value })),
    ...(appendTolerations && { tolerations: appendTolerations }),
    ...(overrideAffinity && { affinity: overrideAffinity }),
    ...(overrideResourceRequirements && { resources: overrideResourceRequirements }),
    ...(priority && { priority }),
    ...(disruptionBudget && { disruptionBudget }),
  };
}

function priorityOf(wanted: JsonObject | undefined): AgentWishes['priority'] {
  const { value, preemptionPolicy } = wanted ?? {};
  if (typeof value !== 'number') return undefined;
  return { value, ...(typeof preemptionPolicy === 'string' && preemptionPolicy !== '' && { preemptionPolicy }) };
}

/** Rancher writes numbers as text, and "0" for what is not wanted. */
function budgetOf(wanted: JsonObject | undefined): AgentWishes['disruptionBudget'] {
  if (!isJsonObject(wanted)) return undefined;
  const minAvailable = amountOf(wanted['minAvailable']);
  if (minAvailable !== undefined) return { minAvailable };
  const maxUnavailable = amountOf(wanted['maxUnavailable']);
  return maxUnavailable === undefined ? undefined : { maxUnavailable };
}

function amountOf(value: Json | undefined): number | string | undefined {
  const text = String(value ?? '');
  if (/^[0-9]{1,2}%$|^100%$/.test(text)) return text === '0%' ? undefined : text;
  return /^[1-9][0-9]{0,5}$/.test(text) ? Number(text) : undefined;
}
