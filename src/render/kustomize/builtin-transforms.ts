import { cloneJson, type JsonObject } from '../../util/json.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import type { BuildContext } from './build-context.ts';
import { mergeFieldSpecs, type FieldSpec } from './field-spec.ts';
import { setImages } from './images.ts';
import { within } from './kustomize-error.ts';
import type { Kustomization, LabelArgs, PatchArgs } from './kustomization.ts';
import type { Loader } from './loader.ts';
import { makeJsonPatch, makeMergePatches, makePatch } from './patches.ts';
import { makeReplacements } from './plugins.ts';
import { setNamespaces } from './set-namespace.ts';
import { fieldSpecFrom, type TransformerConfig } from './transformer-config.ts';
import { affixNames, setEntries, setReplicas, type Transform } from './transforms.ts';

interface TransformInput {
  readonly context: BuildContext;
  readonly loader: Loader;
  readonly kustomization: Kustomization;
  readonly config: TransformerConfig;
}

/** A transformer with the name that kustomize has for it. */
interface NamedTransform {
  readonly kind: string;
  readonly run: Transform;
}

/** The transformers of a kustomization's own fields, in kustomize's order. Patches are read here, before one runs. */
export function builtinTransforms({ context, loader, kustomization: k, config }: TransformInput): NamedTransform[] {
  const { patchesStrategicMerge: merges = [], patches = [], patchesJson6902 = [], replicas = [], images = [], replacements = [] } = k;
  const { namespace = '', namePrefix = '', nameSuffix = '', commonAnnotations = {} } = k;
  return [
    ...merges
      .slice(0, 1)
      .map(() => configured('PatchStrategicMergeTransformer', { paths: merges }, () => makeMergePatches(context, loader, merges))),
    ...patches.map(args => configured('PatchTransformer', args, () => makePatch(context, loader, args))),
    ...optional(namespace, 'NamespaceTransformer', resources => setNamespaces(resources, { namespace, fieldSpecs: config.namespace })),
    ...optional(namePrefix, 'PrefixTransformer', affixNames('prefix', namePrefix, config.namePrefix)),
    ...optional(nameSuffix, 'SuffixTransformer', affixNames('suffix', nameSuffix, config.nameSuffix)),
    ...labelTransforms(context, k, config).map(run => ({ kind: 'LabelTransformer', run })),
    ...optional(
      Object.keys(commonAnnotations).length,
      'AnnotationsTransformer',
      setEntries(context, commonAnnotations, config.commonAnnotations),
    ),
    ...patchesJson6902.map(args => configured('PatchJson6902Transformer', jsonSettings(args), () => makeJsonPatch(loader, args))),
    ...replicas.map(args => ({ kind: 'ReplicaCountTransformer', run: setReplicas(args, config.replicas) })),
    ...images.map(image => ({ kind: 'ImageTagTransformer', run: (({ list }) => setImages(list, image, config.images)) as Transform })),
    ...replacements
      .slice(0, 1)
      .map(() => configured('ReplacementTransformer', { Replacements: replacements }, () => makeReplacements(loader, replacements))),
  ];
}

function configured(kind: string, settings: object, make: () => Transform): NamedTransform {
  const words = `trouble configuring builtin ${kind} with config: \`\n${writeYaml(cloneJson(settings) as JsonObject)}\``;
  return { kind, run: within(words, make) };
}

const optional = (isWanted: string | number, kind: string, run: Transform): NamedTransform[] => (isWanted ? [{ kind, run }] : []);

function labelTransforms(context: BuildContext, { labels = [], commonLabels = {} }: Kustomization, config: TransformerConfig): Transform[] {
  if (labels.length === 0 && Object.keys(commonLabels).length === 0) return [];
  return [
    ...labels.map(label => setEntries(context, label.pairs ?? {}, labelSpecs(label, config))),
    setEntries(context, commonLabels, config.commonLabels),
  ];
}

const jsonSettings = ({ patch, options: _, ...args }: PatchArgs): object => ({ ...args, ...(patch && { jsonOp: patch }) });

function labelSpecs(label: LabelArgs, config: TransformerConfig): FieldSpec[] {
  const merge = (list: readonly FieldSpec[], more: readonly FieldSpec[]) =>
    within('failed to merge labels', () => mergeFieldSpecs(list, more));
  let specs = merge((label.fields ?? []).map(fieldSpecFrom), config.labels);
  if (label.includeSelectors) return merge(specs, config.commonLabels);
  if (label.includeTemplates) specs = merge(specs, config.templateLabels);
  if (label.includeVolumeClaimTemplates) specs = merge(specs, config.volumeClaimTemplateLabels);
  return merge(specs, [{ group: '', version: '', kind: '', path: 'metadata/labels', create: true }]);
}
