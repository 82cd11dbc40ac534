import type { JsonObject } from '../../util/json.ts';
import type { HelmChart } from './kinds/flux-source.ts';
import { defaultRepository, systemNamespace } from './kinds/group.ts';
import type { ClusterTemplate, HelmTemplate, ProviderTemplate, ServiceTemplate } from './kinds/template.ts';

export type AnyTemplate = ServiceTemplate | ClusterTemplate | ProviderTemplate;

export type FluxFolder = 'GitRepository' | 'OCIRepository' | 'Bucket';

export interface ChartOrigin {
  readonly from: 'HelmChart';
  readonly namespace: string;
  readonly name: string;
  /** To be made under this name when it is not there. */
  readonly make?: HelmChart['spec'];
}

export interface FolderOrigin {
  readonly from: FluxFolder;
  readonly namespace: string;
  readonly name: string;
  readonly as: 'chart' | 'kustomization' | 'manifests';
  readonly path: string;
  readonly make?: JsonObject;
}

export interface DataOrigin {
  readonly from: 'ConfigMap' | 'Secret';
  readonly namespace: string;
  readonly name: string;
  readonly as: 'kustomization' | 'manifests';
}

/** What the bytes of a template come from, and what they are to be. */
export type TemplateOrigin = ChartOrigin | FolderOrigin | DataOrigin;

/** Templates without a namespace have what belongs to them in the system's. */
export const namespaceOf = ({ metadata }: AnyTemplate): string => metadata.namespace || systemNamespace;

/** Where to look for what a template is made of. Throws an Error in words for its status. */
export function originOf(template: AnyTemplate): TemplateOrigin {
  const { helm, kustomize, resources } = template.spec as ServiceTemplate['spec'];
  if (helm) return originOfChart(template, helm);
  if (kustomize) return originOfFolder(template, kustomize, 'kustomization');
  if (resources) return originOfFolder(template, resources, 'manifests');
  throw new Error('One of Helm, Kustomize, or Resources must be specified.');
}

function originOfChart(template: AnyTemplate, { chartSpec, chartRef, chartSource }: HelmTemplate): TemplateOrigin {
  const namespace = namespaceOf(template);
  if ([chartSpec, chartRef, chartSource].filter(Boolean).length !== 1)
    throw new Error('exactly one of chartSpec, chartRef and chartSource must be set');
  if (chartRef) {
    if (chartRef.kind !== 'HelmChart') throw new Error(`chartRef of kind ${chartRef.kind} is not supported: only HelmChart is`);
    return { from: 'HelmChart', namespace: chartRef.namespace || namespace, name: chartRef.name };
  }
  if (chartSource) {
    if (template.kind !== 'ServiceTemplate') throw new Error(`chartSource is not supported by ${template.kind}`);
    return originOfFolder(template, chartSource, 'chart');
  }
  const { sourceRef, version = '*', interval = '10m', ...rest } = chartSpec!;
  const isDefault = !sourceRef?.kind && !sourceRef?.name;
  const source = isDefault
    ? { kind: 'HelmRepository', name: defaultRepository }
    : { kind: sourceRef.kind || 'HelmRepository', name: sourceRef.name ?? '' };
  return { from: 'HelmChart', namespace, name: template.metadata.name!, make: { ...rest, version, interval, sourceRef: source } };
}

type FolderSpec = NonNullable<ServiceTemplate['spec']['kustomize']>;

function originOfFolder(
  template: AnyTemplate,
  { localSourceRef, remoteSourceSpec, path = '' }: Pick<FolderSpec, 'localSourceRef' | 'remoteSourceSpec' | 'path'>,
  as: 'chart' | 'kustomization' | 'manifests',
): TemplateOrigin {
  const namespace = namespaceOf(template);
  if ((localSourceRef === undefined) === (remoteSourceSpec === undefined))
    throw new Error('exactly one of localSourceRef and remoteSourceSpec must be set');
  if (localSourceRef) {
    const { kind, name } = localSourceRef;
    if (kind !== 'ConfigMap' && kind !== 'Secret') return { from: kind, namespace: localSourceRef.namespace || namespace, name, as, path };
    if (as === 'chart') throw new Error(`a chart cannot come from a ${kind}`);
    return { from: kind, namespace, name, as };
  }
  const { git, bucket, oci } = remoteSourceSpec as { git?: JsonObject; bucket?: JsonObject; oci?: JsonObject };
  const name = template.metadata.name!;
  if (git) return { from: 'GitRepository', namespace, name, as, path, make: git };
  if (oci) return { from: 'OCIRepository', namespace, name, as, path, make: oci };
  if (bucket) return { from: 'Bucket', namespace, name, as, path, make: bucket };
  throw new Error('remoteSourceSpec needs one of git, oci and bucket');
}

/** Two kinds of templates may have the same name; the chart of the later one is called so. */
export const secondChartName = ({ kind, metadata }: AnyTemplate): string => `${kind.toLowerCase()}-${metadata.name}`;

export const originKey = (kind: string, namespace: string, name: string): string => `${kind}/${namespace}/${name}`;

/** For an index: everything that a template may have its bytes from. */
export function originKeys(template: AnyTemplate): string[] {
  try {
    const { from, namespace, name, ...origin } = originOf(template);
    const isMade = from === 'HelmChart' && 'make' in origin;
    const names = isMade ? [name, secondChartName(template)] : [name];
    return names.map(one => originKey(from, namespace, one));
  } catch {
    return [];
  }
}
