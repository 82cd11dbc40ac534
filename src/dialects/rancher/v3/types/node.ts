import { Node } from '../../../../api/builtin-kinds.ts';
import { StatusError } from '../../../../api/status.ts';
import { UnreachableError } from '../../../../client/transport.ts';
import type { JsonObject } from '../../../../util/json.ts';
import { mapBounded } from '../../../../util/map-bounded.ts';
import type { MemberApis } from '../member/member-apis.ts';
import type { NormanContext } from '../norman-context.ts';
import { NormanError } from '../norman-error.ts';
import { noGrants, type Entry, type NormanType } from '../norman-type.ts';
import { commonFields, stateFields } from '../resource-shape.ts';
import type { ClusterType } from './cluster.ts';

const atATime = 32;
/** A member that does not answer in time has no nodes to show in a list of many. */
const memberMs = 5_000;
const amounts = { type: 'map[string]' } as const;

/** `/v3/nodes`: asked of the members themselves, as the caller. Members that do not answer are left out. */
export function nodeType(clusters: ClusterType, members: MemberApis): NormanType {
  return {
    id: 'node',
    plural: 'nodes',
    fields: {
      ...commonFields,
      labels: { type: 'map[string]' },
      annotations: { type: 'map[string]' },
      ...stateFields,
      clusterId: { type: 'reference[cluster]' },
      nodeName: { type: 'string' },
      hostname: { type: 'string' },
      ipAddress: { type: 'string' },
      etcd: { type: 'boolean', default: false },
      controlPlane: { type: 'boolean', default: false },
      worker: { type: 'boolean', default: false },
      unschedulable: { type: 'boolean', default: false },
      taints: { type: 'array[json]' },
      allocatable: amounts,
      capacity: amounts,
      requested: amounts,
      limits: amounts,
      conditions: { type: 'array[json]' },
      info: { type: 'json' },
    },
    collectionMethods: ['GET'],
    resourceMethods: ['GET'],
    store: {
      async list(ctx, scope) {
        const wanted = scope.equals('clusterId');
        const ids = wanted === undefined ? await clusters.visibleIds(ctx) : [wanted];
        return (await mapBounded(ids, atATime, id => nodesOf(ctx, id))).flat();
      },
      async get(ctx, id) {
        const [clusterId = '', name = '', ...more] = id.split(':');
        if (name === '' || more.length > 0) return undefined;
        return (await nodesOf(ctx, clusterId)).find(entry => entry.id === id);
      },
    },
  };

  async function nodesOf(ctx: NormanContext, clusterId: string): Promise<Entry[]> {
    try {
      const { id, client } = await members.open(ctx.caller, clusterId);
      const { items } = await client.list(Node, { signal: ctx.signal, timeoutMs: memberMs });
      return items.map(node => ({ id: `${id}:${node.metadata.name}`, fields: () => nodeFields(node, id), grants: async () => noGrants }));
    } catch (error) {
      // Not known, not allowed, not there: a list shows what can be seen.
      if (error instanceof StatusError || error instanceof NormanError || error instanceof UnreachableError) return [];
      throw error;
    }
  }
}

export function nodeFields({ metadata, spec, status }: Node, clusterId: string): JsonObject {
  const { labels = {}, annotations = {} } = metadata;
  const has = (role: string) => Object.hasOwn(labels, `node-role.kubernetes.io/${role}`);
  const controlPlane = has('control-plane') || has('controlplane') || has('master');
  const address = (type: string) => status?.addresses?.find(one => one.type === type)?.address ?? '';
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isActive = ready?.status === 'True';
  return {
    name: metadata.name ?? '',
    nodeName: metadata.name ?? '',
    hostname: address('Hostname') || (metadata.name ?? ''),
    ipAddress: address('InternalIP'),
    clusterId,
    labels: { ...labels },
    annotations: { ...annotations },
    uuid: metadata.uid ?? null,
    created: metadata.creationTimestamp ?? null,
    createdTS: Date.parse(metadata.creationTimestamp ?? '') || 0,
    creatorId: null,
    etcd: has('etcd'),
    controlPlane,
    worker: has('worker') || !controlPlane,
    unschedulable: spec?.unschedulable ?? false,
    taints: (spec?.taints ?? []) as unknown as JsonObject[],
    allocatable: texts(status?.allocatable),
    capacity: texts(status?.capacity),
    requested: {},
    limits: {},
    conditions: (status?.conditions ?? []) as unknown as JsonObject[],
    info: {
      kubernetes: { kubeletVersion: status?.nodeInfo?.kubeletVersion ?? '' },
      os: { operatingSystem: status?.nodeInfo?.osImage ?? '' },
    },
    state: spec?.unschedulable ? 'cordoned' : isActive ? 'active' : 'unavailable',
    transitioning: isActive ? 'no' : 'error',
    transitioningMessage: isActive ? '' : (ready?.message ?? ''),
  };
}

const texts = (amounts: Readonly<Record<string, string | number>> = {}) =>
  Object.fromEntries(Object.entries(amounts).map(([name, amount]) => [name, String(amount)]));
