import { startSandboxCluster } from '../helpers/sandbox-cluster.ts';

/** A sandbox cluster of its own for the suite; the kubeconfig of its administrator. */
export async function openSandbox(stack: AsyncDisposableStack): Promise<string> {
  const { kubeconfig, problems } = stack.use(await startSandboxCluster({ nodes: 3 }));
  stack.defer(() => {
    for (const problem of problems.slice(0, 20)) console.error(`in the sandbox: ${problem}`);
  });
  return kubeconfig;
}
