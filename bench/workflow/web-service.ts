import { newObject } from '../../src/api/define-kind.ts';
import { Namespace } from '../../src/api/builtin-kinds.ts';
import { Work } from '../../src/api/work.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { CloudProvider } from '../../src/dialects/workflows/kinds/cloud-provider.ts';
import { InfrastructureDefinition } from '../../src/dialects/workflows/kinds/infrastructure-definition.ts';
import { Environment, ServiceDefinition } from '../../src/dialects/workflows/kinds/service-definition.ts';
import { Workflow } from '../../src/dialects/workflows/kinds/workflow.ts';
import type { JsonObject } from '../../src/util/json.ts';

export const namespace = 'shop';

/** A web server, its settings, and a Service in front of it. */
const manifests = (version: string): JsonObject[] => [
  { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'web' }, data: { version, settings: 'x'.repeat(512) } },
  { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' }, spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } },
  {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web' },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: 'web' } },
      template: {
        metadata: { labels: { app: 'web' } },
        spec: { containers: [{ name: 'web', image: `web:${version}`, envFrom: [{ configMapRef: { name: 'web' } }] }] },
      },
    },
  },
];

export const label = 'bench-run=plain';

/** The same without a workflow. */
export const plainWork = (cluster: string): Work =>
  newObject(
    Work,
    { name: 'plain', namespace: cluster, labels: { 'bench-run': 'plain' } },
    { release: { name: 'web', namespace: 'plain' }, manifests: manifests('1'), options: { createNamespace: true } },
  );

/** Everything that a run of the workflow `web` needs. */
export async function makeApplication(hub: KubeClient): Promise<void> {
  await hub.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  await hub.create(CloudProvider, newObject(CloudProvider, { name: 'here' }, { type: 'Drover' }));
  await hub.create(Environment, newObject(Environment, { namespace, name: 'prod' }, { type: 'Prod' }));
  const inline = manifests('1')
    .map(one => JSON.stringify(one))
    .join('\n---\n');
  await hub.create(ServiceDefinition, newObject(ServiceDefinition, { namespace, name: 'web' }, { manifests: [{ inline }] }));
  const selection = { environmentRef: 'prod', cloudProviderRef: 'here', namespace: 'flow', createNamespace: true, allowAllClusters: true };
  await hub.create(InfrastructureDefinition, newObject(InfrastructureDefinition, { namespace, name: 'all' }, selection));
  const refs = { serviceRef: 'web', environmentRef: 'prod', infrastructureRef: 'all' };
  await hub.create(Workflow, newObject(Workflow, { namespace, name: 'web' }, { type: 'Rolling', ...refs }));
}
