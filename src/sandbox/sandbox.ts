import { createApiServer, type ApiServer } from '../apiserver/api-server.ts';
import type { Pki } from '../pki/ensure-pki.ts';
import type { Store } from '../store/store.ts';
import { sandboxKubelets } from './logs/sandbox-kubelets.ts';
import { startControllers } from './controllers/start-controllers.ts';

export interface SandboxOptions {
  /** Closed with the sandbox. */
  readonly store: Store;
  readonly pki: Pki;
  /** PEM of the authority that signed the server's certificate. Default: the one of `pki`. */
  readonly rootCa?: string;
  /** The store began with the shared base and has not touched what a server looks after when it starts. */
  readonly isBootstrapped?: boolean;
  onError?(what: string, error: unknown): void;
}

/** A whole small cluster: the API server and what plays kube-controller-manager, kube-scheduler and the kubelets. */
export interface Sandbox {
  readonly api: ApiServer;
  /** Resolves when nothing is left to do for now. */
  idle(): Promise<void>;
  /** Ends streams and stops controllers; requests under way are still answered. */
  endStreams(): void;
  /** To be called when no request is under way any more. */
  close(): Promise<void>;
}

export async function startSandbox({ onError = () => {}, ...options }: SandboxOptions): Promise<Sandbox> {
  const { store } = options;
  const api = await createApiServer({ ...options, kubelets: sandboxKubelets, onError });
  const controllers = startControllers(api.cluster, { onError: (key, error) => onError(`controller: ${key}`, error) });

  function endStreams(): void {
    controllers[Symbol.dispose]();
    api.endStreams();
  }

  return {
    api,
    async idle() {
      let seen: number;
      do {
        seen = store.revision;
        await api.idle();
        await controllers.idle();
      } while (seen !== store.revision);
    },
    endStreams,
    async close() {
      endStreams();
      await api.close();
      await store.close();
    },
  };
}
