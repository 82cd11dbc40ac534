import { Namespace } from '../../api/builtin-kinds.ts';
import { contentTypes } from '../../api/content.ts';
import { newObject } from '../../api/define-kind.ts';
import { createMissing } from '../../client/create-missing.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { putContent } from '../../core/contents/put-content.ts';
import { packChart } from '../../sources/pack-chart.ts';
import { holdContent } from './hold-contents.ts';
import { defaultProvider, singleton, systemNamespace } from './kinds/group.ts';
import { AccessManagement, Management, Release, StateManagementProvider } from './kinds/management.ts';
import { ClusterTemplate } from './kinds/template.ts';
import { builtInAnnotation } from './release-controller.ts';
import { builtInLabels } from './state-management.ts';
import { clusterModeAnnotation, contentAnnotation } from './template-content.ts';

const releaseName = 'drover';

interface BuiltInChart {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly mode: 'adopted' | 'sandbox';
  readonly values: string;
}

/** Charts that nobody renders: they say which kind of cluster Drover is to take or make, and with what values. */
const builtInCharts: readonly BuiltInChart[] = [
  {
    name: 'adopted-cluster',
    version: '1.0.1',
    description: 'A cluster that is there already',
    mode: 'adopted',
    values: 'clusterLabels: {}\nclusterAnnotations: {}\nconsecutiveFailureThreshold: 3\n',
  },
  { name: 'sandbox', version: '1.0.0', description: 'A small cluster inside the hub', mode: 'sandbox', values: 'nodes: 1\n' },
];

/** Makes what every installation of k0rdent has, as far as it is missing. What people have changed or made themselves stays. */
export async function bootstrapK0rdent(hub: KubeClient, { version, signal }: { version: string; signal: AbortSignal }): Promise<void> {
  await createMissing(hub, Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: systemNamespace } }, { signal });
  const ofDrover = { template: releaseName };
  await createMissing(
    hub,
    Release,
    newObject(
      Release,
      { name: releaseName, annotations: { [builtInAnnotation]: 'true' } },
      { version, kcm: ofDrover, capi: ofDrover, providers: [] },
    ),
    { signal },
  );
  const provider = newObject(
    StateManagementProvider,
    { name: defaultProvider },
    { selector: { matchLabels: { ...builtInLabels } }, adapter: {}, provisioner: [], provisionerCRDs: [], suspend: false },
  );
  await createMissing(hub, StateManagementProvider, provider, { signal });
  await createMissing(hub, AccessManagement, newObject(AccessManagement, { name: singleton }, {}), { signal });
  await createMissing(hub, Management, newObject(Management, { name: singleton }, { release: releaseName }), { signal });
  for (const chart of builtInCharts) await bootstrapTemplate(hub, chart, signal);
}

async function bootstrapTemplate(hub: KubeClient, chart: BuiltInChart, signal: AbortSignal): Promise<void> {
  const { name, version } = chart;
  const { bytes } = packChart(filesOf(chart), `chart ${name}`);
  const digest = await putContent(hub, bytes, { type: contentTypes.chart, chart: { name, version } }, { signal });
  await holdContent(hub, digest, signal);
  const metadata = {
    namespace: systemNamespace,
    name: `${name}-${version.replaceAll('.', '-')}`,
    annotations: { [builtInAnnotation]: 'true', [contentAnnotation]: digest },
  };
  await createMissing(hub, ClusterTemplate, newObject(ClusterTemplate, metadata, { helm: { chartSpec: { chart: name, version } } }), {
    signal,
  });
}

function filesOf({ name, version, description, mode, values }: BuiltInChart) {
  const about = `apiVersion: v2\nname: ${name}\nversion: ${version}\ndescription: ${description}\nannotations:\n  ${clusterModeAnnotation}: ${mode}\n`;
  return [
    { name: 'Chart.yaml', data: Buffer.from(about) },
    { name: 'values.yaml', data: Buffer.from(values) },
  ];
}
