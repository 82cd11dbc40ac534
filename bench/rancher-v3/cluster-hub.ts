import { setTimeout as sleep } from 'node:timers/promises';
import { ClusterRole, ClusterRoleBinding } from '../../src/api/builtin-kinds.ts';
import { newObject } from '../../src/api/define-kind.ts';
import { StatusError } from '../../src/api/status.ts';
import type { KubeClient } from '../../src/client/kube-client.ts';
import { ManagementCluster } from '../../src/dialects/rancher/kinds/cluster.ts';
import { mapBounded } from '../../src/util/map-bounded.ts';
import { eventually } from '../../test/helpers/eventually.ts';
import { startHub, type Hub } from '../../test/helpers/hub.ts';
import { connect } from '../delivery/real-members.ts';
import { cpuSeconds } from '../process-use.ts';

/** A hub in a process of its own with many clusters, and two people who ask for them. */
export interface ClusterHub extends AsyncDisposable {
  readonly size: number;
  readonly pid: number;
  /** Bearers. */
  readonly admin: string;
  readonly member: string;
  /** Asks for clusters and answers how many bytes came. Throws when not so many clusters came. */
  list(bearer: string, query: string, expected: number): Promise<number>;
}

const password = 'correct horse battery staple';
const rbac = 'rbac.authorization.k8s.io';
const clusterIdOf = (i: number): string => `c-${i.toString(36).padStart(5, '0')}`;

export async function startClusterHub({ size, share, log }: { size: number; share: number; log(text: string): void }): Promise<ClusterHub> {
  await using starting = new AsyncDisposableStack();
  const hub = starting.use(await startHub());
  const client = starting.use(connect(hub.kubeconfig));
  const startedAt = performance.now();
  await mapBounded(
    Array.from({ length: size }, (_, i) => i),
    8,
    i => addCluster(client, i),
  );
  log(`${size} clusters made after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  await quiet(hub.program.pid);
  log(`the hub has come to rest after ${((performance.now() - startedAt) / 1000).toFixed(1)} s`);
  const names = Array.from({ length: share }, (_, i) => clusterIdOf(Math.floor((i * size) / share)));
  const admin = await addPerson(hub, 'bench-admin', { verbs: ['*'], apiGroups: ['*'], resources: ['*'] }, client);
  const member = await addPerson(
    hub,
    'bench-member',
    { verbs: ['get'], apiGroups: ['management.cattle.io'], resources: ['clusters'], resourceNames: names },
    client,
  );
  const kept = starting.move();
  return {
    size,
    pid: hub.program.pid,
    admin,
    member,
    async list(bearer, query, expected) {
      const answer = await hub.request(
        'GET',
        `/v3/clusters?${query}`,
        undefined,
        { authorization: `Bearer ${bearer}` },
        { anonymous: true },
      );
      const found = answer.text.split('"baseType":"cluster"').length - 1;
      if (answer.code !== 200 || found !== expected) throw new Error(`${found} of ${expected} clusters came, with status ${answer.code}`);
      return answer.body.length;
    },
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/** A hub that is busy with those before it says so. */
async function addCluster(client: KubeClient, i: number): Promise<void> {
  const labels = { tier: `t${i % 10}`, region: `r${i % 7}`, env: i % 2 ? 'prod' : 'dev', team: `team-${i % 100}` };
  const spec = { displayName: `bench-${i}`, description: `Cluster ${i} of a benchmark` };
  const cluster = newObject(ManagementCluster, { name: clusterIdOf(i), labels }, spec);
  const isBusy = (error: unknown) => error instanceof StatusError && error.code >= 500;
  for (let attempt = 1; ; attempt++) {
    try {
      await client.create(ManagementCluster, cluster, { timeoutMs: 120_000 });
      return;
    } catch (error) {
      if (error instanceof StatusError && error.reason === 'AlreadyExists') return;
      if (!isBusy(error) || attempt === 10) throw error;
      await sleep(2000);
    }
  }
}

type Rule = NonNullable<ClusterRole['rules']>[number];

async function addPerson(hub: Hub, username: string, rule: Rule, client: KubeClient): Promise<string> {
  const made = await hub.request('POST', '/v3/users', { username, password });
  if (made.code !== 201) throw new Error(`no user was made: ${made.text}`);
  const { id: name } = made.json<{ id: string }>();
  const roleRef = { apiGroup: rbac, kind: 'ClusterRole', name };
  await client.create(ClusterRole, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules: [rule] });
  await client.create(ClusterRoleBinding, {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    roleRef,
    subjects: [{ apiGroup: rbac, kind: 'User', name }],
  });
  const login = () => hub.request('POST', '/v3-public/localProviders/local?action=login', { username, password }, {}, { anonymous: true });
  const token = await eventually(login, ({ code }) => code === 201, { what: 'sign-in' });
  return token.json<{ token: string }>().token;
}

/** Waits until the hub has done what the new clusters meant for it. */
async function quiet(pid: number): Promise<void> {
  for (let calm = 0; calm < 3;) {
    const before = cpuSeconds([pid]);
    await sleep(2000);
    calm = cpuSeconds([pid]) - before < 0.2 ? calm + 1 : 0;
  }
}
