import type { JsonObject } from '../../util/json.ts';
import type { GoMap } from '../go/go-value.ts';

export interface ChartFile {
  readonly name: string;
  readonly data: Buffer;
}

export interface ChartDependency {
  /** The alias, once dependencies have been processed. */
  name: string;
  version: string;
  repository: string;
  condition: string;
  tags: string[];
  enabled: boolean;
  importValues: unknown[];
  alias: string;
}

export interface Maintainer {
  readonly name: string;
  readonly email: string;
  readonly url: string;
}

/** What Chart.yaml says. */
export interface ChartMetadata {
  name: string;
  readonly home: string;
  readonly sources: readonly string[];
  readonly version: string;
  readonly description: string;
  readonly keywords: readonly string[];
  readonly maintainers: readonly Maintainer[];
  readonly icon: string;
  readonly apiVersion: string;
  readonly condition: string;
  readonly tags: string;
  readonly appVersion: string;
  readonly deprecated: boolean;
  readonly annotations: Readonly<Record<string, string>> | undefined;
  readonly kubeVersion: string;
  dependencies: ChartDependency[] | undefined;
  readonly type: string;
}

/** A chart in memory, its subcharts inside. Loaded once; `forRelease` gives a copy that values may change. */
export interface Chart {
  readonly metadata: ChartMetadata;
  /** Chart.lock, or requirements.lock of the first generation. */
  readonly lock?: JsonObject;
  values: GoMap;
  readonly schema: Buffer | undefined;
  readonly templates: readonly ChartFile[];
  readonly files: readonly ChartFile[];
  dependencies: Chart[];
  parent: Chart | undefined;
}

export const isLibrary = (chart: Chart): boolean => chart.metadata.type.toLowerCase() === 'library';

/** The path under which the chart's templates are known: `parent/charts/child`. */
export function fullPath(chart: Chart): string {
  return chart.parent ? `${fullPath(chart.parent)}/charts/${chart.metadata.name}` : chart.metadata.name;
}

/** Custom resource definitions of the chart and its subcharts, with the paths Helm shows. */
export function definitionsOf(chart: Chart): { path: string; data: Buffer }[] {
  const own = chart.files
    .filter(file => file.name.startsWith('crds/') && /\.(?:yaml|yml|json)$/i.test(file.name))
    .map(file => ({ path: `${fullPath(chart)}/${file.name}`, data: file.data }));
  return [...own, ...chart.dependencies.flatMap(definitionsOf)];
}
