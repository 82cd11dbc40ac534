import { Node } from '../../api/builtin-kinds.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { informer } from '../../runtime/informer.ts';
import { jsonEqual } from '../../util/json.ts';
import { regionOf } from './summarize-nodes.ts';

export interface FollowedNodes extends Disposable {
  /** As far as a status needs them; undefined until all have been seen once. */
  nodes(): Node[] | undefined;
}

/** A cluster that starts or drains changes many nodes at once. */
const settleMs = 200;

/** Keeps an eye on the nodes of a member. `onBreak` hears when the watch breaks off. */
export function followNodes(client: KubeClient, { onChange, onBreak }: { onChange(): void; onBreak(): void }): FollowedNodes {
  const ended = new AbortController();
  const nodes = informer(client, Node, { signal: ended.signal, keep: keepOfNode, onError: onBreak });
  let settling: NodeJS.Timeout | undefined;
  const settle = () => {
    settling ??= setTimeout(() => {
      settling = undefined;
      onChange();
    }, settleMs);
  };
  // Most changes are heartbeats.
  nodes.subscribe(({ type, object, old }) => {
    if (type !== 'MODIFIED' || !old || !jsonEqual(object.status, old.status) || regionOf(object) !== regionOf(old)) settle();
  });
  nodes.synced.then(settle, () => {});
  return {
    nodes: () => (nodes.hasSynced ? nodes.list() : undefined),
    [Symbol.dispose]() {
      ended.abort();
      clearTimeout(settling);
    },
  };
}

/** What a status needs of a node; whole nodes carry the names of all their images. */
function keepOfNode({ apiVersion, kind, metadata, status }: Node): Node {
  const { name, uid, resourceVersion, labels, annotations } = metadata;
  const kwok = annotations?.['kwok.x-k8s.io/node'];
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name !== undefined && { name }),
      ...(uid !== undefined && { uid }),
      ...(resourceVersion !== undefined && { resourceVersion }),
      ...(labels && { labels }),
      ...(kwok !== undefined && { annotations: { 'kwok.x-k8s.io/node': kwok } }),
    },
    status: {
      ...(status?.capacity && { capacity: status.capacity }),
      ...(status?.allocatable && { allocatable: status.allocatable }),
      conditions: (status?.conditions ?? []).filter(one => one.type === 'Ready').map(({ type, status }) => ({ type, status })),
    },
  };
}
