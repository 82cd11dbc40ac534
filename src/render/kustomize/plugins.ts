import path from 'node:path';
import { isJsonObject, type Json } from '../../util/json.ts';
import type { BuildContext } from './build-context.ts';
import { decode, type Shape } from './decode.ts';
import type { FieldSpec } from './field-spec.ts';
import { generateData } from './generate-data.ts';
import { hashNames } from './hash-names.ts';
import { setImages } from './images.ts';
import { KustomizeError, within } from './kustomize-error.ts';
import {
  fieldSpecShape,
  generatorFields,
  imageShape,
  parseYaml,
  patchFields,
  replacementFieldShape,
  replacementShape,
  replicaShape,
  selectorShape,
  type GeneratorArgs,
  type ImageArgs,
  type PatchArgs,
  type ReplacementArgs,
  type ReplicaArgs,
  type WrittenFieldSpec,
} from './kustomization.ts';
import type { Loader } from './loader.ts';
import { jsonToNode, nodeToJson } from './node-json.ts';
import { makeJsonPatch, makeMergePatches, makePatch } from './patches.ts';
import { applyReplacements } from './replacements.ts';
import { gvkText, idText } from './res-id.ts';
import { Resource } from './resource.ts';
import { checkSubjectMode, setNamespaces } from './set-namespace.ts';
import { fieldSpecFrom } from './transformer-config.ts';
import { affixNames, setEntries, setReplicas, type Transform } from './transforms.ts';
import { addValues, type ValueTarget } from './value-add.ts';

/** What the maker of a transformer or generator is given. */
interface PluginInput {
  readonly context: BuildContext;
  readonly loader: Loader;
  readonly config: Json;
}

const texts: Shape = { list: 'string' };
const specs: Shape = { list: fieldSpecShape };
const metadata: Shape = { struct: 'ObjectMeta', fields: { name: 'string', namespace: 'string' } };

/** Reads a plugin's configuration, as Go would into its struct. */
function read<T>(config: Json, fields: Record<string, Shape>): Partial<T> {
  return decode<Partial<T> | undefined>(config, { struct: 'Plugin', fields }, { isLenient: true, ignoresUnknown: true }) ?? {};
}

interface Written {
  readonly fieldSpecs?: WrittenFieldSpec[];
  readonly metadata?: { readonly name?: string; readonly namespace?: string };
}

const specsOf = ({ fieldSpecs = [] }: Partial<Written>): FieldSpec[] => fieldSpecs.map(fieldSpecFrom);

function requireSpecs(written: Partial<Written>): FieldSpec[] {
  if (!written.fieldSpecs) throw new KustomizeError('fieldSpecs is not expected to be nil');
  return specsOf(written);
}

function affixer(kind: 'prefix' | 'suffix') {
  return ({ config }: PluginInput): Transform => {
    const written = read<Written & { prefix: string; suffix: string }>(config, { [kind]: 'string', fieldSpecs: specs });
    return affixNames(kind, written[kind] ?? '', requireSpecs(written));
  };
}

const makers: Readonly<Record<string, (input: PluginInput) => Transform>> = {
  AnnotationsTransformer({ context, config }) {
    const written = read<Written & { annotations: Record<string, string> }>(config, { annotations: { map: 'string' }, fieldSpecs: specs });
    return setEntries(context, written.annotations ?? {}, specsOf(written));
  },
  HashTransformer: () => resources => hashNames(resources.list),
  ImageTagTransformer({ config }) {
    const written = read<Written & { imageTag: ImageArgs }>(config, { imageTag: imageShape, fieldSpecs: specs });
    return resources => setImages(resources.list, written.imageTag ?? {}, specsOf(written));
  },
  LabelTransformer({ context, config }) {
    const written = read<Written & { labels: Record<string, string> }>(config, { labels: { map: 'string' }, fieldSpecs: specs });
    return setEntries(context, written.labels ?? {}, specsOf(written));
  },
  NamespaceTransformer({ config }) {
    const written = read<Written & { unsetOnly: boolean; setRoleBindingSubjects: string }>(config, {
      metadata,
      fieldSpecs: specs,
      unsetOnly: 'bool',
      setRoleBindingSubjects: 'string',
    });
    const { unsetOnly = false, setRoleBindingSubjects = '' } = written;
    checkSubjectMode(setRoleBindingSubjects);
    const namespace = written.metadata?.namespace ?? '';
    return resources => setNamespaces(resources, { namespace, fieldSpecs: specsOf(written), unsetOnly, setRoleBindingSubjects });
  },
  PatchJson6902Transformer({ loader, config }) {
    const written = read<PatchArgs & { jsonOp: string }>(config, { target: selectorShape, path: 'string', jsonOp: 'string' });
    const { jsonOp = '', ...args } = written;
    return makeJsonPatch(loader, { ...args, patch: jsonOp });
  },
  PatchStrategicMergeTransformer({ context, loader, config }) {
    const { paths = [], patches = '' } = read<{ paths: string[]; patches: string }>(config, { paths: texts, patches: 'string' });
    return makeMergePatches(context, loader, paths, patches);
  },
  PatchTransformer: ({ context, loader, config }) => makePatch(context, loader, read<PatchArgs>(config, patchFields)),
  PrefixTransformer: affixer('prefix'),
  SuffixTransformer: affixer('suffix'),
  PrefixSuffixTransformer(input) {
    const [prefix, suffix] = [affixer('prefix')(input), affixer('suffix')(input)];
    return resources => {
      prefix(resources);
      suffix(resources);
    };
  },
  ReplacementTransformer({ loader, config }) {
    const { replacements = [] } = read<{ replacements: ReplacementArgs[] }>(config, { replacements: { list: replacementFieldShape } });
    return makeReplacements(loader, replacements);
  },
  ReplicaCountTransformer({ config }) {
    const written = read<Written & { replica: ReplicaArgs }>(config, { replica: replicaShape, fieldSpecs: specs });
    return setReplicas(written.replica ?? {}, specsOf(written));
  },
  ValueAddTransformer({ loader, config }) {
    const target: Shape = { struct: 'Target', fields: { selector: selectorShape, fieldPath: 'string', filePathPosition: 'int' } };
    const fields: Record<string, Shape> = { value: 'string', targets: { list: target }, targetFilePath: 'string' };
    const written = read<{ value: string; targets: ValueTarget[]; targetFilePath: string }>(config, fields);
    const { targets = [], targetFilePath = '' } = written;
    const shared = targetFilePath === '' ? {} : read<{ targets: ValueTarget[] }>(parseYaml(loader.loadText(targetFilePath)), fields);
    return addValues(written.value?.trim() || path.posix.basename(loader.root), [...targets, ...(shared.targets ?? [])]);
  },
};

