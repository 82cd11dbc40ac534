import type { TestContext } from 'node:test';
import { ConfigMap, Namespace } from '../../src/api/builtin-kinds.ts';
import { Cluster } from '../../src/api/cluster.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { clusterIndexes } from '../../src/core/clusters/cluster-indexes.ts';
import { openMember } from '../../src/core/delivery/member.ts';
import { accessGrants } from '../../src/dialects/k0rdent/access-grants.ts';
import { accessInformers } from '../../src/dialects/k0rdent/access-informers.ts';
import { clusterDeploymentAnnotation, clusterDeploymentIndex, clusterDeploymentsOf } from '../../src/dialects/k0rdent/cluster-of.ts';
import { healthRuleMaps } from '../../src/dialects/k0rdent/health-rules.ts';
import { k0rdentKinds } from '../../src/dialects/k0rdent/k0rdent-kinds.ts';
import { ClusterDeployment } from '../../src/dialects/k0rdent/kinds/cluster-deployment.ts';
import { Credential, StateManagementProvider } from '../../src/dialects/k0rdent/kinds/management.ts';
import { ServiceSet, type SetService } from '../../src/dialects/k0rdent/kinds/service-set.ts';
import { ServiceTemplate } from '../../src/dialects/k0rdent/kinds/template.ts';
import { remoteManifests } from '../../src/dialects/k0rdent/remote-manifests.ts';
import { runServiceSets, serviceSetIndexes } from '../../src/dialects/k0rdent/service-set-controller.ts';
import { serviceSetName } from '../../src/dialects/k0rdent/service-set-name.ts';
import { k0rdentSettings } from '../../src/dialects/k0rdent/settings.ts';
import { contentAnnotation } from '../../src/dialects/k0rdent/template-content.ts';
import { templateInformers } from '../../src/dialects/k0rdent/template-informers.ts';
import { templateRenderer } from '../../src/dialects/k0rdent/template-renderer.ts';
import { seedDefinitions } from '../../src/apiserver/crd/seed-definitions.ts';
import { installKinds } from '../../src/hub/install-kinds.ts';
import { informer } from '../../src/runtime/informer.ts';
import { createEgress } from '../../src/sources/egress.ts';
import type { JsonObject } from '../../src/util/json.ts';
import { eventually } from './eventually.ts';
import { startWorksWorld, type WorksWorld } from './works-world.ts';

/** Of the sets. */
export const setsNamespace = 'kcm-system';
const namespace = setsNamespace;
const cd = 'dev-cluster-1';

const configMap = `apiVersion: v1
kind: ConfigMap
metadata: { name: {{ .Release.Name }} }
data: { version: {{ .Chart.Version | quote }}, of: {{ .Values.of | default "nobody" | quote }} }
`;

export interface SetsWorld extends WorksWorld {
  /** Of a chart with a ConfigMap that tells its version and `values.of`, and whatever templates are given. */
  template(name: string, version: string, more?: Readonly<Record<string, string>>): Promise<void>;
  putSet(services: SetService[], options?: { mcs?: string; config?: JsonObject }): Promise<string>;
  states(set: string): Promise<Record<string, string>>;
  dataOf(release: string): Promise<Record<string, string> | undefined>;
}

/** A hub with the controller of ServiceSets, one ClusterDeployment, and its member. */
export async function startSetsWorld(t: TestContext): Promise<SetsWorld> {
  const world = await startWorksWorld(t);
  const { client } = world.hub;
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  const seed = seedDefinitions.bind(undefined, world.hub.api.cluster);
  await installKinds(client, k0rdentKinds, signal, { seed });
  await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const labels = { tier: 'dev' };
  await client.create(
    ClusterDeployment,
    newObject(ClusterDeployment, { name: cd, namespace, labels }, { template: 'adopted-cluster-1-0-1' }),
  );
  const annotations = { [clusterDeploymentAnnotation]: `${namespace}/${cd}` };
  await client.patch(Cluster, { name: 'east' }, { type: 'merge', body: { metadata: { annotations } } });
  const clusters = informer(client, Cluster, { signal, indexes: { ...clusterIndexes, [clusterDeploymentIndex]: clusterDeploymentsOf } });
  const templates = templateInformers(client, { signal, onError: () => () => {} });
  runServiceSets({
    hub: client,
    hubObjects: openMember('hub', client, { signal }),
    sets: informer(client, ServiceSet, { signal, indexes: serviceSetIndexes }),
    templates: templates.serviceTemplates,
    grants: accessGrants({ templates, access: accessInformers(client, { signal, onError: () => () => {} }) }),
    deployments: informer(client, ClusterDeployment, { signal }),
    credentials: informer(client, Credential, { signal }),
    providers: informer(client, StateManagementProvider, { signal }),
    clusters,
    works: world.works,
    settings: k0rdentSettings(client, { signal, onError: () => () => {} }),
    renderer: templateRenderer(signal),
    remotes: remoteManifests({ hub: client, egress: createEgress() }),
    ruleMaps: healthRuleMaps(client, { signal, onError: () => () => {} }),
    signal,
  });
  return {
    ...world,
    async template(name, version, more = {}) {
      const digest = await world.chart({ 'map.yaml': configMap, ...more }, version);
      const metadata = { name, namespace, annotations: { [contentAnnotation]: digest } };
      await client.apply(ServiceTemplate, newObject(ServiceTemplate, metadata, { helm: { chartSpec: { chart: 'c', version } } }));
    },
    async putSet(services, { mcs, config = {} } = {}) {
      const name = serviceSetName(cd, mcs);
      const spec = { cluster: cd, provider: { config }, services, ...(mcs !== undefined && { multiClusterService: mcs }) };
      await client.apply(ServiceSet, newObject(ServiceSet, { name, namespace }, spec));
      return name;
    },
    async states(set) {
      const { status } = (await client.get(ServiceSet, { namespace, name: set })) ?? {};
      return Object.fromEntries((status?.services ?? []).map(one => [one.name, one.failureMessage ?? one.state]));
    },
    async dataOf(release) {
      const found = await world.member.client.get(ConfigMap, { namespace: release, name: release });
      return found?.data;
    },
  };
}

export const service = (name: string, template: string, more: Partial<SetService> = {}): SetService => ({
  name,
  namespace: name,
  template,
  version: template,
  ...more,
});
/** Waits until the services of a set are as said: a state, or why it failed. */
export const told = (world: SetsWorld, set: string, expected: Record<string, string>) =>
  eventually(
    () => world.states(set),
    states => JSON.stringify(states) === JSON.stringify(expected),
    { timeoutMs: 60_000, what: `the states of ${set}` },
  );
