import type { KindRef } from '../../api/define-kind.ts';
import type { ObjectMeta } from '../../api/object.ts';
import { apiPath } from '../../client/api-path.ts';
import { underDeadline } from '../../client/deadline.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { isMissing } from '../../client/missing-object.ts';
import { readJson } from '../../client/read-answer.ts';
import { mapBounded } from '../../util/map-bounded.ts';
import { explainRefusal } from './explain-refusal.ts';
import type { Member } from './member.ts';
import type { ObjectRef } from './object-ref.ts';
import { isNoSuchKind, retryRefused } from './retry-refused.ts';

interface ReadOptions {
  readonly signal: AbortSignal;
  readonly concurrency: number;
}

/** From so many on, one list costs less than asking for each. */
const manyObjects = 8;
const pageSize = 500;
const listAccept = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json';
const objectAccept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,application/json';

/** The metadata of those of the objects that are on the member. All must be of the same kind and namespace. */
export async function readMetadata(member: Member, kind: KindRef, refs: readonly ObjectRef[], options: ReadOptions): Promise<ObjectMeta[]> {
  const { signal, concurrency } = options;
  const wanted = new Set(refs.map(({ name }) => name));
  const found: ObjectMeta[] = [];
  const first = refs[0];
  if (!first) return found;
  try {
    if (wanted.size >= manyObjects) {
      const page = await readPage(member.client, kind, first.namespace, signal);
      for (const { metadata } of page.items) if (wanted.delete(metadata.name ?? '')) found.push(metadata);
      if (page.isWhole) return found;
    }
    // The rest of a crowded namespace is not read for a few names.
    const rest = await mapBounded([...wanted], concurrency, name => readOne(member.client, kind, { ...first, name }, signal));
    return [...found, ...rest.filter(metadata => metadata !== undefined)];
  } catch (error) {
    signal.throwIfAborted();
    // What the member does not serve yet is not there.
    if (isNoSuchKind(error)) return found;
    throw explainRefusal('read', first, error);
  }
}

interface Page {
  readonly items: readonly { readonly metadata: ObjectMeta }[];
  readonly isWhole: boolean;
}

async function readPage(client: KubeClient, kind: KindRef, namespace: string | undefined, signal: AbortSignal): Promise<Page> {
  const path = apiPath(kind, { namespace }, { limit: pageSize });
  const answer = (await ask(client, path, listAccept, signal)) as {
    metadata?: { continue?: string };
    items?: Page['items'] | null;
  };
  return { items: answer.items ?? [], isWhole: (answer.metadata?.continue ?? '') === '' };
}

async function readOne(
  client: KubeClient,
  kind: KindRef,
  { namespace, name }: ObjectRef,
  signal: AbortSignal,
): Promise<ObjectMeta | undefined> {
  try {
    const answer = await ask(client, apiPath(kind, { namespace, name }), objectAccept, signal);
    return (answer as { metadata: ObjectMeta }).metadata;
  } catch (error) {
    if (isMissing(error, { name })) return undefined;
    throw error;
  }
}

function ask(client: KubeClient, path: string, accept: string, signal: AbortSignal): Promise<unknown> {
  return retryRefused(
    () =>
      underDeadline({ signal }, async deadline =>
        readJson(await client.request({ method: 'GET', path, headers: { accept }, signal: deadline })),
      ),
    { signal },
  );
}
