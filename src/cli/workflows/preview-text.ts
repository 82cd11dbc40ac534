import type { ClusterRun } from '../../dialects/workflows/kinds/cluster-run.ts';
import type { WorkflowRun } from '../../dialects/workflows/kinds/workflow-run.ts';
import { visibleLine } from '../output/visible-text.ts';

/** What a preview found, per cluster. */
export function previewText(run: WorkflowRun, clusters: readonly ClusterRun[]): string {
  const lines = clusters.toSorted((a, b) => (a.spec.cluster.name < b.spec.cluster.name ? -1 : 1)).flatMap(one => clusterLines(one));
  const { planHash } = run.status ?? {};
  const end = [
    ...(planHash === undefined ? [] : [`plan ${planHash}`]),
    `"drover logs run/${run.metadata.name} --unit Preview" shows the differences`,
  ];
  return `${[...lines, ...end].map(visibleLine).join('\n')}\n`;
}

function clusterLines({ spec, status }: ClusterRun): string[] {
  const { create = [], update = [], prune = [], unchanged = 0, errors = [], releaseNumber } = status?.preview ?? {};
  const release = releaseNumber === undefined ? '' : `, release ${releaseNumber}`;
  return [
    `${spec.cluster.name}: ${create.length} to create, ${update.length} to change, ${prune.length} to delete, ${unchanged} unchanged${release}`,
    ...create.map(ref => `  + ${ref}`),
    ...update.map(ref => `  ~ ${ref}`),
    ...prune.map(ref => `  - ${ref}`),
    ...errors.map(error => `  ! ${error}`),
  ];
}
