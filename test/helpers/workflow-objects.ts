import { Namespace } from '../../src/api/builtin-kinds.ts';
import { newObject } from '../../src/api/define-kind.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { CloudProvider } from '../../src/dialects/workflows/kinds/cloud-provider.ts';
import { InfrastructureDefinition } from '../../src/dialects/workflows/kinds/infrastructure-definition.ts';
import { Environment, ServiceDefinition } from '../../src/dialects/workflows/kinds/service-definition.ts';
import { Workflow } from '../../src/dialects/workflows/kinds/workflow.ts';

export const shop = 'shop';

/** What a small application is made of. */
export interface ShopSpecs {
  readonly provider?: CloudProvider['spec'];
  readonly service?: Partial<ServiceDefinition['spec']>;
  readonly environment?: Partial<Environment['spec']>;
  readonly infrastructure?: Partial<InfrastructureDefinition['spec']>;
  readonly workflow?: Partial<Workflow['spec']>;
}

/** Makes the application `shop`: service `web`, environment `prod`, infrastructure `all` on provider `here`, workflow `roll`. Another namespace has a provider of its own. */
export async function makeShop(hub: KubeClient, specs: ShopSpecs = {}, namespace = shop): Promise<void> {
  const provider = namespace === shop ? 'here' : `here-${namespace}`;
  await hub.apply(Namespace, { metadata: { name: namespace, annotations: { 'delivery.drover.io/app-name': 'The Shop' } } });
  await hub.create(CloudProvider, newObject(CloudProvider, { name: provider }, specs.provider ?? { type: 'Drover' }));
  await hub.create(
    ServiceDefinition,
    newObject(ServiceDefinition, { namespace, name: 'web' }, { manifests: [{ inline: configMap('web') }], ...specs.service }),
  );
  await hub.create(Environment, newObject(Environment, { namespace, name: 'prod' }, { type: 'Prod', ...specs.environment }));
  await hub.create(
    InfrastructureDefinition,
    newObject(
      InfrastructureDefinition,
      { namespace, name: 'all' },
      { environmentRef: 'prod', cloudProviderRef: provider, namespace: 'payments', allowAllClusters: true, ...specs.infrastructure },
    ),
  );
  await hub.create(
    Workflow,
    newObject(
      Workflow,
      { namespace, name: 'roll' },
      { type: 'Rolling', serviceRef: 'web', environmentRef: 'prod', infrastructureRef: 'all', ...specs.workflow },
    ),
  );
}

export const configMap = (name: string, data: Readonly<Record<string, string>> = { a: 'b' }): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
