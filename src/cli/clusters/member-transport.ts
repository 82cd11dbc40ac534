import type { Transport, TransportRequest } from '../../client/transport.ts';

/** Where the hub serves the API of a member. */
export const memberPath = (cluster: string): string => `/k8s/clusters/${encodeURIComponent(cluster)}`;

/** The way to a member through the hub's gateway, over connections that stay open when this is disposed of. */
export function memberTransport(gateway: () => Promise<Transport>, cluster: string): Transport {
  const moved = (req: TransportRequest): TransportRequest => ({ ...req, path: `${memberPath(cluster)}${req.path}` });
  return {
    request: async req => (await gateway()).request(moved(req)),
    upgrade: async req => (await gateway()).upgrade(moved(req)),
    [Symbol.asyncDispose]: async () => {},
  };
}
