import type { BuildContext } from './build-context.ts';
import { decodeText, loadConfigData, loadSecretData } from './data-map.ts';
import { KustomizeError, within } from './kustomize-error.ts';
import type { GeneratorArgs, GeneratorOptions, KvSources } from './kustomization.ts';
import type { Loader } from './loader.ts';
import { lookupOrCreate, setField } from './node-fields.ts';
import { compareText } from './res-id.ts';
import { buildAnnotations, Resource, setMetaEntry } from './resource.ts';
import { makeNode, scalarNode, stringNode, tags, type YamlNode } from './yaml-node.ts';

/** A ConfigMap or Secret from literals, files and env files. */
export function generateData(context: BuildContext, loader: Loader, kind: 'ConfigMap' | 'Secret', args: GeneratorArgs): Resource {
  const node = baseNode(kind, args);
  if (kind === 'Secret') setField(node, 'type', stringNode(args.type || 'Opaque'));
  const data = loadData(loader, args);
  if (kind === 'Secret') loadSecretData(node, data);
  else loadConfigData(node, data);
  const { labels = {}, annotations = {}, immutable = false, disableNameSuffixHash = false } = args.options ?? {};
  for (const key of Object.keys(labels).sort(compareText)) setMetaEntry(node, 'labels', key, labels[key]!);
  for (const key of Object.keys(annotations).sort(compareText)) setMetaEntry(node, 'annotations', key, annotations[key]!);
  if (immutable) setField(node, 'immutable', makeNode('scalar', { value: 'true', tag: tags.bool }));
  const resource = new Resource(context, node);
  if (!disableNameSuffixHash) resource.enable(buildAnnotations.needsHashSuffix);
  const { behavior = '' } = args;
  resource.annotate(buildAnnotations.generatorBehavior, ['create', 'replace', 'merge'].includes(behavior) ? behavior : 'unspecified');
  return resource;
}

function baseNode(kind: string, { name = '', namespace = '' }: GeneratorArgs): YamlNode {
  const node = makeNode('mapping', { tag: tags.map });
  setField(node, 'apiVersion', scalarNode('v1'));
  setField(node, 'kind', scalarNode(kind));
  if (name === '') throw new KustomizeError('a configmap must have a name');
  const metadata = lookupOrCreate(node, 'mapping', ['metadata'])!;
  setField(metadata, 'name', stringNode(name));
  if (namespace !== '') setField(metadata, 'namespace', stringNode(namespace));
  return node;
}

type Pair = readonly [key: string, value: Uint8Array];

function loadData(loader: Loader, args: GeneratorArgs): Map<string, Uint8Array> {
  const data = new Map<string, Uint8Array>();
  for (const [key, value] of within('loading KV pairs', () => loadPairs(loader, args))) {
    if (data.has(key)) throw new KustomizeError(`configmap ${args.name} illegally repeats the key \`${key}\``);
    data.set(key, value);
  }
  return data;
}

function loadPairs(loader: Loader, { envs = [], literals = [], files = [] }: KvSources): Pair[] {
  return [
    ...within(`env source files: [${envs.join(' ')}]`, () => envs.flatMap(file => parseEnvFile(loader.load(file)))),
    ...within(`literal sources [${literals.join(' ')}]`, () => literals.map(parseLiteral)),
    ...within(`file sources: [${files.join(' ')}]`, () => files.map(source => loadFile(loader, source))),
  ];
}

const encoder = new TextEncoder();

function parseLiteral(source: string): Pair {
  const at = source.indexOf('=');
  if (at <= 0) throw new KustomizeError(`invalid literal source ${source}, expected key=value`);
  const value = source.slice(at + 1);
  const isQuoted = value.length >= 2 && value[0] === value.at(-1) && (value[0] === '"' || value[0] === "'");
  return [source.slice(0, at), encoder.encode(isQuoted ? value.slice(1, -1) : value)];
}

function loadFile(loader: Loader, source: string): Pair {
  const parts = source.split('=');
  if (parts.length === 1) return [source.replace(/\/+$/, '').split('/').at(-1) || '.', loader.load(source)];
  if (parts.length > 2) throw new KustomizeError(`source "${source}" key name or file path contains '='`);
  const [key = '', file = ''] = parts;
  if (key === '') throw new KustomizeError(`missing key name for file path "${file}" in source "${source}"`);
  if (file === '') throw new KustomizeError(`missing file path for key name "${key}" in source "${source}"`);
  return [key, loader.load(file)];
}

/** A longer line ends the reading, without a word, as in kustomize. */
const maxLineBytes = 64 * 1024;

function parseEnvFile(bytes: Uint8Array): Pair[] {
  const pairs: Pair[] = [];
  let isFirst = true;
  for (const line of linesOf(bytes)) {
    if (line.length >= maxLineBytes) break;
    const text = decodeText(line);
    if (text === undefined) throw new KustomizeError(`line has invalid utf8 bytes : ${Buffer.from(line).toString('utf8')}`);
    const trimmed = (isFirst ? text.replace(/^\ufeff/, '') : text).replace(/^[\s\u0085]+/, '');
    isFirst = false;
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    const at = trimmed.indexOf('=');
    const [key, value] = at < 0 ? [trimmed, ''] : [trimmed.slice(0, at), trimmed.slice(at + 1)];
    if (key !== '') pairs.push([key, encoder.encode(value)]);
  }
  return pairs;
}

function* linesOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let start = 0; start < bytes.length;) {
    const found = bytes.indexOf(10, start);
    const end = found < 0 ? bytes.length : found;
    yield bytes.subarray(start, end > start && bytes[end - 1] === 13 ? end - 1 : end);
    start = end + 1;
  }
}

/** The options of one generator, completed by those of all. */
export function withGlobalOptions(args: GeneratorArgs, global: GeneratorOptions | undefined): GeneratorArgs {
  if (!global) return args;
  const own = args.options ?? {};
  return {
    ...args,
    options: {
      labels: { ...global.labels, ...own.labels },
      annotations: { ...global.annotations, ...own.annotations },
      disableNameSuffixHash: own.disableNameSuffixHash || global.disableNameSuffixHash || false,
      immutable: own.immutable || global.immutable || false,
    },
  };
}
