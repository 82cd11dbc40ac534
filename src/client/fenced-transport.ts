import { UnreachableError, type Transport, type TransportRequest } from './transport.ts';

/** Lets nothing through but reads while `mayWrite` says no: another process may be at work already. */
export function fencedTransport(transport: Transport, mayWrite: () => boolean): Transport {
  const check = ({ method }: TransportRequest): void => {
    if (method === 'GET' || method === 'HEAD' || mayWrite()) return;
    throw new UnreachableError('this hub does not lead at the moment: it could not renew its lease');
  };
  return {
    async request(req) {
      check(req);
      return transport.request(req);
    },
    async upgrade(req) {
      check({ ...req, method: 'POST' });
      return transport.upgrade(req);
    },
    [Symbol.asyncDispose]: () => transport[Symbol.asyncDispose](),
  };
}
