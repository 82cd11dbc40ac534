import { readFileSync } from 'node:fs';
import { Pool } from 'undici';
import { configMaps } from './config-maps.ts';

/** What the parent asks: apply so many ConfigMaps to each cluster, so many at a time on each. */
export interface BareTask {
  readonly kubeconfigs: readonly string[];
  readonly namespace: string;
  readonly count: number;
  readonly concurrency: number;
}

export interface BareTime {
  readonly seconds: number;
  /** What this process computed meanwhile. */
  readonly cpuSeconds: number;
}

export type BareAnswer = BareTime | { readonly error: string };

interface Kubeconfig {
  clusters: [{ cluster: { server: string; 'certificate-authority-data': string } }];
  users: [{ user: { 'client-certificate-data': string; 'client-key-data': string } }];
}

const pem = (base64: string): string => Buffer.from(base64, 'base64').toString();

// The floor: nothing but server-side apply over kept connections, in a process of its own. The bodies are printed before the clock starts and
// the answers are not parsed. `node bare-client.ts`, started by fork.
process.on('message', (task: BareTask) => {
  run(task).then(
    time => process.send!(time),
    (error: unknown) => process.send!({ error: String(error) }),
  );
});
process.once('disconnect', () => process.exit(0));

async function run({ kubeconfigs, namespace, count, concurrency }: BareTask): Promise<BareTime> {
  const bodies = configMaps(count, namespace).map(obj => ({ name: obj.metadata.name!, body: JSON.stringify(obj) }));
  const pools = kubeconfigs.map(file => open(file, concurrency));
  try {
    await Promise.all(pools.map(pool => send(pool, '/api/v1/namespaces', namespace, namespaceBody(namespace))));
    const startedAt = performance.now();
    const before = process.cpuUsage();
    await Promise.all(pools.map(pool => applyAll(pool, bodies, namespace, concurrency)));
    const { user, system } = process.cpuUsage(before);
    return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
  } finally {
    await Promise.all(pools.map(pool => pool.destroy()));
  }
}

function open(file: string, connections: number): Pool {
  const { clusters, users } = JSON.parse(readFileSync(file, 'utf8')) as Kubeconfig;
  const [{ cluster }] = clusters;
  const [{ user }] = users;
  return new Pool(cluster.server, {
    connections,
    connect: {
      ca: pem(cluster['certificate-authority-data']),
      cert: pem(user['client-certificate-data']),
      key: pem(user['client-key-data']),
    },
  });
}

async function applyAll(
  pool: Pool,
  bodies: readonly { name: string; body: string }[],
  namespace: string,
  concurrency: number,
): Promise<void> {
  let next = 0;
  const lane = async (): Promise<void> => {
    for (let one = bodies[next++]; one; one = bodies[next++])
      await send(pool, `/api/v1/namespaces/${namespace}/configmaps`, one.name, one.body);
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
}

async function send(pool: Pool, collection: string, name: string, body: string): Promise<void> {
  const res = await pool.request({
    method: 'PATCH',
    path: `${collection}/${name}?fieldManager=bench&force=true`,
    headers: { 'content-type': 'application/apply-patch+yaml', accept: 'application/json' },
    body,
  });
  await res.body.dump();
  if (res.statusCode >= 300) throw new Error(`${name}: ${res.statusCode}`);
}

const namespaceBody = (name: string): string => JSON.stringify({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
