import { matchesLabelQuery, SelectorSyntaxError } from '../../api/label-query.ts';
import { writeYaml } from '../../yaml/write-yaml.ts';
import type { BuildContext } from './build-context.ts';
import { KustomizeError } from './kustomize-error.ts';
import { mergeNodes } from './merge-nodes.ts';
import { clearField, fieldOf, getField, lookupOrCreate, setField } from './node-fields.ts';
import { nodeToJson } from './node-json.ts';
import { apiVersionOf, compareText, effectiveNamespace, parseApiVersion, type Gvk, type ResId } from './res-id.ts';
import { copyNode, isNilOrEmpty, makeNode, scalarNode, stringNode, tags, type YamlNode } from './yaml-node.ts';

const domain = 'internal.config.kubernetes.io';

/** Annotations that keep a resource's history while it is built. They go in the end. */
export const buildAnnotations = {
  previousKinds: `${domain}/previousKinds`,
  previousNames: `${domain}/previousNames`,
  prefixes: `${domain}/prefixes`,
  suffixes: `${domain}/suffixes`,
  previousNamespaces: `${domain}/previousNamespaces`,
  allowNameChange: `${domain}/allowNameChange`,
  allowKindChange: `${domain}/allowKindChange`,
  refBy: `${domain}/refBy`,
  generatorBehavior: `${domain}/generatorBehavior`,
  needsHashSuffix: `${domain}/needsHashSuffix`,
} as const;

const removedAnnotations: readonly string[] = [
  ...Object.values(buildAnnotations),
  `${domain}/path`,
  `${domain}/index`,
  `${domain}/seqindent`,
  `${domain}/id`,
  `${domain}/annotations-migration-resource-id`,
  'config.kubernetes.io/path',
  'config.kubernetes.io/index',
  'config.k8s.io/id',
  `${domain}/helm-generated`,
];

const legacyInternal: readonly string[] = ['config.kubernetes.io/path', 'config.kubernetes.io/index', 'config.k8s.io/id'];
const enabled = 'enabled';

/** One Kubernetes object while it is built. It has no node any more once a patch has deleted it. */
export class Resource {
  node: YamlNode | undefined;
  refVarNames: string[] = [];
  private readonly context: BuildContext;

  constructor(context: BuildContext, node: YamlNode) {
    this.context = context;
    this.node = node;
  }

  get isEmpty(): boolean {
    return isNilOrEmpty(this.node);
  }

  get apiVersion(): string {
    return fieldOf(this.node, 'apiVersion')?.value ?? '';
  }

  get kind(): string {
    return fieldOf(this.node, 'kind')?.value ?? '';
  }

  get name(): string {
    return this.metaText('name');
  }

  get namespace(): string {
    return this.metaText('namespace');
  }

  get gvk(): Gvk {
    return { ...parseApiVersion(this.apiVersion), kind: this.kind };
  }

  /** What it is called now. */
  get id(): ResId {
    const { gvk } = this;
    return { ...gvk, name: this.name, namespace: this.namespace, isClusterScoped: this.isClusterScoped(gvk.kind) };
  }

  /** What it was called, oldest first. Kustomize forgets there that some kinds have no namespace. */
  get previousIds(): ResId[] {
    const annotations = this.annotations();
    const names = annotations.get(buildAnnotations.previousNames);
    if (names === undefined) return [];
    const namespaces = (annotations.get(buildAnnotations.previousNamespaces) ?? '').split(',');
    const kinds = (annotations.get(buildAnnotations.previousKinds) ?? '').split(',');
    const { group, version } = this.gvk;
    return names.split(',').map((name, i) => ({
      group,
      version,
      kind: kinds[i] ?? '',
      name,
      namespace: namespaces[i] ?? '',
      isClusterScoped: false,
    }));
  }

  get originalId(): ResId {
    return this.previousIds[0] ?? this.id;
  }

  private isClusterScoped(kind: string): boolean {
    return this.context.openApi.isClusterScoped(this.apiVersion, kind);
  }

  private metaText(field: string): string {
    const node = fieldOf(this.metadata(), field);
    return isNilOrEmpty(node) ? '' : node.value;
  }

  private metadata(): YamlNode | undefined {
    const node = fieldOf(this.node, 'metadata');
    return isNilOrEmpty(node) ? undefined : node;
  }

  annotations(): Map<string, string> {
    return this.metaMap('annotations');
  }

  labels(): Map<string, string> {
    return this.metaMap('labels');
  }

  private metaMap(field: string): Map<string, string> {
    const { content = [] } = fieldOf(this.metadata(), field) ?? {};
    const map = new Map<string, string>();
    for (let i = 0; i + 1 < content.length; i += 2) map.set(content[i]!.value, content[i + 1]!.value);
    return map;
  }

  setAnnotations(map: ReadonlyMap<string, string>): void {
    this.setMetaMap('annotations', map);
  }

  setLabels(map: ReadonlyMap<string, string>): void {
    this.setMetaMap('labels', map);
  }

  /** Writes the map anew: every value becomes text. */
  private setMetaMap(field: string, map: ReadonlyMap<string, string>): void {
    const metadata = this.node && lookupOrCreate(this.node, 'mapping', ['metadata']);
    if (!metadata) return;
    clearField(metadata, field);
    if (map.size === 0) return;
    const target = lookupOrCreate(metadata, 'mapping', [field])!;
    for (const key of [...map.keys()].sort(compareText)) setField(target, key, stringNode(map.get(key)!));
  }

  annotate(key: string, value: string): void {
    this.setAnnotations(this.annotations().set(key, value));
  }

  private appendAnnotation(name: string, value: string): void {
    if (value === '' || !this.node) return;
    const present = this.annotations().get(name);
    this.setQuotedAnnotation(name, present === undefined ? value : `${present},${value}`);
  }

