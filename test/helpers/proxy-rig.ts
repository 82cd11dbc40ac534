import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import { newObject } from '../../src/api/define-kind.ts';
import type { WebHandler } from '../../src/apiserver/http/https-server.ts';
import { Cluster } from '../../src/api/cluster.ts';
import type { HubAccess } from '../../src/auth/hub-access.ts';
import type { UserInfo } from '../../src/auth/user.ts';
import { httpsTransport } from '../../src/client/https-transport.ts';
import type { Transport } from '../../src/client/transport.ts';
import { gateway } from '../../src/gateway/gateway.ts';
import { memberProxy, type MemberProxyDeps } from '../../src/proxy/member-proxy.ts';

/** What a member saw of a request. */
export interface Seen {
  readonly method: string;
  readonly url: string;
  /** By lower-case name, in the order they came. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
}

export interface ProxyRig {
  readonly port: number;
  readonly seen: Seen[];
  /** Sends bytes as they are and answers everything that came back until the connection closed. */
  send(bytes: string): Promise<string>;
  connect(): Socket;
}

export interface RigOptions extends Partial<MemberProxyDeps> {
  readonly user?: UserInfo;
  /** Plays the member's API server. Default: answers 200. */
  answer?(req: IncomingMessage, res: ServerResponse): void;
  upgrade?(req: IncomingMessage, socket: Socket, head: Buffer): void;
  /** What stands before the gateway. */
  wrap?(gateway: WebHandler): WebHandler;
  /** What is done to the server of the hub before it listens. */
  guard?(server: Server): void;
}

export const jane: UserInfo = { name: 'jane', groups: ['dev', 'system:authenticated'] };
export const east = newObject(Cluster, { name: 'east', uid: 'uid-of-east' }, { connection: { mode: 'Direct', server: 'https://east' } });

const maxHeaderSize = 1024 * 1024;

/** For tests: a hub that only carries requests, and one member "east" behind it, both over plain connections. */
export async function startProxyRig(
  t: TestContext,
  { user = jane, answer, upgrade, wrap = same => same, guard, ...deps }: RigOptions = {},
): Promise<ProxyRig> {
  const seen: Seen[] = [];
  const note = (req: IncomingMessage) => {
    const headers = Object.fromEntries(Object.entries(req.headersDistinct).map(([name, values]) => [name, values ?? []]));
    seen.push({ method: req.method ?? '', url: req.url ?? '', headers });
  };
  const member = createServer({ maxHeaderSize }, (req, res) => {
    note(req);
    if (answer) return answer(req, res);
    req.resume();
    res.end('ok');
  });
  member.maxHeadersCount = 0;
  member.on('upgrade', (req, socket, head) => {
    note(req);
    // The server does not know it any more.
    t.after(() => socket.destroy());
    upgrade?.(req, socket as Socket, head);
  });
  const memberPort = await listen(t, member);
  const transport: Transport = httpsTransport({
    server: `http://127.0.0.1:${memberPort}`,
    credentials: { current: () => ({ authorization: 'Bearer hub' }) },
  });
  t.after(() => transport[Symbol.asyncDispose]());

  const access: Pick<HubAccess, 'identify' | 'authorize'> = {
    identify: async () => user,
    authorize: async () => ({ allowed: true, reason: '' }),
  };
  const proxy = memberProxy({
    access,
    findCluster: ref => (ref === 'east' ? east : undefined),
    transportOf: () => transport,
    ...deps,
  });
  const handler = wrap(gateway({ proxy }));
  const hub = createServer({ maxHeaderSize, shouldUpgradeCallback: req => handler.wantsUpgrade(req) }, (req, res) =>
    handler.handle(req, res),
  );
  hub.maxHeadersCount = 0;
  guard?.(hub);
  hub.on('upgrade', (req, socket, head) => handler.upgrade(req, socket, head));
  const port = await listen(t, hub);
  const open = () => {
    const socket = connect(port, '127.0.0.1');
    t.after(() => socket.destroy());
    return socket;
  };
  return {
    port,
    seen,
    connect: open,
    async send(bytes) {
      const socket = open();
      socket.write(bytes, 'latin1');
      let text = '';
      for await (const chunk of socket) text += (chunk as Buffer).toString('latin1');
      return text;
    },
  };
}

async function listen(t: TestContext, server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return (server.address() as AddressInfo).port;
}
