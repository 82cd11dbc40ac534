import type { Endpoints, EndpointSlice, Service } from '../../api/kubernetes.ts';
import { notFoundError, serviceUnavailable } from '../../api/status.ts';
import type { ClusterApi } from '../cluster-api.ts';

export interface ServiceReference {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}

/** Where to connect for a service, and the name its certificate must carry. */
export interface ResolvedService {
  readonly host: string;
  readonly port: number;
  readonly servername: string;
}

export type ResolveService = (reference: ServiceReference) => ResolvedService | Promise<ResolvedService>;

/**
 * Finds a service the way a cluster without a network of its own can: the external name, or an endpoint that is ready. Throws StatusError 404
 * or 503.
 */
export function serviceResolver(api: ClusterApi): ResolveService {
  return ({ namespace, name, port }) => {
    const service = api.peek({ group: '', resource: 'services' }, namespace, name) as unknown as Service | undefined;
    if (!service) throw notFoundError({ group: '', resource: 'service' }, name);
    const servername = `${name}.${namespace}.svc`;
    if (service.spec?.type === 'ExternalName') return { host: service.spec.externalName ?? '', port, servername };

    const servicePort = service.spec?.ports?.find(p => p.port === port);
    if (!servicePort) throw serviceUnavailable(`no service port ${port} found for service ${JSON.stringify(name)}`);
    const endpoint = readyEndpoint(api, namespace, name, servicePort.name ?? '');
    if (!endpoint) throw serviceUnavailable(`no endpoints available for service ${JSON.stringify(name)}`);
    return { ...endpoint, servername };
  };
}

function readyEndpoint(api: ClusterApi, namespace: string, name: string, portName: string): { host: string; port: number } | undefined {
  for (const slice of slicesOf(api, namespace, name)) {
    const port = slice.ports?.find(p => (p.name ?? '') === portName)?.port;
    const host = slice.endpoints?.find(e => e.conditions?.ready !== false)?.addresses?.[0];
    if (port !== undefined && host !== undefined) return { host, port };
  }
  const endpoints = api.peek({ group: '', resource: 'endpoints' }, namespace, name) as unknown as Endpoints | undefined;
  for (const subset of endpoints?.subsets ?? []) {
    const port = subset.ports?.find(p => (p.name ?? '') === portName)?.port;
    const host = subset.addresses?.[0]?.ip;
    if (port !== undefined && host !== undefined) return { host, port };
  }
  return undefined;
}

export function slicesOf(api: ClusterApi, namespace: string, service: string): EndpointSlice[] {
  return api
    .peekAll({ group: 'discovery.k8s.io', resource: 'endpointslices' }, namespace)
    .filter(slice => slice.metadata.labels?.['kubernetes.io/service-name'] === service) as unknown as EndpointSlice[];
}