  private setQuotedAnnotation(key: string, value: string): void {
    setMetaEntry(this.node!, 'annotations', key, value);
  }

  setName(name: string): void {
    setIn(this.node, 'metadata', 'name', name);
  }

  setNamespace(namespace: string): void {
    const metadata = getField(this.node, 'metadata');
    if (namespace !== '') setIn(this.node, 'metadata', 'namespace', namespace);
    else if (metadata) clearField(metadata, 'namespace');
  }

  setKind(kind: string): void {
    if (this.node) setField(this.node, 'kind', scalarNode(kind));
  }

  setGvk(gvk: Gvk): void {
    this.setKind(gvk.kind);
    if (this.node) setField(this.node, 'apiVersion', scalarNode(apiVersionOf(gvk)));
  }

  addNamePrefix(prefix: string): void {
    this.appendAnnotation(buildAnnotations.prefixes, prefix);
  }

  addNameSuffix(suffix: string): void {
    this.appendAnnotation(buildAnnotations.suffixes, suffix);
  }

  get namePrefixes(): string[] {
    return this.annotations().get(buildAnnotations.prefixes)?.split(',') ?? [];
  }

  get nameSuffixes(): string[] {
    return this.annotations().get(buildAnnotations.suffixes)?.split(',') ?? [];
  }

  storePreviousId(): void {
    const { id } = this;
    this.appendAnnotation(buildAnnotations.previousNames, id.name);
    this.appendAnnotation(buildAnnotations.previousNamespaces, effectiveNamespace(id));
    this.appendAnnotation(buildAnnotations.previousKinds, id.kind);
  }

  recordReferrer(id: string): void {
    this.appendAnnotation(buildAnnotations.refBy, id);
  }

  isEnabled(annotation: string): boolean {
    return this.annotations().get(annotation) === enabled;
  }

  enable(annotation: string): void {
    this.annotate(annotation, enabled);
  }

  get behavior(): string {
    const behavior = this.annotations().get(buildAnnotations.generatorBehavior) ?? '';
    return ['create', 'replace', 'merge'].includes(behavior) ? behavior : 'unspecified';
  }

  removeBuildAnnotations(): void {
    const annotations = this.annotations();
    if (annotations.size === 0) return;
    for (const name of removedAnnotations) annotations.delete(name);
    this.setAnnotations(annotations);
  }

  /** Annotations that must outlive a JSON patch. */
  internalAnnotations(): Map<string, string> {
    return new Map([...this.annotations()].filter(([key]) => key.startsWith(domain) || legacyInternal.includes(key)));
  }

  matchesLabels(selector: string): boolean {
    return matchesSelector(selector, this.labels());
  }

  matchesAnnotations(selector: string): boolean {
    return matchesSelector(selector, this.annotations());
  }

  copy(): Resource {
    const copy = new Resource(this.context, this.node ? copyNode(this.node) : makeNode('none'));
    copy.refVarNames = [...this.refVarNames];
    return copy;
  }

  /** Takes labels, annotations, name and namespace of the resource it stands in for; its own labels and annotations go before those. */
  takeMetadataFrom(other: Resource): void {
    this.setLabels(new Map([...other.labels(), ...this.labels()]));
    const own = this.annotations();
    const theirs = other.annotations();
    const merged = new Map([...theirs, ...own]);
    for (const name of removedAnnotations) {
      const value = theirs.get(name);
      if (value === undefined) merged.delete(name);
      else merged.set(name, value);
    }
    if (!own.has(buildAnnotations.needsHashSuffix)) merged.delete(buildAnnotations.needsHashSuffix);
    this.setAnnotations(merged);
    this.setName(other.name);
    this.setNamespace(other.namespace);
    this.refVarNames = [...other.refVarNames];
  }

  applyMergePatch(patch: Resource): void {
    const { name, namespace, kind } = this;
    const mayChangeName = patch.isEnabled(buildAnnotations.allowNameChange);
    const mayChangeKind = patch.isEnabled(buildAnnotations.allowKindChange);
    if (mayChangeName || mayChangeKind) this.storePreviousId();
    // A patch that replaces everything answers itself, and kustomize leaves the resource as it is.
    if (this.node && patch.node && !mergeNodes(this.context, this.node, patch.node)) this.node = undefined;
    if (this.isEmpty) return;
    if (!mayChangeKind) this.setKind(kind);
    if (!mayChangeName) this.setName(name);
    this.setNamespace(namespace);
  }

  print(): string {
    return writeYaml(nodeToJson(this.node));
  }
}

function setIn(node: YamlNode | undefined, parent: string, field: string, value: string): void {
  const holder = node && lookupOrCreate(node, 'mapping', [parent]);
  if (holder) setField(holder, field, scalarNode(value));
}

/** Sets a label or annotation, quoted. */
export function setMetaEntry(node: YamlNode, map: 'labels' | 'annotations', key: string, value: string): void {
  if (map === 'annotations') {
    const metadata = getField(node, 'metadata');
    if (metadata && fieldOf(metadata, 'annotations')?.content.length === 0) clearField(metadata, 'annotations');
    if (fieldOf(node, 'metadata')?.content.length === 0) clearField(node, 'metadata');
  }
  const target = lookupOrCreate(node, 'mapping', ['metadata', map]);
  if (target) setField(target, key, makeNode('scalar', { value, tag: tags.str, style: 'single' }));
}

function matchesSelector(selector: string, map: ReadonlyMap<string, string>): boolean {
  try {
    return matchesLabelQuery(selector, Object.fromEntries(map));
  } catch (cause) {
    if (cause instanceof SelectorSyntaxError) throw new KustomizeError(cause.message, { cause });
    throw cause;
  }
}
