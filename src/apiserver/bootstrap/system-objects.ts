import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { ClusterApi } from '../cluster-api.ts';
import { flowControlProducer, flowSchemas, priorityLevels, systemFlowSchemas, systemPriorityLevels } from './flow-control.ts';
import { timestamp } from '../../util/timestamp.ts';

const systemNamespaces = ['default', 'kube-system', 'kube-public', 'kube-node-lease'];

interface SystemObject {
  gvr: { group: string; version: string; resource: string };
  obj: KubeObject;
  manager?: string;
}

const serviceCidrs = { group: 'networking.k8s.io', version: 'v1', resource: 'servicecidrs' };

const priorityClass = (name: string, value: number, description: string): SystemObject => ({
  gvr: { group: 'scheduling.k8s.io', version: 'v1', resource: 'priorityclasses' },
  obj: { apiVersion: 'scheduling.k8s.io/v1', kind: 'PriorityClass', metadata: { name }, value, description },
});

/** What the others stand on. */
const firstObjects: SystemObject[] = [
  ...systemNamespaces.map(name => ({
    gvr: { group: '', version: 'v1', resource: 'namespaces' },
    obj: { apiVersion: 'v1', kind: 'Namespace', metadata: { name } },
  })),
  priorityClass('system-node-critical', 2000001000, 'Used for system critical pods that must not be moved from their current node.'),
  priorityClass(
    'system-cluster-critical',
    2000000000,
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  ),
  {
    gvr: serviceCidrs,
    obj: { apiVersion: 'networking.k8s.io/v1', kind: 'ServiceCIDR', metadata: { name: 'kubernetes' }, spec: { cidrs: ['10.0.0.0/16'] } },
  },
];

const otherObjects: SystemObject[] = [
  {
    gvr: { group: '', version: 'v1', resource: 'services' },
    obj: {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'kubernetes', namespace: 'default', labels: { component: 'apiserver', provider: 'kubernetes' } },
      spec: {
        clusterIP: '10.0.0.1',
        ipFamilyPolicy: 'SingleStack',
        ports: [{ name: 'https', port: 443, targetPort: 443, protocol: 'TCP' }],
      },
    },
  },
  ...systemPriorityLevels.map(obj => ({ gvr: priorityLevels, obj, manager: flowControlProducer })),
  ...systemFlowSchemas.map(obj => ({ gvr: flowSchemas, obj, manager: flowControlProducer })),
];

/** Creates what every cluster has from its first second on. */
export async function ensureSystemObjects(api: ClusterApi, now: () => Date = () => new Date()): Promise<void> {
  for (const objects of [firstObjects, otherObjects]) await Promise.all(objects.map(object => ensure(api, object)));
  await markServiceCidrReady(api, now());
}

async function ensure(api: ClusterApi, { gvr, obj, manager = 'kube-apiserver' }: SystemObject): Promise<void> {
  if (api.peek(gvr, obj.metadata.namespace ?? '', obj.metadata.name!)) return;
  try {
    await api.create(gvr, obj, { fieldManager: manager });
  } catch (error) {
    if (!(error instanceof StatusError && error.reason === 'AlreadyExists')) throw error;
  }
}

async function markServiceCidrReady(api: ClusterApi, now: Date): Promise<void> {
  const name = 'kubernetes';
  const cidr = api.peek(serviceCidrs, '', name) as (KubeObject & { status?: { conditions?: { type: string }[] } }) | undefined;
  if (!cidr || cidr.status?.conditions?.some(({ type }) => type === 'Ready')) return;
  const condition = {
    type: 'Ready',
    status: 'True',
    lastTransitionTime: timestamp(now),
    message: 'Kubernetes default Service CIDR is ready',
  };
  const body = { apiVersion: cidr.apiVersion, kind: cidr.kind, metadata: { name }, status: { conditions: [condition] } };
  const how = { subresource: 'status', fieldManager: 'kubernetes-service-cidr-controller', force: true };
  await api.patch(serviceCidrs, { namespace: '', name }, { type: 'apply', body }, how);
}