/** Replacements that are written here or lie in files. */
export function makeReplacements(loader: Loader, written: readonly ReplacementArgs[]): Transform {
  const replacements = written.flatMap(replacement => {
    const { path: file = '', source, targets = [] } = replacement;
    if (file === '') return [replacement];
    if (source || targets.length > 0) throw new KustomizeError('cannot specify both path and inline replacement');
    return loadReplacements(loader.loadText(file));
  });
  return resources => {
    applyReplacements(resources.list, replacements);
    resources.dropEmpty();
  };
}

function loadReplacements(text: string): ReplacementArgs[] {
  const value = parseYaml(text);
  const options = { isLenient: true, ignoresUnknown: true };
  if (Array.isArray(value)) return decode<ReplacementArgs[]>(value, { list: replacementShape }, options);
  if (isJsonObject(value)) return [decode<ReplacementArgs>(value, replacementShape, options)];
  throw new KustomizeError(
    `unsupported replacement type encountered within replacement path: ${value === null ? 'invalid' : typeof value}`,
  );
}

const generatorKinds: Readonly<Record<string, 'ConfigMap' | 'Secret'>> = {
  ConfigMapGenerator: 'ConfigMap',
  SecretGenerator: 'Secret',
};

function expectBuiltin({ gvk, originalId }: Resource): void {
  if (gvk.group === '' && gvk.version === 'builtin') return;
  throw new KustomizeError(`external plugins disabled; unable to load external plugin '${originalId.kind}'`);
}

/** The transformer that a resource of the `transformers` or `validators` field configures. Only builtin ones are known. */
export function makeTransformer(context: BuildContext, loader: Loader, resource: Resource): Transform {
  expectBuiltin(resource);
  const { kind } = resource;
  const maker = Object.hasOwn(makers, kind) ? makers[kind] : undefined;
  if (Object.hasOwn(generatorKinds, kind)) throw new KustomizeError(`plugin ${idText(resource.originalId)} not a transformer`);
  if (!maker) throw new KustomizeError(`unable to load builtin ${gvkText(resource.gvk)}`);
  return within(`plugin ${idText(resource.originalId)} fails configuration`, () =>
    maker({ context, loader, config: nodeToJson(resource.node) }),
  );
}

/** The generator that a resource of the `generators` field configures. */
export function makeGenerator(context: BuildContext, loader: Loader, resource: Resource): () => Resource {
  return within('failed to load generator', () => {
    expectBuiltin(resource);
    const { kind } = resource;
    const config = nodeToJson(resource.node);
    if (kind === 'HelmChartInflationGenerator') throw new KustomizeError(helmRefusal);
    if (kind === 'IAMPolicyGenerator') return () => generateServiceAccount(context, config);
    if (Object.hasOwn(makers, kind)) throw new KustomizeError(`plugin ${idText(resource.originalId)} not a generator`);
    const made = Object.hasOwn(generatorKinds, kind) ? generatorKinds[kind] : undefined;
    if (!made) throw new KustomizeError(`unable to load builtin ${gvkText(resource.gvk)}`);
    const written = read<GeneratorArgs & Written>(config, { ...generatorFields, type: 'string', metadata });
    const name = written.name || written.metadata?.name || '';
    const namespace = written.namespace || written.metadata?.namespace || '';
    return () => generateData(context, loader, made, { ...written, name, namespace });
  });
}

/** The account of the IAMPolicyGenerator, which knows only one cloud. */
function generateServiceAccount(context: BuildContext, config: Json): Resource {
  const named: Shape = { struct: 'Named', fields: { name: 'string', namespace: 'string', projectId: 'string' } };
  type Named = { readonly name?: string; readonly namespace?: string; readonly projectId?: string };
  const written = read<{ cloud: string; kubernetesService: Named; serviceAccount: Named }>(config, {
    cloud: 'string',
    kubernetesService: named,
    serviceAccount: named,
  });
  const { cloud = '', kubernetesService: { name = '', namespace = '' } = {}, serviceAccount = {} } = written;
  if (cloud !== 'gke') throw new KustomizeError(`cloud provider ${cloud} not supported yet`);
  const email = `${serviceAccount.name ?? ''}@${serviceAccount.projectId ?? ''}.iam.gserviceaccount.com`;
  const meta = { annotations: { 'iam.gke.io/gcp-service-account': email }, name, ...(namespace !== '' && { namespace }) };
  return new Resource(context, jsonToNode({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: meta }));
}

export const helmRefusal = 'helmCharts are refused: deliver the chart as a Work of its own, or render it first';
