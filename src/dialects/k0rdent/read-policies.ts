import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { KubeObject } from '../../api/object.ts';
import { refKey, refOf } from '../../core/delivery/object-ref.ts';
import { parseManifests } from '../../core/delivery/read-manifests.ts';
import { errorText } from '../../util/error-text.ts';
import { printJson } from '../../util/json.ts';
import { flux } from './kinds/flux-source.ts';
import type { PolicyRef } from './kinds/service-spec.ts';
import { hubTargetRefusal } from './local-template.ts';
import { templateAnnotation, textsOf } from './service-values.ts';
import { manifestsIn } from './template-files.ts';
import { contentAnnotation } from './template-content.ts';
import { checkReach, fillText, type TemplateData, type TemplateSource } from './template-data.ts';

/** What one entry of `policyRefs` puts on a cluster. */
export interface Policy {
  /** Names the entry for as long as it names the same source. */
  readonly key: string;
  readonly objects: readonly KubeObject[];
  /** Where they are stored, when they are too many to be written into a Work. */
  readonly content?: string;
  /** Whether they are for the hub itself. */
  readonly isLocal: boolean;
  readonly skipNamespaceCreation: boolean;
}

export interface ReadPolicies {
  readonly policies: readonly Policy[];
  /** Entries that cannot be had now, by their keys, and why: what was delivered of them stays. */
  readonly failures: ReadonlyMap<string, string>;
}

export interface PolicySource extends TemplateSource {
  /** The bytes of a Content. */
  readContent(digest: string): Promise<Buffer>;
  /** Manifests at an address, as a text of YAML documents. */
  fetchRemote(remote: RemoteUrl): Promise<string>;
  /** Keeps manifests on the hub and answers their digest. Without it they are given as they are. */
  store?(manifests: string): Promise<string>;
  /** Whether something may be put on the hub itself. */
  readonly mayUseHub: boolean;
}

export interface RemoteUrl {
  readonly url: string;
  readonly interval?: string;
  readonly secretRef?: { readonly name: string };
  /** Whether what is there are templates. */
  readonly template?: boolean;
}

const defaultTier = 100;

/** Everything that the entries of a set hold. Of two that hold the same object the one with the lower tier, or the earlier one, delivers it. */
export async function readPolicies(refs: readonly PolicyRef[], data: TemplateData, source: PolicySource): Promise<ReadPolicies> {
  const policies: Policy[] = [];
  const failures = new Map<string, string>();
  const taken = new Set<string>();
  for (const ref of refs.toSorted((a, b) => (a.tier ?? defaultTier) - (b.tier ?? defaultTier))) {
    const key = keyOf(ref);
    try {
      const text = await readPolicy(ref, data, source);
      if (text === undefined) continue;
      const objects = parsed(text).filter(obj => !taken.has(refKey(refOf(obj))));
      for (const obj of objects) taken.add(refKey(refOf(obj)));
      const content = await storeLarge(objects, source);
      const isLocal = isLocalPolicy(ref);
      const skipNamespaceCreation = ref.skipNamespaceCreation ?? false;
      policies.push({ key, objects, isLocal, skipNamespaceCreation, ...(content !== undefined && { content }) });
    } catch (cause) {
      failures.set(key, `policyRef ${policyText(ref)}: ${errorText(cause)}`);
    }
  }
  return { policies, failures };
}

/** A Work is one object, and there is one for each cluster. */
const maxInlineChars = 256 * 1024;

async function storeLarge(objects: readonly KubeObject[], { store }: PolicySource): Promise<string | undefined> {
  if (!store) return undefined;
  const text = objects.map(obj => `${printJson(obj)}\n`).join('---\n');
  return text.length > maxInlineChars ? store(text) : undefined;
}

export const isLocalPolicy = ({ deploymentType }: Pick<PolicyRef, 'deploymentType'>): boolean => deploymentType === 'Local';

/** `ConfigMap team/rules`, or the address. */
const policyText = ({ kind, namespace, name, remoteURL }: PolicyRef): string =>
  kind === undefined ? String((remoteURL as RemoteUrl | undefined)?.url) : `${kind} ${namespace ? `${namespace}/` : ''}${name}`;

function keyOf({ kind, namespace, name, path, remoteURL }: PolicyRef): string {
  const { url } = (remoteURL ?? {}) as Partial<RemoteUrl>;
  return createHash('sha256')
    .update(printJson([kind, namespace, name, path, url]))
    .digest('hex')
    .slice(0, 10);
}

/** The manifests of an entry as one text. Undefined: it may be missing, and is. */
async function readPolicy(ref: PolicyRef, data: TemplateData, source: PolicySource): Promise<string | undefined> {
  if (isLocalPolicy(ref) && !source.mayUseHub) throw new Error(hubTargetRefusal);
  const remote = ref.remoteURL as RemoteUrl | undefined;
  if (remote) {
    const text = await source.fetchRemote(remote);
    return remote.template ? fillText('remoteURL', text, data, source) : text;
  }
  const { kind = 'ConfigMap' } = ref;
  const namespace = (await fillText('namespace', ref.namespace ?? '', data, source)) || source.namespace;
  const name = await fillText('name', ref.name ?? '', data, source);
  const isPlain = kind === 'ConfigMap' || kind === 'Secret';
  const at = { group: isPlain ? '' : flux.group, version: 'v1', kind, namespace, name };
  checkReach('policyRefs', at, source);
  const obj = await source.read(at);
  if (!obj && ref.optional) return undefined;
  if (!obj) throw new Error(`there is no ${kind} ${namespace}/${name}`);
  const texts = isPlain ? textsOf(obj) : [[ref.path ?? '', await folderText(obj, ref.path ?? '', source)] as const];
  const isTemplate = obj.metadata.annotations?.[templateAnnotation] !== undefined;
  const filled: string[] = [];
  for (const [key, text] of texts) filled.push(isTemplate ? await fillText(key || 'manifests', text, data, source) : text);
  return filled.map(text => text.replace(/\n*$/, '\n')).join('---\n');
}

async function folderText(obj: KubeObject, path: string, { readContent }: PolicySource): Promise<string> {
  const digest = obj.metadata.annotations?.[contentAnnotation];
  if (digest === undefined) {
    const { conditions = [] } = (obj as { status?: { conditions?: { type: string; status: string; message: string }[] } }).status ?? {};
    const ready = conditions.find(({ type }) => type === 'Ready');
    throw new Error(ready?.status === 'False' ? `Source is not ready: ${ready.message}` : 'Source is not ready');
  }
  const known = folders.get(`${digest} ${path}`);
  if (known !== undefined) return known;
  const text = manifestsIn(await readContent(digest), path).bytes.toString();
  folders.set(`${digest} ${path}`, text);
  return text;
}

/** The same sources are read for every cluster. */
const cacheChars = 16 * 1024 * 1024;
const folders = new LRUCache<string, string>({ maxSize: cacheChars, sizeCalculation: text => text.length + 1 });
const parsedTexts = new LRUCache<string, readonly KubeObject[]>({ maxSize: cacheChars, sizeCalculation: (_, text) => text.length + 1 });

function parsed(text: string): readonly KubeObject[] {
  const known = parsedTexts.get(text);
  if (known) return known;
  const objects = parseManifests(text);
  parsedTexts.set(text, objects);
  return objects;
}
