import { contentTypes } from '../../../api/content.ts';
import { newObject, type SpecOf } from '../../../api/define-kind.ts';
import type { KubeObject } from '../../../api/object.ts';
import { Work, workAnnotations } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { putContent } from '../../../core/contents/put-content.ts';
import { requeue, settled, type Context, type Outcome } from '../../../runtime/controller.ts';
import type { Informer } from '../../../runtime/informer.ts';
import type { Key } from '../../../runtime/key.ts';
import { digestOf } from '../../../sources/digest.ts';
import { jsonEqual, printJson, type JsonObject } from '../../../util/json.ts';
import { rancherNamespaces } from '../names.ts';
import { accessManager } from './access-names.ts';

export interface AccessWork {
  /** The id of the cluster. */
  readonly namespace: string;
  readonly name: string;
  /** Who wants it, for people. */
  readonly owner: string;
  readonly objects: readonly KubeObject[];
  readonly annotations?: Readonly<Record<string, string>>;
  /** Whether namespaces that are missing on the member are made. */
  readonly makesNamespaces?: boolean;
}

export interface AccessWorks {
  /** Makes a Work deliver these objects; without any there is no Work. When it was written a moment ago it is left for later, as the outcome says. */
  ensure(work: AccessWork, ctx: Context): Promise<Outcome>;
}

/** Larger sets are stored as a Content. Smaller ones are not: one that nobody names any more stays for an hour. */
const largestInline = 512 * 1024;
/** A set with many people is not written anew for each of many who come one after the other. */
const bytesPerMs = 50;
const longestGapMs = 5_000;

export function accessWorks(hub: KubeClient, works: Informer<Work>): AccessWorks {
  /** When each may be written again. */
  const dueAtMs = new Map<Key, number>();
  return { ensure };

  async function ensure(work: AccessWork, { now, signal }: Context): Promise<Outcome> {
    const { namespace, name, owner, objects, annotations, makesNamespaces = false } = work;
    const key = `${namespace}/${name}`;
    const present = works.get(key);
    if (objects.length === 0) {
      dueAtMs.delete(key);
      if (present && present.metadata.deletionTimestamp === undefined) await hub.delete(Work, { namespace, name }, { signal });
      return settled;
    }
    const marks = { [workAnnotations.owner]: owner, ...annotations };
    const bytes = bytesOf(objects);
    if (present && delivers(present, objects, bytes) && hasMarks(present, marks)) return settled;
    const waitMs = (dueAtMs.get(key) ?? 0) - now.getTime();
    if (waitMs > 0) return requeue(waitMs);
    const spec: SpecOf<typeof Work> = {
      release: { name, namespace: rancherNamespaces.system },
      // The bindings of Rancher are their own history. A member that is itself a Rancher, as Harvester is, has roles of the same names that say the same.
      options: { history: 1, createNamespace: false, createAllNamespaces: makesNamespaces, takeOwnership: true },
      ...(await holdObjects(hub, objects, bytes, signal)),
    };
    await hub.apply(Work, newObject(Work, { namespace, name, annotations: marks }, spec), { signal, fieldManager: accessManager });
    dueAtMs.set(key, now.getTime() + Math.min(Math.ceil(bytes.length / bytesPerMs), longestGapMs));
    return settled;
  }
}

async function holdObjects(hub: KubeClient, objects: readonly KubeObject[], bytes: Buffer, signal: AbortSignal) {
  if (bytes.length <= largestInline) return { manifests: objects as unknown as JsonObject[] };
  return { content: await putContent(hub, bytes, { type: contentTypes.manifests }, { signal }) };
}

function delivers({ spec }: Work, objects: readonly KubeObject[], bytes: Buffer): boolean {
  if (spec.manifests) return jsonEqual(spec.manifests, objects);
  return spec.content !== undefined && spec.content === digestOf(bytes);
}

const bytesOf = (objects: readonly KubeObject[]): Buffer => Buffer.from(objects.map(obj => printJson(obj)).join('\n---\n'));

function hasMarks({ metadata }: Work, marks: Readonly<Record<string, string>>): boolean {
  return Object.entries(marks).every(([key, value]) => metadata.annotations?.[key] === value);
}
