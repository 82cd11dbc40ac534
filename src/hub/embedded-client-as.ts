import type { ApiServer } from '../apiserver/api-server.ts';
import { inProcessTransport } from '../apiserver/http/in-process-transport.ts';
import type { UserInfo } from '../auth/user.ts';
import type { KubeClient } from '../client/kube-client.ts';
import type { Transport } from '../client/transport.ts';
import { embeddedClient } from './embedded-client.ts';

/** Clients of an API server in the same process that have the rights of one user each. */
export function embeddedClientAs(api: Pick<ApiServer, 'cluster' | 'authorizer' | 'handlerAs'>): (user: UserInfo) => KubeClient {
  const { cluster, authorizer } = api;
  return user => embeddedClient({ cluster, authorizer, user, transport: openedWhenNeeded(() => inProcessTransport(api.handlerAs(user))) });
}

/** Most clients ask for objects only and never need it. */
function openedWhenNeeded(open: () => Transport): Transport {
  let transport: Transport | undefined;
  const opened = () => (transport ??= open());
  return {
    request: req => opened().request(req),
    upgrade: req => opened().upgrade(req),
    [Symbol.asyncDispose]: async () => transport?.[Symbol.asyncDispose](),
  };
}
