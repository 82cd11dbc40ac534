import type { Chart } from '../../render/chart/chart.ts';
import { readChartArchive } from '../../render/chart/chart-archive.ts';
import { loadChart } from '../../render/chart/load-chart.ts';
import { toJson } from '../../render/go/go-json.ts';
import { printJson, type JsonObject } from '../../util/json.ts';
import type { ClusterTemplate, ProviderTemplate, ServiceTemplate } from './kinds/template.ts';

/** What a template wants to know of its chart. */
export interface ChartFacts {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly values: JsonObject | undefined;
  readonly annotations: Readonly<Record<string, string>>;
  /** JSON schema of the values. */
  readonly schema: string | undefined;
}

const maxValuesLength = 512 * 1024;
const maxSchemaLength = 512 * 1024;

/** Opens a packed chart. Throws when it is none. */
export function chartFacts(bytes: Uint8Array): ChartFacts {
  const chart = loadChart(readChartArchive(bytes));
  const { name, version, description, annotations = {} } = chart.metadata;
  const inner = innerChart(chart);
  const values = toJson(inner.values) as JsonObject;
  const schema = inner.schema?.toString();
  return {
    name,
    version,
    description,
    annotations,
    values: printJson(values).length > maxValuesLength ? undefined : values,
    schema: schema !== undefined && schema.length <= maxSchemaLength ? schema : undefined,
  };
}

/** A chart that does nothing but wrap another of its name and version is spoken of as that one. */
function innerChart(chart: Chart): Chart {
  const { name, version } = chart.metadata;
  return chart.dependencies.find(({ metadata }) => metadata.name === name && metadata.version === version) ?? chart;
}

export const chartAnnotations = {
  k8sConstraint: 'k0rdent.mirantis.com/k8s-version-constraint',
  k8sVersion: 'k0rdent.mirantis.com/k8s-version',
  providers: 'cluster.x-k8s.io/provider',
  providerPrefix: 'cluster.x-k8s.io/',
} as const;

type Facts = Pick<ChartFacts, 'annotations'>;

export function serviceFacts(
  { spec }: ServiceTemplate,
  { annotations }: Facts,
): Pick<NonNullable<ServiceTemplate['status']>, 'k8sConstraint'> {
  const k8sConstraint = spec.k8sConstraint || annotations[chartAnnotations.k8sConstraint];
  return k8sConstraint ? { k8sConstraint } : {};
}

export function clusterFacts(
  { spec }: ClusterTemplate,
  { annotations }: Facts,
): Pick<NonNullable<ClusterTemplate['status']>, 'providers' | 'providerContracts' | 'k8sVersion'> {
  const providers = providersOf(spec.providers, annotations);
  const k8sVersion = spec.k8sVersion || annotations[chartAnnotations.k8sVersion];
  const contracts = spec.providerContracts ?? contractsOf(providers, annotations);
  return {
    ...(providers.length > 0 && { providers }),
    ...(Object.keys(contracts).length > 0 && { providerContracts: contracts }),
    ...(k8sVersion && { k8sVersion }),
  };
}

export function providerFacts(
  { spec }: ProviderTemplate,
  { annotations }: Facts,
): Pick<NonNullable<ProviderTemplate['status']>, 'providers' | 'capiContracts'> {
  const providers = providersOf(spec.providers, annotations);
  const versions = Object.keys(annotations)
    .filter(key => /^cluster\.x-k8s\.io\/v[0-9]/.test(key))
    .map(key => key.slice(chartAnnotations.providerPrefix.length));
  const capiContracts = spec.capiContracts ?? contractsOf(versions, annotations);
  return {
    ...(providers.length > 0 && { providers }),
    ...(Object.keys(capiContracts).length > 0 && { capiContracts }),
  };
}

function providersOf(given: readonly string[] | undefined, annotations: Facts['annotations']): string[] {
  const written = (annotations[chartAnnotations.providers] ?? '').split(',').map(name => name.trim());
  return [...new Set(given && given.length > 0 ? given : written)].filter(name => name !== '').sort();
}

function contractsOf(names: readonly string[], annotations: Facts['annotations']): Record<string, string> {
  const known = names.map(name => [name, annotations[`${chartAnnotations.providerPrefix}${name}`] ?? ''] as const);
  return Object.fromEntries(known.filter(([, contract]) => contract !== ''));
}
