import { readYaml, YamlError } from '../../yaml/read-yaml.ts';
import { decode, type Shape } from './decode.ts';
import { KustomizeError, within } from './kustomize-error.ts';
import type { Selector } from './selector.ts';

export interface KvSources {
  readonly literals?: string[];
  readonly files?: string[];
  readonly envs?: string[];
  readonly env?: string;
}

export interface GeneratorOptions {
  readonly labels?: Record<string, string>;
  readonly annotations?: Record<string, string>;
  readonly disableNameSuffixHash?: boolean;
  readonly immutable?: boolean;
}

export interface GeneratorArgs extends KvSources {
  readonly name?: string;
  readonly namespace?: string;
  readonly behavior?: string;
  readonly options?: GeneratorOptions;
  /** Of a Secret. */
  readonly type?: string;
}

export interface WrittenFieldSpec {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly path?: string;
  readonly create?: boolean;
}

export interface LabelArgs {
  readonly pairs?: Record<string, string>;
  readonly includeSelectors?: boolean;
  readonly includeTemplates?: boolean;
  readonly includeVolumeClaimTemplates?: boolean;
  readonly fields?: WrittenFieldSpec[];
}

export interface PatchArgs {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: Selector;
  readonly options?: { readonly allowNameChange?: boolean; readonly allowKindChange?: boolean };
}

export interface ImageArgs {
  readonly name?: string;
  readonly newName?: string;
  readonly tagSuffix?: string;
  readonly newTag?: string;
  readonly digest?: string;
}

export interface FieldOptions {
  readonly delimiter?: string;
  readonly index?: number;
  readonly encoding?: string;
  readonly create?: boolean;
}

export interface ReplacementSource {
  readonly group?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly fieldPath?: string;
  readonly options?: FieldOptions;
}

export interface ReplacementTarget {
  readonly select?: Selector;
  readonly reject?: Selector[];
  readonly fieldPaths?: string[];
  readonly options?: FieldOptions;
}

export interface ReplacementArgs {
  readonly path?: string;
  readonly source?: ReplacementSource;
  readonly sourceValue?: string;
  readonly targets?: ReplacementTarget[];
}

export interface ReplicaArgs {
  readonly name?: string;
  readonly count?: number;
}

export interface VarArgs {
  readonly name?: string;
  readonly objref?: {
    readonly apiVersion?: string;
    readonly group?: string;
    readonly version?: string;
    readonly kind?: string;
    readonly name?: string;
    readonly namespace?: string;
  };
  readonly fieldref?: { readonly fieldPath?: string };
}

export interface SortOptions {
  readonly order?: string;
  readonly legacySortOptions?: { readonly orderFirst?: string[]; readonly orderLast?: string[] };
}

export interface Kustomization {
  readonly apiVersion: string;
  readonly kind: string;
  readonly openapi?: Record<string, string>;
  readonly namePrefix?: string;
  readonly nameSuffix?: string;
  readonly namespace?: string;
  readonly commonLabels?: Record<string, string>;
  readonly labels?: LabelArgs[];
  readonly commonAnnotations?: Record<string, string>;
  readonly patchesStrategicMerge?: string[];
  readonly patchesJson6902?: PatchArgs[];
  readonly patches?: PatchArgs[];
  readonly images?: ImageArgs[];
  readonly imageTags?: ImageArgs[];
  readonly replacements?: ReplacementArgs[];
  readonly replicas?: ReplicaArgs[];
  readonly vars?: VarArgs[];
  readonly sortOptions?: SortOptions;
  readonly resources?: string[];
  readonly components?: string[];
  readonly crds?: string[];
  readonly bases?: string[];
  readonly configMapGenerator?: GeneratorArgs[];
  readonly secretGenerator?: GeneratorArgs[];
  readonly helmGlobals?: unknown;
  readonly helmCharts?: unknown[];
  readonly helmChartInflationGenerator?: unknown[];
  readonly generatorOptions?: GeneratorOptions;
  readonly configurations?: string[];
  readonly generators?: string[];
  readonly transformers?: string[];
  readonly validators?: string[];
  readonly buildMetadata?: string[];
}

const texts: Shape = { list: 'string' };
const textMap: Shape = { map: 'string' };
const struct = (name: string, fields: Record<string, Shape>): Shape => ({ struct: name, fields });

