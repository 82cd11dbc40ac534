import type { Node } from '../../../api/kubernetes.ts';
import { isNamespaceTerminating, unlessGone } from '../write-errors.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { asStored, isDeleting, keyOf, splitKey, targetOf } from '../stored-object.ts';
import { fieldManager, nodes, pods } from '../workload-resources.ts';
import { hasSelector, podsBehind, servicesOfPod, triggerTime, type StoredService } from './service-pods.ts';
import { endpointSlices, serviceNameLabel, services, sliceManagerLabel } from './service-resources.ts';
import { groupEndpoints, planSlices, sliceManager, type StoredSlice } from './slice-endpoints.ts';

/** Keeps the slices of services in step with the pods behind them. */
export const endpointSliceController: ControllerDefinition = {
  name: 'endpoint-slice',
  reconciles: [services],
  watches: [pods, endpointSlices],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('endpoint-slice-controller');
    const queue = ctx.queue({ reconcile });
    for (const service of api.peekAll(services)) queue.add(keyOf(service));

    return {
      observe(change) {
        if (change.resource.resource === pods.resource) for (const key of servicesOfPod(api, change)) queue.add(key);
        else if (change.resource.resource === services.resource) queue.add(`${change.namespace}/${change.name}`);
        else if (change.obj.metadata.labels?.[sliceManagerLabel] === sliceManager)
          queue.add(`${change.namespace}/${change.obj.metadata.labels[serviceNameLabel]}`);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(services, namespace, name);
      // The slices of a service that is gone go with it, by their owner.
      if (!obj || isDeleting(obj)) return;
      const service = asStored(obj) as StoredService;
      if (!hasSelector(service)) return;

      const nodeOf = (node: string) => api.peek(nodes, '', node) as unknown as Node | undefined;
      const behind = podsBehind(api, service);
      const source = { service, changedAt: triggerTime(service, behind) };
      const { creates, updates, deletes } = planSlices(source, groupEndpoints(service, behind, nodeOf), slicesOf(namespace, name));
      try {
        for (const slice of creates) await api.create(endpointSlices, slice, { fieldManager });
      } catch (error) {
        if (isNamespaceTerminating(error)) return;
        recorder.record(
          service,
          'Warning',
          'FailedToUpdateEndpointSlices',
          `Error updating Endpoint Slices for Service ${key}: ${String(error)}`,
        );
        throw error;
      }
      for (const slice of updates) await unlessGone(api.update(endpointSlices, slice, { fieldManager }));
      for (const slice of deletes) await unlessGone(api.delete(endpointSlices, targetOf(slice)));
    }

    function slicesOf(namespace: string, service: string): StoredSlice[] {
      return api
        .peekAll(endpointSlices, namespace)
        .map(slice => asStored(slice) as StoredSlice)
        .filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === service && metadata.labels[sliceManagerLabel] === sliceManager);
    }
  },
};
