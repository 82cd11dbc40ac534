import type { KubeObject } from '../../../api/object.ts';

const screens: Readonly<Record<string, string>> = { WorkflowRun: 'workflows/runs', PipelineRun: 'workflows/pipeline-runs' };

/** Where the web page of the hub shows an object of workflows. */
export function pageAddress(
  serverUrl: string,
  { apiVersion, kind, metadata }: Pick<KubeObject, 'apiVersion' | 'kind' | 'metadata'>,
): string {
  const place = [metadata.namespace ?? '', metadata.name ?? ''].map(encodeURIComponent).join('/');
  return `${serverUrl}/ui/${screens[kind] ?? `explore/${apiVersion}/${kind.toLowerCase()}s/local`}/${place}`;
}
