import type { LoadBalancerIngress } from '../../../api/kubernetes.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { asObject, asStored, isDeleting, keyOf, splitKey } from '../stored-object.ts';
import { fieldManager } from '../workload-resources.ts';
import { unlessGone } from '../write-errors.ts';
import type { StoredService } from './service-pods.ts';
import { services } from './service-resources.ts';

/** Networks that are set aside for documentation: nothing real is ever reached there by mistake. */
const networks = ['203.0.113', '198.51.100', '192.0.2'];

/** Plays the cloud: a service of type LoadBalancer gets an address of its own. Those of another class are left to their controller. */
export const loadBalancerController: ControllerDefinition = {
  name: 'load-balancer',
  reconciles: [services],
  start(ctx) {
    const { api } = ctx;
    const recorder = ctx.recorder('service-controller');
    // One at a time: each address must see the ones before.
    const queue = ctx.queue({ reconcile, concurrency: 1 });
    for (const service of api.peekAll(services)) queue.add(keyOf(service));

    return {
      observe: ({ namespace, name }) => queue.add(`${namespace}/${name}`),
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const obj = api.peek(services, namespace, name);
      if (!obj || isDeleting(obj)) return;
      const service = asStored(obj) as StoredService;
      const present = service.status?.loadBalancer?.ingress ?? [];
      if (service.spec.loadBalancerClass !== undefined) return;
      const wanted = service.spec.type === 'LoadBalancer' ? ingressOf(service, present) : [];
      if (jsonEqual(wanted, present)) return;

      const loadBalancer = wanted.length > 0 ? { ingress: wanted } : {};
      const next = asObject({ ...service, status: { ...service.status, loadBalancer } });
      await unlessGone(api.update(services, next, { subresource: 'status', fieldManager }));
      if (wanted.length > 0) recorder.record(service, 'Normal', 'EnsuredLoadBalancer', 'Ensured load balancer');
      else recorder.record(service, 'Normal', 'DeletedLoadBalancer', 'Deleted load balancer');
    }

    function ingressOf(service: StoredService, present: readonly LoadBalancerIngress[]): LoadBalancerIngress[] {
      const asked = service.spec.loadBalancerIP;
      const ip = asked || present[0]?.ip || freeAddress();
      if (ip !== undefined) return present[0]?.ip === ip ? [...present] : [{ ip, ipMode: 'VIP' }];
      recorder.record(service, 'Warning', 'SyncLoadBalancerFailed', 'Error syncing load balancer: no address is free');
      return [];
    }

    function freeAddress(): string | undefined {
      const taken = new Set(
        api
          .peekAll(services)
          .flatMap(other => ((asStored(other) as StoredService).status?.loadBalancer?.ingress ?? []).map(({ ip }) => ip)),
      );
      for (const network of networks)
        for (let host = 1; host < 255; host++) if (!taken.has(`${network}.${host}`)) return `${network}.${host}`;
      return undefined;
    }
  },
};
