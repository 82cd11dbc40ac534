import type { DiscoveryV1EndpointPort, Endpoint, EndpointAddress, Endpoints } from '../../../api/kubernetes.ts';
import { lastAppliedAnnotation, type KubeObject } from '../../../api/object.ts';
import { jsonEqual } from '../../../util/json.ts';
import type { ControllerDefinition } from '../controller-definition.ts';
import { asStored, controllerRefTo, isDeleting, keyOf, splitKey, targetOf, type Stored } from '../stored-object.ts';
import { fieldManager } from '../workload-resources.ts';
import { isNamespaceTerminating, unlessGone } from '../write-errors.ts';
import { endpointsManagerLabel } from './endpoints-controller.ts';
import { hasSelector, type StoredService } from './service-pods.ts';
import { endpoints, endpointSlices, serviceNameLabel, services, sliceManagerLabel } from './service-resources.ts';
import type { StoredSlice } from './slice-endpoints.ts';

const mirrorManager = 'endpointslicemirroring-controller.k8s.io';
const leaderAnnotation = 'control-plane.alpha.kubernetes.io/leader';
const skipLabel = 'endpointslice.kubernetes.io/skip-mirror';

/** Endpoints that people write for services without a selector are repeated as slices, which is what everybody reads. */
export const endpointMirroring: ControllerDefinition = {
  name: 'endpoint-mirroring',
  reconciles: [endpoints],
  watches: [services, endpointSlices],
  start(ctx) {
    const { api } = ctx;
    const queue = ctx.queue({ reconcile });
    for (const obj of api.peekAll(endpoints)) queue.add(keyOf(obj));

    return {
      observe({ resource, namespace, name, obj }) {
        const { labels } = obj.metadata;
        if (resource.resource !== endpointSlices.resource) queue.add(`${namespace}/${name}`);
        else if (labels?.[sliceManagerLabel] === mirrorManager) queue.add(`${namespace}/${labels[serviceNameLabel]}`);
      },
      idle: () => queue.idle(),
      [Symbol.dispose]: () => queue[Symbol.dispose](),
    };

    async function reconcile(key: string): Promise<void> {
      const { namespace, name } = splitKey(key);
      const present = mirrorsOf(namespace, name);
      const source = api.peek(endpoints, namespace, name);
      const service = api.peek(services, namespace, name);
      const isMirrored = source && service && isOwnWork(source) && !hasSelector(asStored(service) as StoredService) && !isDeleting(service);
      const wanted = isMirrored ? slicesFor(asStored<Endpoints>(source)) : [];

      for (const [i, slice] of wanted.entries()) {
        const old = present[i];
        if (!old) await create(slice);
        else if (!isSame(slice, old))
          await unlessGone(api.update(endpointSlices, { ...slice, metadata: { ...old.metadata, ...labelsOf(slice) } }, { fieldManager }));
      }
      for (const slice of present.slice(wanted.length)) await unlessGone(api.delete(endpointSlices, targetOf(slice)));
    }

    async function create(slice: KubeObject): Promise<void> {
      await api.create(endpointSlices, slice, { fieldManager }).catch((error: unknown) => {
        if (!isNamespaceTerminating(error)) throw error;
      });
    }

    function mirrorsOf(namespace: string, service: string): StoredSlice[] {
      return api
        .peekAll(endpointSlices, namespace)
        .map(slice => asStored(slice) as StoredSlice)
        .filter(({ metadata }) => metadata.labels?.[serviceNameLabel] === service && metadata.labels[sliceManagerLabel] === mirrorManager);
    }
  },
};

const labelsOf = ({ metadata }: KubeObject) => ({
  labels: metadata.labels ?? {},
  ...(metadata.annotations && { annotations: metadata.annotations }),
});

/** Not the endpoints of a controller, and not somebody's lock. */
function isOwnWork({ metadata: { labels = {}, annotations = {} } }: KubeObject): boolean {
  return labels[endpointsManagerLabel] === undefined && labels[skipLabel] !== 'true' && annotations[leaderAnnotation] === undefined;
}

function isSame(slice: KubeObject, old: StoredSlice): boolean {
  return (
    jsonEqual(slice['endpoints'], old.endpoints ?? []) &&
    jsonEqual(slice['ports'], old.ports ?? []) &&
    jsonEqual(slice.metadata.labels, old.metadata.labels)
  );
}

function slicesFor(source: Stored<Endpoints>): KubeObject[] {
  return (source.subsets ?? []).flatMap(({ addresses = [], notReadyAddresses = [], ports = [] }) => {
    const all = [...addresses.map(address => ({ address, ready: true })), ...notReadyAddresses.map(address => ({ address, ready: false }))];
    const families = ['IPv4', 'IPv6'].map(family => ({
      family,
      list: all.filter(({ address }) => address.ip.includes(':') === (family === 'IPv6')),
    }));
    const slicePorts = ports.map(({ name = '', port, protocol = 'TCP', appProtocol }) => ({
      name,
      port,
      protocol,
      ...(appProtocol && { appProtocol }),
    }));
    return families
      .filter(({ list }) => list.length > 0)
      .map(({ family, list }) =>
        sliceFor(
          source,
          family,
          slicePorts,
          list.map(one => mirrored(one.address, one.ready)),
        ),
      );
  });
}

function mirrored({ ip, hostname, nodeName, targetRef }: EndpointAddress, ready: boolean): Endpoint {
  return {
    addresses: [ip],
    conditions: { ready },
    ...(hostname && { hostname }),
    ...(targetRef && { targetRef }),
    ...(nodeName && { nodeName }),
  };
}

function sliceFor(
  source: Stored<Endpoints>,
  addressType: string,
  ports: readonly DiscoveryV1EndpointPort[],
  list: readonly Endpoint[],
): KubeObject {
  const { name, namespace = '', labels, annotations = {} } = source.metadata;
  const kept = Object.entries(annotations).filter(([key]) => key !== lastAppliedAnnotation && !key.startsWith('endpoints.kubernetes.io/'));
  return {
    apiVersion: 'discovery.k8s.io/v1',
    kind: 'EndpointSlice',
    metadata: {
      generateName: `${name}-`,
      namespace,
      labels: { ...labels, [serviceNameLabel]: name, [sliceManagerLabel]: mirrorManager },
      ...(kept.length > 0 && { annotations: Object.fromEntries(kept) }),
      ownerReferences: [controllerRefTo(source)],
    },
    addressType,
    endpoints: list,
    ports,
  };
}
