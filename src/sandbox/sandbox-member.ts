import { inProcessTransport } from '../apiserver/http/in-process-transport.ts';
import type { KubeClient } from '../client/kube-client.ts';
import { UnreachableError, type Transport } from '../client/transport.ts';
import { embeddedClient, hubUser } from '../hub/embedded-client.ts';
import { quickAnswer } from './quick-answers.ts';
import type { SandboxHost } from './sandbox-host.ts';
import type { Sandbox } from './sandbox.ts';

/** The ways from the hub to a sandbox in the same process. The sandbox is loaded with the first question. */
export interface SandboxMember {
  readonly client: KubeClient;
  readonly transport: Transport;
}

type Host = Pick<SandboxHost, 'open'>;

interface Opened {
  readonly sandbox: Sandbox;
  transport(): Transport;
  client(): KubeClient;
}

export function sandboxMember(start: () => Promise<Host>, name: string): SandboxMember {
  let opened: Opened | undefined;
  const transport: Transport = {
    async request(req) {
      const { sandbox, transport } = await current();
      return (await quickAnswer(sandbox, transport, req)) ?? transport().request(req);
    },
    upgrade: async req => (await current()).transport().upgrade(req),
    async [Symbol.asyncDispose]() {},
  };

  async function current(): Promise<Opened> {
    const host = await start();
    const sandbox = await host.open(name).catch((cause: unknown) => {
      throw new UnreachableError(`sandbox "${name}" does not answer`, { cause });
    });
    // A sandbox that was removed and made anew is another one.
    if (opened?.sandbox !== sandbox) opened = waysTo(sandbox, transport);
    return opened;
  }

  return { client: lazyClient(async () => (await current()).client()), transport };
}

function waysTo(sandbox: Sandbox, transport: Transport): Opened {
  let inside: Transport | undefined;
  let client: KubeClient | undefined;
  return {
    sandbox,
    transport: () => (inside ??= inProcessTransport(sandbox.api.handlerAs(hubUser))),
    client: () => (client ??= embeddedClient({ cluster: sandbox.api.cluster, transport })),
  };
}

function lazyClient(open: () => Promise<KubeClient>): KubeClient {
  return {
    get: async (...args) => (await open()).get(...args),
    list: async (...args) => (await open()).list(...args),
    async *watch(...args) {
      yield* (await open()).watch(...args);
    },
    create: async (...args) => (await open()).create(...args),
    update: async (...args) => (await open()).update(...args),
    apply: async (...args) => (await open()).apply(...args),
    patch: async (...args) => (await open()).patch(...args),
    delete: async (...args) => (await open()).delete(...args),
    request: async req => (await open()).request(req),
    async [Symbol.asyncDispose]() {},
  };
}
