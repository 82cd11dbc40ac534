import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { after, before, describe, test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { startControllerManager, startRealApiServer, startScheduler, type Etcd, type RealCluster } from '../helpers/real-cluster.ts';
import { busyboxImage, missingContainers, startRealNode } from '../helpers/real-node.ts';
import { missingRig } from '../helpers/rig.ts';
import { WorkflowWorld } from '../helpers/workflow-world.ts';

const missing =
  missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl') ?? missingContainers();
const clusters = ['east', 'west'] as const;
const ns = 'web-pods';

/** A member whose pods are real. */
async function startMember(etcd: Etcd): Promise<RealCluster> {
  const member = await startRealApiServer({
    etcd,
    extraArgs: ['--bind-address=0.0.0.0', '--kubelet-preferred-address-types=InternalIP'],
  });
  try {
    await Promise.all([startControllerManager(member), startScheduler(member)]);
    member.attached.use(await startRealNode(member));
    return member;
  } catch (error) {
    await member[Symbol.asyncDispose]();
    throw error;
  }
}

/** A small web server that says its version. */
const version = (value: string) => `apiVersion: v1
kind: ConfigMap
metadata: { name: page }
data: { index.html: "${value}" }
---
apiVersion: v1
kind: Service
metadata: { name: web }
spec: { selector: { app: web }, ports: [{ port: 80, targetPort: 8080 }] }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      terminationGracePeriodSeconds: 1
      containers:
      - name: web
        image: ${busyboxImage}
        imagePullPolicy: IfNotPresent
        command: [sh, -c, "httpd -p 8080 -h /www; sleep 100000"]
        readinessProbe: { tcpSocket: { port: 8080 }, periodSeconds: 1 }
        volumeMounts: [{ name: page, mountPath: /www }]
      volumes: [{ name: page, configMap: { name: page } }]
`;

describe('blue/green of real pods', { skip: missing ?? false, timeout: 400_000 }, () => {
  let world: WorkflowWorld;
  before(async () => {
    world = await WorkflowWorld.start('embedded', { startMember });
  });
  after(() => world?.[Symbol.asyncDispose]());

  /** Asks through the primary Service, as its endpoints are at the moment. */
  const ask = async (cluster: string): Promise<string> => {
    const { code, text } = await world.members[cluster]!.request('GET', `/api/v1/namespaces/${ns}/services/web:80/proxy/index.html`);
    return code === 200 ? text : `${code}: ${text}`;
  };
  const answers = (cluster: string, value: string) =>
    eventually(
      () => ask(cluster),
      found => found === value,
      { timeoutMs: 30_000, what: `${cluster} to answer ${value}` },
    );

  test('whoever asks while production moves hears the old version or the new one, and never an error', async () => {
    await world.workflow(ns, ns, { type: 'BlueGreen' });
    await world.define(ns, version('one'));
    const first = await world.run(ns);
    assert.equal(first.run.status.phase, 'Succeeded', JSON.stringify([first.run.status, first.parts]));
    for (const cluster of clusters) await answers(cluster, 'one');

    const heard: Record<string, string[]> = { east: [], west: [] };
    const stop = new AbortController();
    const visitors = clusters.map(async cluster => {
      while (!stop.signal.aborted) {
        heard[cluster]!.push(await ask(cluster).catch(String));
        await sleep(15);
      }
    });
    await world.define(ns, version('two'));
    const second = await world.run(ns);
    assert.equal(second.run.status.phase, 'Succeeded', JSON.stringify([second.run.status, second.parts]));
    for (const cluster of clusters) await answers(cluster, 'two');
    // Back, quickly: the old pods never went.
    const { name } = second.run.metadata;
    await world.steer(name, 'Rollback');
    await world.until(name, 'RolledBack', 'RollbackFailed');
    for (const cluster of clusters) await answers(cluster, 'one');
    stop.abort();
    await Promise.all(visitors);

    assert.equal((await world.readRun(name)).status.phase, 'RolledBack');
    for (const cluster of clusters) {
      const words = heard[cluster]!;
      assert.ok(words.length > 50, `${cluster} was asked ${words.length} times`);
      assert.deepEqual(new Set(words), new Set(['one', 'two']));
    }
  });

  test('what a Job says is in the log while it still runs, once', async () => {
    const pod = {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 0,
      containers: [
        { name: 'job', image: busyboxImage, imagePullPolicy: 'IfNotPresent', command: ['sh', '-c', 'echo half way; sleep 100000'] },
      ],
    };
    const manifest = {
      apiVersion: 'batch/v1',
      kind: 'Job',
      metadata: { name: 'talks' },
      spec: { backoffLimit: 0, template: { spec: pod } },
    };
    const steps = [{ type: 'ResolveClusters' }, { name: 'Talk', type: 'Job', with: { manifest } }];
    await world.workflow('talks', ns, { type: 'Custom', phases: [{ name: 'Only', groups: [{ name: 'Only', steps }] }] });
    await world.define(ns, version('one'));
    const run = await world.start('talks');
    const said = async (cluster: string) =>
      (await world.drover.expect(`logs run/${run} -n delivery --cluster ${cluster}`)).split('\n').filter(line => / half way$/.test(line));
    for (const cluster of clusters)
      await eventually(
        () => said(cluster),
        lines => lines.length > 0,
        { timeoutMs: 60_000, what: 'the first words' },
      );
    assert.equal((await world.readRun(run)).status.phase, 'Running');
    await world.steer(run, 'Abort');
    await world.until(run, 'Aborted');
    for (const cluster of clusters) assert.equal((await said(cluster)).length, 1);
  });
});