const gvkFields: Record<string, Shape> = { group: 'string', version: 'string', kind: 'string' };
const idFields: Record<string, Shape> = { ...gvkFields, name: 'string', namespace: 'string' };
export const selectorShape = struct('Selector', { ...idFields, annotationSelector: 'string', labelSelector: 'string' });
export const fieldSpecShape = struct('FieldSpec', { ...gvkFields, path: 'string', create: 'bool' });
const generatorOptionsShape = struct('GeneratorOptions', {
  labels: textMap,
  annotations: textMap,
  disableNameSuffixHash: 'bool',
  immutable: 'bool',
});
export const generatorFields: Record<string, Shape> = {
  namespace: 'string',
  name: 'string',
  behavior: 'string',
  literals: texts,
  files: texts,
  envs: texts,
  env: 'string',
  options: generatorOptionsShape,
};
export const imageShape = struct('Image', { name: 'string', newName: 'string', tagSuffix: 'string', newTag: 'string', digest: 'string' });
export const patchFields: Record<string, Shape> = {
  path: 'string',
  patch: 'string',
  target: selectorShape,
  options: struct('PatchArgs', { allowNameChange: 'bool', allowKindChange: 'bool' }),
};
const fieldOptionsShape = struct('FieldOptions', { delimiter: 'string', index: 'int', encoding: 'string', create: 'bool' });
const replacementFields: Record<string, Shape> = {
  source: struct('SourceSelector', { ...idFields, fieldPath: 'string', options: fieldOptionsShape }),
  sourceValue: 'string',
  targets: {
    list: struct('TargetSelector', {
      select: selectorShape,
      reject: { list: selectorShape },
      fieldPaths: texts,
      options: fieldOptionsShape,
    }),
  },
};
export const replacementShape = struct('Replacement', replacementFields);
export const replacementFieldShape = struct('ReplacementField', { ...replacementFields, path: 'string' });
export const replicaShape = struct('Replica', { name: 'string', count: 'int' });

const kustomizationShape = struct('Kustomization', {
  kind: 'string',
  apiVersion: 'string',
  metadata: struct('ObjectMeta', { name: 'string', namespace: 'string', labels: textMap, annotations: textMap }),
  openapi: textMap,
  namePrefix: 'string',
  nameSuffix: 'string',
  namespace: 'string',
  commonLabels: textMap,
  labels: {
    list: struct('Label', {
      pairs: textMap,
      includeSelectors: 'bool',
      includeTemplates: 'bool',
      includeVolumeClaimTemplates: 'bool',
      fields: { list: fieldSpecShape },
    }),
  },
  commonAnnotations: textMap,
  patchesStrategicMerge: texts,
  patchesJson6902: { list: struct('Patch', patchFields) },
  patches: { list: struct('Patch', patchFields) },
  images: { list: imageShape },
  imageTags: { list: imageShape },
  replacements: { list: replacementFieldShape },
  replicas: { list: replicaShape },
  vars: {
    list: struct('Var', {
      name: 'string',
      objref: struct('Target', { ...idFields, apiVersion: 'string' }),
      fieldref: struct('FieldSelector', { fieldPath: 'string' }),
    }),
  },
  sortOptions: struct('SortOptions', {
    order: 'string',
    legacySortOptions: struct('LegacySortOptions', { orderFirst: texts, orderLast: texts }),
  }),
  resources: texts,
  components: texts,
  crds: texts,
  bases: texts,
  configMapGenerator: { list: struct('ConfigMapArgs', generatorFields) },
  secretGenerator: { list: struct('SecretArgs', { ...generatorFields, type: 'string' }) },
  helmGlobals: 'any',
  helmCharts: { list: 'any' },
  helmChartInflationGenerator: { list: 'any' },
  generatorOptions: generatorOptionsShape,
  configurations: texts,
  generators: texts,
  transformers: texts,
  validators: texts,
  buildMetadata: texts,
});

export const componentKind = 'Component';
const kustomizationVersion = 'kustomize.config.k8s.io/v1beta1';
const componentVersion = 'kustomize.config.k8s.io/v1alpha1';

/** Reads a kustomization file; older names of fields become the present ones. `root` is for words. */
export function parseKustomization(text: string, root: string): Kustomization {
  const read = within('invalid Kustomization', () => decode<Partial<Kustomization>>(parseYaml(text), kustomizationShape) ?? {});
  if (Object.entries(read).every(([key, value]) => key === 'kind' || key === 'apiVersion' || value === ''))
    throw new KustomizeError('kustomization.yaml is empty');
  const kind = read.kind || 'Kustomization';
  const apiVersion = read.apiVersion || (kind === componentKind ? componentVersion : kustomizationVersion);
  const faults: string[] = [];
  if (kind !== 'Kustomization' && kind !== componentKind) faults.push('kind should be Kustomization or Component');
  const wanted = kind === componentKind ? componentVersion : kustomizationVersion;
  if (apiVersion !== wanted) faults.push(`apiVersion for ${kind} should be ${wanted}`);
  if (faults.length > 0) throw new KustomizeError(`Failed to read kustomization file under ${root}:\n${faults.join('\n')}`);
  return {
    ...read,
    apiVersion,
    kind,
    resources: [...(read.resources ?? []), ...(read.bases ?? [])],
    images: [...(read.images ?? []), ...(read.imageTags ?? [])],
    configMapGenerator: (read.configMapGenerator ?? []).map(withEnvs),
    secretGenerator: (read.secretGenerator ?? []).map(withEnvs),
    helmCharts: [...(read.helmCharts ?? []), ...(read.helmChartInflationGenerator ?? [])],
  };
}

function withEnvs(args: GeneratorArgs): GeneratorArgs {
  const { env, ...rest } = args;
  return env ? { ...rest, envs: [...(args.envs ?? []), env] } : args;
}

/** YAML as Kubernetes' own programs read it. */
export function parseYaml(text: string): ReturnType<typeof readYaml>['value'] {
  try {
    return readYaml(text).value;
  } catch (cause) {
    if (!(cause instanceof YamlError)) throw cause;
    throw new KustomizeError(cause.message, { cause });
  }
}
