import { CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { changesOf, runController, settled, type Context, type Outcome, type RunningController } from '../../runtime/controller.ts';
import { informer } from '../../runtime/informer.ts';
import type { Key } from '../../runtime/key.ts';
import { jsonEqual, type Json } from '../../util/json.ts';
import { ClusterDeployment } from './kinds/cluster-deployment.ts';
import type { K0rdentSettings } from './settings.ts';
import type { InformerSettings } from './template-informers.ts';

const ready = (field: 'status' | 'message'): string => `.status.conditions[?(@.type=="Ready")].${field}`;

/** How the first releases of k0rdent listed ClusterDeployments. */
const seedColumns = [
  { name: 'ready', type: 'string', jsonPath: ready('status') },
  { name: 'status', type: 'string', jsonPath: ready('message') },
  { name: 'dryRun', type: 'string', jsonPath: '.spec.dryRun', priority: 1 },
];

/** What their Ready condition said. */
export const seedReadyMessage = 'ClusterDeployment is ready';

export interface ColumnLayoutDeps extends InformerSettings {
  readonly hub: KubeClient;
  readonly settings: Pick<K0rdentSettings, 'columns' | 'changes'>;
}

/** Lists ClusterDeployments with the columns that the settings ask for. */
export function runColumnLayouts({ hub, settings, signal, onError }: ColumnLayoutDeps): RunningController {
  const name = `${ClusterDeployment.resource}.${ClusterDeployment.group}`;
  const definitions = informer(hub, CustomResourceDefinition, {
    signal,
    fieldSelector: `metadata.name=${name}`,
    onError: onError('CustomResourceDefinition'),
  });
  const declared = columnsOf(ClusterDeployment.definition());
  return runController(
    { name: 'k0rdent-columns', reconcile },
    { triggers: [changesOf(definitions), settings.changes(() => [name])], signal, concurrency: 1 },
  );

  async function reconcile(key: Key, ctx: Context): Promise<Outcome> {
    const definition = definitions.get(key);
    if (!definition) return settled;
    const wanted = settings.columns() === 'seed' ? seedColumns : declared;
    if (jsonEqual(columnsOf(definition), wanted)) return settled;
    const body = [{ op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value: wanted as Json }];
    await hub.patch(CustomResourceDefinition, { name }, { type: 'json', body }, { signal: ctx.signal });
    return settled;
  }
}

function columnsOf(definition: KubeObject): Json | undefined {
  const { versions } = definition['spec'] as { versions: { additionalPrinterColumns?: Json }[] };
  return versions[0]?.additionalPrinterColumns;
}
