import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { LikeSide } from '../helpers/cluster-likeness.ts';
import { eventually } from '../helpers/eventually.ts';
import { missingRig } from '../helpers/rig.ts';
import { openRealCluster, realClusterPrograms } from '../upstream/open-cluster.ts';
import { openSandbox } from '../upstream/open-sandbox.ts';

const skip = missingRig(...realClusterPrograms) ?? false;

const container = { name: 'main', image: 'web:1', ports: [{ name: 'http', containerPort: 8080 }] };
const task = (more: object = {}) => ({
  template: { spec: { restartPolicy: 'Never', containers: [{ name: 'main', image: 'task:1' }], ...more } },
});
const core = (resource: string, ns: string) => `/api/v1/namespaces/${ns}/${resource}`;
const batch = (resource: string, ns: string) => `/apis/batch/v1/namespaces/${ns}/${resource}`;
const slices = (ns: string) => `/apis/discovery.k8s.io/v1/namespaces/${ns}/endpointslices`;

describe('a sandbox does with jobs, services and volumes what a real cluster does', { skip, timeout: 280_000 }, () => {
  const stack = new AsyncDisposableStack();
  let sides: LikeSide[];
  before(async () => {
    const kubeconfigs = await Promise.all([openRealCluster(stack), openSandbox(stack)]);
    sides = kubeconfigs.map(file => stack.use(new LikeSide(file)));
  });
  after(() => stack.disposeAsync());

  interface Comparison {
    readonly namespace: string;
    readonly lists: readonly string[];
    readonly objects: readonly (readonly [path: string, obj: object])[];
    readonly timeoutMs?: number;
  }

  /** Gives both sides the same and waits until both look the same, not before the real one rests. */
  async function compare({ namespace, lists, objects, timeoutMs = 30_000 }: Comparison, isDone: (text: string) => boolean): Promise<void> {
    await Promise.all(
      sides.map(async side => {
        await side.create('/api/v1/namespaces', { metadata: { name: namespace } });
        await eventually(() => side.exists(core('serviceaccounts', namespace) + '/default'));
        for (const [path, obj] of objects) await side.create(path, obj);
      }),
    );
    const read = () => Promise.all(sides.map(async side => withoutChance(await side.look(lists, core('events', namespace)))));
    const isSame = ([real, sandbox]: unknown[]) => isDone(JSON.stringify(real)) && isDeepStrictEqual(real, sandbox);
    const last = await eventually(read, isSame, { timeoutMs, everyMs: 300 }).catch(read);
    assert.deepEqual(last[1], last[0]);
    assert.ok(isDone(JSON.stringify(last[0])), 'the real cluster did not come to its end');
  }

  test('jobs: by number, by index, as a work queue, suspended, and out of time', async () => {
    const namespace = 'jobs';
    const job = (name: string, spec: object) => [batch('jobs', namespace), { metadata: { name }, spec }] as const;
    const objects = [
      job('number', { completions: 3, parallelism: 2, ...task() }),
      job('index', { completions: 3, parallelism: 3, completionMode: 'Indexed', backoffLimitPerIndex: 1, ...task() }),
      job('queue', { parallelism: 2, ...task() }),
      job('asleep', { suspend: true, ...task() }),
      job('late', { activeDeadlineSeconds: 2, ...task({ nodeSelector: { 'no-such': 'node' } }) }),
    ];
    await compare(
      { namespace, lists: [batch('jobs', namespace)], objects },
      text => text.includes('DeadlineExceeded') && !text.includes('"active"'),
    );
  });

  test('a cron job that is due', async () => {
    const namespace = 'cron';
    const spec = { schedule: '* * * * *', jobTemplate: { spec: task() } };
    const objects = [[batch('cronjobs', namespace), { metadata: { name: 'tick' }, spec }]] as const;
    const lists = [batch('cronjobs', namespace), batch('jobs', namespace)];
    await compare({ namespace, lists, objects, timeoutMs: 100_000 }, text => text.includes('lastSuccessfulTime'));
  });

  test('services: with pods, without, headless, and with endpoints that people wrote', async () => {
    const namespace = 'services';
    const service = (name: string, spec: object) =>
      [core('services', namespace), { metadata: { name, labels: { of: name } }, spec }] as const;
    const selector = { app: 'web' };
    const objects = [
      [
        core('pods', namespace),
        { metadata: { name: 'web-0', labels: selector }, spec: { containers: [container], hostname: 'web-0', subdomain: 'headless' } },
      ],
      [
        core('pods', namespace),
        { metadata: { name: 'nowhere', labels: selector }, spec: { containers: [container], nodeSelector: { 'no-such': 'node' } } },
      ],
      service('web', { selector, ports: [{ name: 'main', port: 80, targetPort: 'http' }] }),
      service('other', { selector, ports: [{ port: 80, targetPort: 'no-such-port' }] }),
      service('nobody', { selector: { app: 'nobody' }, ports: [{ port: 80 }] }),
      service('headless', { selector, clusterIP: 'None', ports: [{ port: 80 }] }),
      service('portless', { selector, clusterIP: 'None' }),
      service('written', { ports: [{ port: 80 }] }),
      [
        core('endpoints', namespace),
        {
          metadata: { name: 'written', labels: { by: 'hand' } },
          subsets: [{ addresses: [{ ip: '192.0.2.7' }], notReadyAddresses: [{ ip: '192.0.2.9' }], ports: [{ port: 80 }] }],
        },
      ],
    ] as const;
    await compare({ namespace, lists: [core('endpoints', namespace), slices(namespace)], objects }, text => text.includes('"ready":true'));
  });

  test('claims and volumes: bound, waiting, and without hope', async () => {
    const namespace = 'volumes';
    const storageClass = (name: string, volumeBindingMode: string) =>
      [
        '/apis/storage.k8s.io/v1/storageclasses',
        { metadata: { name }, provisioner: 'kubernetes.io/no-provisioner', volumeBindingMode },
      ] as const;
    const volume = (name: string, storageClassName: string) => {
      const spec = { capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' }, storageClassName };
      return ['/api/v1/persistentvolumes', { metadata: { name }, spec: { ...spec, persistentVolumeReclaimPolicy: 'Retain' } }] as const;
    };
    const claim = (name: string, storageClassName: string) => {
      const spec = { accessModes: ['ReadWriteOnce'], storageClassName, resources: { requests: { storage: '1Gi' } } };
      return [core('persistentvolumeclaims', namespace), { metadata: { name }, spec }] as const;
    };
    const objects = [
      volume('early', 'ready'),
      storageClass('ready', 'Immediate'),
      storageClass('patient', 'WaitForFirstConsumer'),
      claim('bound', 'ready'),
      claim('patient', 'patient'),
      claim('classless', ''),
      claim('hopeless', 'no-such-class'),
    ] as const;
    const lists = [core('persistentvolumeclaims', namespace), '/api/v1/persistentvolumes'];
    await compare({ namespace, lists, objects }, text => text.includes('"phase":"Bound"') && text.includes('WaitForFirstConsumer'));
  });

  test('pods that no node takes are told why in the same words', async () => {
    const namespace = 'refused';
    const pod = (name: string, spec: object) =>
      [core('pods', namespace), { metadata: { name }, spec: { containers: [{ name: 'main', image: 'web:1' }], ...spec } }] as const;
    const objects = [
      pod('too-large', { containers: [{ name: 'main', image: 'web:1', resources: { requests: { cpu: '1000' } } }] }),
      pod('picky', { nodeSelector: { 'no-such': 'node' } }),
      pod('gated', { schedulingGates: [{ name: 'example.com/gate' }] }),
      pod('homeless', { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'no-such-claim' } }] }),
    ];
    await compare({ namespace, lists: [], objects }, text =>
      ['Insufficient cpu', 'affinity', 'no-such-claim'].every(word => text.includes(word)),
    );
  });
});

/** What the real controllers leave to chance: in which order they write endpoints, and whether they get round to trying a class without a provisioner. */
function withoutChance(seen: unknown): unknown {
  if (Array.isArray(seen)) {
    const items = seen.map(withoutChance).filter(item => typeof item !== 'string' || !item.includes('kubernetes.io/no-provisioner'));
    const isEndpoints = items.every(item => typeof item === 'object' && item !== null && 'addresses' in item);
    return isEndpoints ? items.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)) : items;
  }
  if (typeof seen !== 'object' || seen === null) return seen;
  return Object.fromEntries(Object.entries(seen).map(([key, value]) => [key, withoutChance(value)]));
}
