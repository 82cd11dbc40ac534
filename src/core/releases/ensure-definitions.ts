import { CustomResourceDefinition } from '../../api/builtin-kinds.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager } from '../../api/work.ts';
import { awaitDefinitions } from '../delivery/await-definitions.ts';
import { explainRefusal } from '../delivery/explain-refusal.ts';
import { isDefinition } from '../delivery/find-kinds.ts';
import type { Member } from '../delivery/member.ts';
import { refOf } from '../delivery/object-ref.ts';
import { parseManifests } from '../delivery/read-manifests.ts';

interface DefinitionFile {
  readonly path: string;
  readonly data: Uint8Array;
}

/** Files of definitions are large, and the same for every cluster and revision. */
const parsed = new WeakMap<Uint8Array, readonly KubeObject[]>();

function definitionsIn({ data }: DefinitionFile): readonly KubeObject[] {
  let objects = parsed.get(data);
  if (!objects) parsed.set(data, (objects = parseManifests(Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString('utf8'))));
  return objects;
}

/**
 * Puts what lies in the folder `crds` of a chart on the member, as Helm without marks of the release: it outlives it. With `Create` only what is
 * missing. Answers whether the member has kinds now that it had not before.
 */
export async function ensureDefinitions(
  member: Member,
  files: readonly DefinitionFile[],
  { mode, signal }: { readonly mode: 'Create' | 'CreateReplace' | 'Skip'; readonly signal: AbortSignal },
): Promise<boolean> {
  if (mode === 'Skip') return false;
  const written: KubeObject[] = [];
  let hasNewKinds = false;
  for (const obj of files.flatMap(definitionsIn)) {
    const wasServed = await isServed(member, obj, signal);
    if (mode === 'Create' && wasServed) continue;
    try {
      const one = await writeDefinition(member, obj, mode, signal);
      if (!one) continue;
      written.push(one);
      hasNewKinds ||= !wasServed;
    } catch (error) {
      signal.throwIfAborted();
      throw explainRefusal('apply', refOf(obj), error);
    }
  }
  if (written.length === 0) return false;
  await awaitDefinitions(member, written.filter(isDefinition), signal);
  member.kinds.forget();
  return hasNewKinds;
}

/** Whether every version is there: known from discovery, which costs nothing. */
async function isServed(member: Member, obj: KubeObject, signal: AbortSignal): Promise<boolean> {
  if (!isDefinition(obj)) return false;
  const { group = '', names, versions = [] } = (obj['spec'] ?? {}) as Partial<CustomResourceDefinition['spec']>;
  const served = versions.filter(version => version.served);
  if (!names || served.length === 0) return false;
  for (const { name: version } of served) if (!(await member.kinds.find({ group, version, kind: names.kind }, signal))) return false;
  return true;
}

async function writeDefinition(
  { client, kinds }: Member,
  obj: KubeObject,
  mode: 'Create' | 'CreateReplace',
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const kind = isDefinition(obj) ? CustomResourceDefinition : await kinds.find(refOf(obj), signal);
  if (!kind) return undefined;
  if (mode === 'CreateReplace') return client.apply(kind, obj as never, { fieldManager: deliveryManager, force: true, signal });
  try {
    return await client.create(kind, obj as never, { fieldManager: deliveryManager, signal });
  } catch (error) {
    if (error instanceof StatusError && error.reason === 'AlreadyExists') return undefined;
    throw error;
  }
}
