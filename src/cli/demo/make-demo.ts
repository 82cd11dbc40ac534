import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { Cluster } from '../../api/cluster.ts';
import { ConfigMap } from '../../api/builtin-kinds.ts';
import { apiVersionOf, lastAppliedAnnotation, type KubeObject } from '../../api/object.ts';
import { createMissing } from '../../client/create-missing.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { pushChart } from '../../core/contents/stored-charts.ts';
import { systemNamespace } from '../../dialects/k0rdent/kinds/group.ts';
import { ClusterTemplate } from '../../dialects/k0rdent/kinds/template.ts';
import { hubKinds } from '../../hub/hub-kinds.ts';
import { splitDocuments } from '../../render/helm/manifests.ts';
import { readChartFolder } from '../../render/chart/read-chart-folder.ts';
import { packChart } from '../../sources/pack-chart.ts';
import { sortKeys, type Json } from '../../util/json.ts';
import { readYaml } from '../../yaml/read-yaml.ts';

/** `made`: now. `there`: at an earlier start. `left out`: the hub has clusters of somebody. */
export type DemoOutcome = 'made' | 'there' | 'left out';

export const exampleFolder = fileURLToPath(new URL('../../../examples', import.meta.url));
const story = 'multi-cluster-service';
/** Says that the demo was made here once: what people have changed or removed since stays so. */
const marker = { namespace: systemNamespace, name: 'drover-demo' };
const templateWaitMs = 30_000;

/** Brings the charts of `examples/` and its first story to a hub that has no clusters yet. Ends when all is written; it comes true afterwards. */
export async function makeDemo(hub: KubeClient, { signal }: { signal: AbortSignal }): Promise<DemoOutcome> {
  const before = await hub.get(ConfigMap, marker, { signal });
  if (before?.data?.['state'] === 'made') return 'there';
  const { items: clusters } = await hub.list(Cluster, { signal });
  if (!before && clusters.length > 0) return 'left out';

  await sandboxTemplate(hub, signal);
  await createMissing(hub, ConfigMap, { apiVersion: 'v1', kind: 'ConfigMap', metadata: marker, data: { state: 'making' } }, { signal });
  await pushExampleCharts(hub, signal);
  for (const obj of exampleObjects(story)) await createMissing(hub, kindOf(obj), asApplied(obj), { signal });
  await hub.patch(ConfigMap, marker, { type: 'merge', body: { data: { state: 'made' } } }, { signal });
  return 'made';
}

async function pushExampleCharts(hub: KubeClient, signal: AbortSignal): Promise<void> {
  const folders = readdirSync(`${exampleFolder}/charts`).map(name => `${exampleFolder}/charts/${name}`);
  for (const folder of folders) await pushChart(hub, packChart(readChartFolder(folder), folder), { signal });
}

/** The objects of one story, in the order of its files. */
export function exampleObjects(name: string): KubeObject[] {
  const files = readdirSync(`${exampleFolder}/${name}`).filter(file => file.endsWith('.yaml'));
  const documents = files.sort().flatMap(file => splitDocuments(readFileSync(`${exampleFolder}/${name}/${file}`, 'utf8')));
  return documents.map(text => readYaml(text).value as unknown as KubeObject);
}

/** As `kubectl apply` would have made it, so that people can go on with that. */
function asApplied(obj: KubeObject): KubeObject {
  const { annotations: own = {} } = obj.metadata;
  const applied = sortKeys({ ...obj, metadata: { ...obj.metadata, annotations: own } } as unknown as Json);
  const annotations = { [lastAppliedAnnotation]: `${JSON.stringify(applied)}\n`, ...own };
  return { ...obj, metadata: { ...obj.metadata, annotations } };
}

function kindOf(obj: KubeObject) {
  const found = hubKinds.find(kind => kind.kind === obj.kind && apiVersionOf(kind) === obj.apiVersion);
  if (!found) throw new Error(`an example has an object of the unknown kind ${obj.kind}`);
  return found;
}

/** The hub makes it soon after its start. */
async function sandboxTemplate(hub: KubeClient, signal: AbortSignal): Promise<void> {
  const key = { namespace: systemNamespace, name: 'sandbox-1-0-0' };
  for (const deadline = performance.now() + templateWaitMs; performance.now() < deadline; await sleep(50, undefined, { signal })) {
    const template = await hub.get(ClusterTemplate, key, { signal });
    if (template?.status?.valid) return;
  }
  throw new Error(`the hub has no valid ClusterTemplate "${key.name}"`);
}
