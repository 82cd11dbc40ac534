import { httpClient } from '../../client/http-client.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { contextTransport, readContext, readKubeconfigs, type KubeconfigContext } from '../../client/kubeconfig/kubeconfig.ts';
import { UnreachableError } from '../../client/transport.ts';
import { CommandError } from '../exit-codes.ts';
import type { Terminal } from '../terminal.ts';

export interface MemberChoice {
  readonly kubeconfig: string;
  readonly context?: string | undefined;
}

export interface MemberConnection extends AsyncDisposable {
  readonly client: KubeClient;
  readonly context: KubeconfigContext;
}

/** The cluster of a kubeconfig, asked as its user. Plugins run here, on the user's machine, and nowhere else. */
export function connectToMember({ kubeconfig, context }: MemberChoice, terminal: Terminal): MemberConnection {
  const found = contextOf({ kubeconfig, context }, terminal);
  const transport = contextTransport(found, { connectTimeoutMs: 10_000 });
  const client = httpClient({
    ...transport,
    async request(req) {
      try {
        return await transport.request(req);
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error;
        throw new CommandError('the cluster does not answer', { cause: error, hint: 'does "kubectl --kubeconfig FILE get nodes" work?' });
      }
    },
  });
  return { client, context: found, [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
}

function contextOf({ kubeconfig, context }: MemberChoice, { env, isErrorTty: isInteractive }: Terminal): KubeconfigContext {
  try {
    return readContext(readKubeconfigs(kubeconfig, env), { context, env, isInteractive });
  } catch (cause) {
    throw new CommandError('the cluster is not known', {
      cause,
      hint: '--kubeconfig FILE names its kubeconfig, --context NAME a context in it',
    });
  }
}
