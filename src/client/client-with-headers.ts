import { httpClient } from './http-client.ts';
import type { KubeClient } from './kube-client.ts';
import { UnreachableError, type Headers, type Transport } from './transport.ts';

/** The same API, with headers in every request that nothing a request says can take away. Disposing of it leaves the other client as it is. */
export function clientWithHeaders(way: Pick<Transport, 'request'>, headers: Headers): KubeClient {
  return httpClient({
    request: req => way.request({ ...req, headers: { ...req.headers, ...headers } }),
    upgrade: () => Promise.reject(new UnreachableError('this client does not leave HTTP')),
    async [Symbol.asyncDispose]() {},
  });
}
