import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { startHub } from '../../hub/hub.ts';

interface UpOptions {
  data?: string;
  listen: string;
}

/** Runs the hub until it is asked to stop. */
export async function up(options: UpOptions): Promise<void> {
  const startedAt = performance.now();
  const dataDir = resolve(options.data ?? join(homedir(), '.drover'));
  const { host, port } = parseListen(options.listen);
  // The data hold every Secret: whatever the hub writes is for its own user only.
  process.umask(0o077);
  const hub = await startHub({ dataDir, host, port });

  const seconds = ((performance.now() - startedAt) / 1000).toFixed(2);
  // Whoever read the first lines may have gone; the hub goes on.
  process.stdout.on('error', () => {});
  const print = (line: string) => process.stdout.write(`${line}\n`);
  print(`Drover hub ready in ${seconds} s at ${hub.url}`);
  print(`  export KUBECONFIG=${hub.kubeconfig}`);
  print('  kubectl get namespaces');
  if (hub.newPassword !== undefined) print(`First admin password, shown once: ${hub.newPassword}`);
  print('Ctrl-C stops it.');

  const signal = await new Promise<NodeJS.Signals>(done => {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, done);
  });
  print(signal === 'SIGINT' ? '\nStopping.' : 'Stopping.');
  // A second signal does not wait.
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(130));
  await hub.close();
}

function parseListen(text: string): { host: string; port: number } {
  const match = /^(?:\[([0-9a-fA-F:]+)\]|([^:]*)):([0-9]{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (!match || port > 65535) throw new Error(`--listen ${JSON.stringify(text)} is not HOST:PORT`);
  return { host: match[1] ?? (match[2] === '' ? '0.0.0.0' : match[2]!), port };
}
