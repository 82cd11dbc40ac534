import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { startControlledHub, controllerPrograms } from '../helpers/controlled-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import type { Hub } from '../helpers/hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig } from '../helpers/rig.ts';

const skip = missingRig('kubectl', ...controllerPrograms) ?? false;

const statefulSet = `
apiVersion: v1
kind: Service
metadata: { name: db }
spec: { clusterIP: None, selector: { app: db }, ports: [{ port: 5432 }] }
---
apiVersion: apps/v1
kind: StatefulSet
metadata: { name: db }
spec:
  serviceName: db
  replicas: 3
  selector: { matchLabels: { app: db } }
  template:
    metadata: { labels: { app: db } }
    spec: { terminationGracePeriodSeconds: 0, containers: [{ name: db, image: db }] }
`;

const daemonSet = `
apiVersion: apps/v1
kind: DaemonSet
metadata: { name: agent }
spec:
  selector: { matchLabels: { app: agent } }
  template:
    metadata: { labels: { app: agent } }
    spec: { containers: [{ name: agent, image: agent }] }
`;

describe('I run workloads with the real controllers on the hub', { skip, timeout: 240_000 }, () => {
  const scratch = scratchDir('workloads');
  let hub: Hub;
  let kubectl: CommandLine;
  before(async () => {
    hub = await startControlledHub();
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
  });
  after(async () => {
    await hub?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });
  const names = async (line: string): Promise<string[]> => (await kubectl.expect(line)).split('\n').filter(name => name !== '');

  test('a Deployment becomes ready, rolls out, back, again and pauses', async () => {
    await kubectl.expect('create deployment web --image=web:1 --replicas=3');
    await kubectl.expect('rollout status deploy/web --timeout=60s', { says: 'successfully rolled out' });
    await kubectl.expect('wait --for=condition=Available deploy/web --timeout=30s', { says: 'condition met' });
    await kubectl.expect('get deploy web', { says: /web +3\/3 +3 +3/ });
    await kubectl.expect('set image deploy/web web=web:2');
    await kubectl.expect('rollout status deploy/web --timeout=60s', { says: 'successfully rolled out' });
    await kubectl.expect('rollout history deploy/web', { says: /^1 +<none>\n2 +<none>/m });
    await kubectl.expect('rollout history deploy/web --revision=2', { says: /Image:\s+web:2/ });
    await kubectl.expect('rollout undo deploy/web', { says: 'rolled back' });
    await kubectl.expect('rollout status deploy/web --timeout=60s', { says: 'successfully rolled out' });
    assert.equal(await kubectl.expect(`get deploy web -o jsonpath='{.spec.template.spec.containers[0].image}'`), 'web:1');
    await kubectl.expect('rollout pause deploy/web', { says: 'paused' });
    await kubectl.expect('rollout restart deploy/web', { code: 1, says: `can't restart paused deployment` });
    await kubectl.expect('rollout resume deploy/web', { says: 'resumed' });
    await kubectl.expect('rollout restart deploy/web', { says: 'restarted' });
    await kubectl.expect('rollout status deploy/web --timeout=60s', { says: 'successfully rolled out' });
    await kubectl.expect('scale deploy/web --replicas=1');
    await kubectl.expect(`wait --for=jsonpath='{.status.replicas}'=1 deploy/web --timeout=60s`, { says: 'condition met' });
    await kubectl.expect('events --for=deployment/web', { says: 'ScalingReplicaSet' });
  });

  test('a Service finds the pods it selects', async () => {
    await kubectl.expect('expose deploy/web --port=80');
    await eventually(
      () => kubectl.expect(`get endpointslices -l kubernetes.io/service-name=web -o jsonpath='{.items[*].endpoints[*].conditions.ready}'`),
      ready => ready === 'true',
      { timeoutMs: 30_000 },
    );
    await kubectl.expect('describe svc web', { says: /Endpoints: +10\.0\.0\.\d+:80/ });
  });

  test('a Job completes and a CronJob makes Jobs', async () => {
    await kubectl.expect('create -f -', {
      input: JSON.stringify({
        apiVersion: 'batch/v1',
        kind: 'Job',
        metadata: { name: 'sum' },
        spec: {
          completions: 3,
          parallelism: 2,
          template: { spec: { restartPolicy: 'Never', containers: [{ name: 'sum', image: 'sum' }] } },
        },
      }),
    });
    await kubectl.expect('wait --for=condition=Complete job/sum --timeout=60s', { says: 'condition met' });
    await kubectl.expect('get job sum', { says: /sum +Complete +3\/3/ });
    await kubectl.expect(`create cronjob nightly --image=x --schedule='0 3 * * *'`);
    await kubectl.expect('create job nightly-now --from=cronjob/nightly');
    await kubectl.expect('wait --for=condition=Complete job/nightly-now --timeout=60s', { says: 'condition met' });
  });

  test('a StatefulSet starts its pods in order, a DaemonSet one on every node', async () => {
    await kubectl.expect('apply -f -', {
      input: `${statefulSet}---${daemonSet}`,
      says: ['statefulset.apps/db created', 'daemonset.apps/agent created'],
    });
    await kubectl.expect('rollout status statefulset/db --timeout=60s', { says: /complete|3 new pods|rolling update/ });
    assert.deepEqual(await names('get pods -l app=db -o name'), ['pod/db-0', 'pod/db-1', 'pod/db-2']);
    await kubectl.expect('rollout status daemonset/agent --timeout=60s', { says: 'successfully rolled out' });
    assert.deepEqual((await names(`get pods -l app=agent -o jsonpath='{range .items[*]}{.spec.nodeName}{"\\n"}{end}'`)).toSorted(), [
      'kwok-node-0',
      'kwok-node-1',
    ]);
    await kubectl.expect('scale statefulset/db --replicas=1');
    await kubectl.expect('wait --for=delete pod/db-1 pod/db-2 --timeout=60s');
  });

  test('nodes are labelled, tainted, cordoned and drained', async () => {
    await kubectl.expect('get nodes', { says: /kwok-node-0 +Ready/ });
    await kubectl.expect('describe node kwok-node-0', { says: [/Taints: +<none>/, 'Allocated resources'] });
    await kubectl.expect('taint node kwok-node-1 dedicated=db:NoSchedule', { says: 'tainted' });
    await kubectl.expect('taint node kwok-node-1 dedicated-', { says: 'untainted' });
    await kubectl.expect('cordon kwok-node-0', { says: 'cordoned' });
    await kubectl.expect('get node kwok-node-0', { says: 'Ready,SchedulingDisabled' });
    await kubectl.expect('drain kwok-node-0 --ignore-daemonsets --delete-emptydir-data --force --timeout=60s', { says: 'drained' });
    assert.deepEqual(
      await names(
        `get pods -A --field-selector spec.nodeName=kwok-node-0 -o jsonpath='{range .items[*]}{.metadata.labels.app}{"\\n"}{end}'`,
      ),
      ['agent'],
    );
    await kubectl.expect('uncordon kwok-node-0', { says: 'uncordoned' });
    await kubectl.expect('rollout status deploy/web --timeout=60s', { says: 'successfully rolled out' });
  });

  test('a disruption budget holds an eviction back', async () => {
    await kubectl.expect('create pdb web --selector=app=web --min-available=1');
    await kubectl.expect(`wait --for=jsonpath='{.status.currentHealthy}'=1 pdb/web --timeout=30s`);
    const [pod = ''] = await names('get pods -l app=web -o name');
    const evicted = await hub.request('POST', `/api/v1/namespaces/default/pods/${pod.slice('pod/'.length)}/eviction`, {
      apiVersion: 'policy/v1',
      kind: 'Eviction',
      metadata: { name: pod.slice('pod/'.length) },
    });
    assert.equal(evicted.code, 429, evicted.text);
    assert.match(evicted.text, /Cannot evict pod as it would violate the pod's disruption budget/);
    await kubectl.expect('delete pdb web');
  });

  test('deleting in the foreground takes the dependents first, orphaning leaves them', async () => {
    await kubectl.expect('delete deploy web --cascade=foreground --timeout=60s', { says: 'deleted' });
    assert.deepEqual(await names('get rs,pods -l app=web -o name'), []);
    const before = await names('get pods -l app=db -o name');
    assert.deepEqual(before, ['pod/db-0']);
    await kubectl.expect('delete statefulset db --cascade=orphan --timeout=60s', { says: 'deleted' });
    await eventually(
      () => kubectl.expect(`get pod db-0 -o jsonpath='{.metadata.ownerReferences}'`),
      owners => owners === '',
    );
    await kubectl.expect('delete pod db-0 --timeout=30s');
    await kubectl.expect('delete daemonset agent --cascade=background');
    await eventually(
      () => names('get pods -l app=agent -o name'),
      pods => pods.length === 0,
      { timeoutMs: 30_000 },
    );
  });

  test('a deleted namespace takes everything in it along', async () => {
    await kubectl.expect('create ns brief');
    await kubectl.expect('create deployment web --image=web -n brief --replicas=2');
    await kubectl.expect('rollout status deploy/web -n brief --timeout=60s', { says: 'successfully rolled out' });
    await kubectl.expect('delete ns brief --timeout=90s', { says: 'deleted' });
    await kubectl.expect('get all -n brief', { says: 'No resources found' });
  });
});
