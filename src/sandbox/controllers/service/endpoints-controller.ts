import type { Endpoints } from '../../../api/kubernetes.ts';
import type { KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { asStored, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { fieldManager, pods } from '../workload-resources.ts';
import { isAlreadyExists, isNamespaceTerminating, unlessGone } from '../write-errors.ts';
import { maxAddresses, subsetsOf } from './endpoint-subsets.ts';
import {
  hasSelector,
  isHeadless,
  podsBehind,
  servicesOfPod,
  triggerTime,
  triggerTimeAnnotation,
  type StoredService,
} from './service-pods.ts';
import { endpoints, headlessLabel, services } from './service-resources.ts';

export const endpointsManagerLabel = 'endpoints.kubernetes.io/managed-by';
const overCapacity = 'endpoints.kubernetes.io/over-capacity';

/** Keeps the Endpoints of services, the old form of their slices, for those who still read them. */
export const endpointsController: ControllerDefinition = {
  name: 'endpoints',
  reconciles: [services],
  watches: [pods, endpoints],
  start(ctx) {
    const { api } = ctx;
    const queue = ctx.queue({ reconcile });
    for (const service of api.peekAll(services)) queue.add(keyOf(service));

    return {
      observe(change) {
        if (change.resource.resource === pods.resource) for (const key of servicesOfPod(api, change)) queue.add(key);
        else queue.add(`${change.namespace}/${change.name}`);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(services, namespace, name);
      const present = api.peek(endpoints, namespace, name);
      if (!obj) {
        if (present?.metadata.labels?.[endpointsManagerLabel] !== undefined) await unlessGone(api.delete(endpoints, { namespace, name }));
        return;
      }
      const service = asStored(obj) as StoredService;
      if (isDeleting(obj) || !hasSelector(service)) return;
      const wanted = endpointsOf(service, present);
      if (!present) return create(wanted);
      const { subsets } = present as unknown as Endpoints;
      if (jsonEqual(subsets ?? [], wanted['subsets']) && jsonEqual(present.metadata.labels, wanted.metadata.labels)) return;
      await unlessGone(api.update(endpoints, wanted, { fieldManager }));
    }

    async function create(wanted: KubeObject): Promise<void> {
      await api.create(endpoints, wanted, { fieldManager }).catch((error: unknown) => {
        if (!isNamespaceTerminating(error) && !isAlreadyExists(error)) throw error;
      });
    }

    function endpointsOf(service: StoredService, present: KubeObject | undefined): KubeObject {
      const { name, namespace = '' } = service.metadata;
      const behind = podsBehind(api, service);
      const labels = {
        ...service.metadata.labels,
        [endpointsManagerLabel]: 'endpoint-controller',
        ...(isHeadless(service) && { [headlessLabel]: '' }),
      };
      const annotations: Record<string, string> = {
        ...present?.metadata.annotations,
        [triggerTimeAnnotation]: triggerTime(service, behind),
      };
      delete annotations[overCapacity];
      if (behind.length > maxAddresses) annotations[overCapacity] = 'truncated';
      const metadata = { ...present?.metadata, name, namespace, labels, annotations };
      return { apiVersion: 'v1', kind: 'Endpoints', metadata, subsets: subsetsOf(service, behind) };
    }
  },
};
