import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import type { KindRef } from '../../api/define-kind.ts';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { deliveryManager } from '../../api/work.ts';
import { cloneJson, isJsonObject, type Json, type JsonObject } from '../../util/json.ts';
import { startMemoryServer } from '../../../test/helpers/memory-server.ts';
import { anyDelivered } from '../../../test/helpers/delivered-objects.ts';
import { findDrift } from './find-drift.ts';
import { openMember, type Member } from './member.ts';

const namespace = 'default';

interface Rig {
  readonly member: Member;
  kindOf(obj: KubeObject): Promise<KindRef>;
  apply(obj: KubeObject): Promise<KubeObject>;
  /** Writes as somebody else, as `kubectl edit` does. */
  edit(obj: KubeObject, change: (copy: KubeObject) => void, fieldManager?: string): Promise<KubeObject>;
}

async function startRig(t: TestContext): Promise<Rig> {
  const { client } = await startMemoryServer(t);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const member = openMember('member', client, { signal: stop.signal });
  const kindOf = async ({ apiVersion, kind }: KubeObject): Promise<KindRef> => {
    const found = await member.kinds.find({ ...parseApiVersion(apiVersion), kind }, stop.signal);
    assert.ok(found, kind);
    return found;
  };
  return {
    member,
    kindOf,
    apply: async obj => client.apply(await kindOf(obj), obj, { fieldManager: deliveryManager }),
    edit: async (obj, change, fieldManager = 'kubectl-edit') => {
      const copy = cloneJson(obj);
      change(copy);
      return client.update(await kindOf(obj), copy, { fieldManager });
    },
  };
}

const deployment = (): KubeObject & { spec: JsonObject } => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'web', namespace, labels: { 'app.kubernetes.io/name': 'web', empty: '' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: { labels: { app: 'web' } },
      spec: {
        hostNetwork: false,
        containers: [
          {
            name: 'web',
            image: 'nginx:1',
            args: ['-a'],
            ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP', name: 'dns' }],
            resources: { limits: { cpu: '1000m', memory: '1024Mi' }, requests: { cpu: 0.5 } },
            env: [{ name: 'A', value: '1' }],
          },
        ],
      },
    },
  },
});

/** Reaches into objects without ceremony. */
type Loose = any; // eslint-disable-line typescript/no-explicit-any -- edits of tests

const summary = (fields: ReturnType<typeof findDrift>) => fields.map(({ path, manager, want, have }) => ({ path, manager, want, have }));

test('an object that is as delivered has no drift, whatever form the member gave it', async t => {
  const { apply } = await startRig(t);
  const live = await apply(deployment());
  assert.deepEqual(findDrift(deployment(), live), []);
});

test('drift names the field, who changed it, and both values', async t => {
  const { apply, edit } = await startRig(t);
  const live = await edit(await apply(deployment()), copy => {
    const { spec } = copy as Loose;
    spec.replicas = 5;
    spec.template.spec.containers[0].image = 'nginx:2';
    spec.template.spec.containers[0].ports[1].name = 'other';
    spec.template.spec.containers[0].args = ['-a', '-b'];
    copy.metadata.labels!['app.kubernetes.io/name'] = 'shop';
  });
  assert.deepEqual(summary(findDrift(deployment(), live)), [
    { path: '.metadata.labels["app.kubernetes.io/name"]', manager: 'kubectl-edit', want: 'web', have: 'shop' },
    { path: '.spec.replicas', manager: 'kubectl-edit', want: 3, have: 5 },
    { path: '.spec.template.spec.containers[name=web].image', manager: 'kubectl-edit', want: 'nginx:1', have: 'nginx:2' },
    { path: '.spec.template.spec.containers[name=web].args', manager: 'kubectl-edit', want: ['-a'], have: ['-a', '-b'] },
    {
      path: '.spec.template.spec.containers[name=web].ports[containerPort=53,protocol=UDP].name',
      manager: 'kubectl-edit',
      want: 'dns',
      have: 'other',
    },
  ]);
});

test('a field that was taken away is drift without a value', async t => {
  const { apply, edit } = await startRig(t);
  const live = await edit(await apply(deployment()), copy => {
    delete copy.metadata.labels!['empty'];
    (copy as Loose).spec.template.spec.containers[0].env = [];
  });
  assert.deepEqual(summary(findDrift(deployment(), live)), [
    { path: '.metadata.labels.empty', manager: undefined, want: '', have: undefined },
    { path: '.spec.template.spec.containers[name=web].env', manager: undefined, want: [{ name: 'A', value: '1' }], have: undefined },
  ]);
});

test('what others add beside is no drift', async t => {
  const { apply, edit } = await startRig(t);
  const live = await edit(await apply(deployment()), copy => {
    copy.metadata.annotations = { note: 'hello' };
    const { spec } = copy as Loose;
    spec.template.spec.containers.unshift({ name: 'sidecar', image: 'envoy' });
    spec.template.spec.containers[1].env.push({ name: 'B', value: '2' });
    spec.template.spec.terminationGracePeriodSeconds = 5;
    spec.template.spec.containers[1].resources.requests.memory = '1Mi';
  });
  assert.deepEqual(findDrift(deployment(), live), []);
});

test('who took a field over and how is told', async t => {
  const { apply, member, kindOf } = await startRig(t);
  await apply(deployment());
  const { apiVersion, kind, metadata } = deployment();
  const key = { apiVersion, kind, metadata: { name: metadata.name!, namespace } };
  const live = await member.client.apply(
    await kindOf(deployment()),
    { ...key, spec: { replicas: 7 } },
    { fieldManager: 'argo', force: true },
  );
  assert.equal(findDrift(deployment(), live)[0]!.manager, 'argo (Apply)');
});

test('somebody who owns nothing is not blamed', async t => {
  const { apply } = await startRig(t);
  const live = await apply(deployment());
  const [ours] = live.metadata.managedFields!;
  const managedFields = [
    { ...ours!, fieldsV1: {} },
    { manager: 'idle', operation: 'Update' as const, fieldsType: 'FieldsV1', fieldsV1: {} },
  ];
  const changed = { ...live, metadata: { ...live.metadata, managedFields }, spec: { ...(live['spec'] as JsonObject), replicas: 9 } };
  assert.deepEqual(
    findDrift(deployment(), changed)
      .filter(({ path }) => path === '.spec.replicas')
      .map(({ manager }) => manager),
    [undefined],
  );
});

test('an object that is gone is drift as a whole', () => {
  assert.deepEqual(findDrift(deployment(), undefined), [
    { group: 'apps', version: 'v1', kind: 'Deployment', namespace, name: 'web', path: '' },
  ]);
});

test('values of Secrets are masked', async t => {
  const { apply, edit } = await startRig(t);
  const secret: KubeObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'keys', namespace },
    data: { a: 'c2VjcmV0' },
    stringData: { b: 'secret' },
  };
  const live = await apply(secret);
  assert.deepEqual(findDrift(secret, live), []);
  const edited = await edit(live, copy => Object.assign(copy, { data: { a: 'b3RoZXI=', b: 'b3RoZXI=' } }));
  assert.deepEqual(summary(findDrift(secret, edited)), [
    { path: '.data.a', manager: 'kubectl-edit', want: '***', have: '***' },
    { path: '.data.b', manager: 'kubectl-edit', want: '***', have: '***' },
  ]);
});

test('long values are cut', async t => {
  const { apply, edit } = await startRig(t);
  const file: KubeObject = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'file', namespace }, data: { text: 'x'.repeat(5000) } };
  const live = await edit(await apply(file), copy => Object.assign(copy, { data: { text: 'y' } }));
  const [field] = findDrift(file, live);
  assert.match(String(field!.want), /^x{512}… \(5000 characters\)$/);
});

test('excluded paths are no drift, for the objects they are meant for', async t => {
  const { apply, edit } = await startRig(t);
  const live = await edit(await apply(deployment()), copy => {
    (copy as Loose).spec.replicas = 5;
    (copy as Loose).spec.template.spec.containers[0].image = 'nginx:2';
    copy.metadata.labels!['app.kubernetes.io/name'] = 'shop';
  });
  const drift = (target: object | undefined, ...paths: string[]) =>
    findDrift(deployment(), live, [{ paths, ...(target && { target }) }]).map(({ path }) => path);
  const all = ['.metadata.labels["app.kubernetes.io/name"]', '.spec.replicas', '.spec.template.spec.containers[name=web].image'];
  assert.deepEqual(
    drift(undefined, '/spec/replicas', '/spec/template/spec/containers/*/image', '/metadata/labels/app.kubernetes.io~1name'),
    [],
  );
  assert.deepEqual(drift(undefined, '/spec'), all.slice(0, 1));
  assert.deepEqual(drift({ kind: 'Deployment', group: 'apps', name: 'w.*' }, '/*'), []);
  assert.deepEqual(drift({ kind: 'StatefulSet' }, '/spec'), all);
  assert.deepEqual(drift({ name: 'we' }, '/spec'), all);
  assert.deepEqual(drift({ name: '[' }, '/spec'), all);
  assert.deepEqual(drift({ labelSelector: 'app.kubernetes.io/name in (web)' }, '/spec'), all.slice(0, 1));
  assert.deepEqual(drift({ labelSelector: 'app.kubernetes.io/name!=web' }, '/spec'), all);
  assert.deepEqual(drift({ annotationSelector: 'some/note=x' }, '/spec'), all);
  assert.throws(() => drift({ labelSelector: 'a in b' }, '/spec'), {
    message: 'spec.driftExclusions: labelSelector "a in b" cannot be read',
    isFinal: true,
  });
  assert.deepEqual(drift({ group: '*', version: 'v1', namespace: 'default' }, '/spec/replicas/deeper'), all);
});

test('an object that is marked so has no drift, whoever marked it', async t => {
  const { apply, edit } = await startRig(t);
  const annotations = { 'drover.io/ignore-drift': 'true' };
  const marked = { ...deployment(), metadata: { ...deployment().metadata, annotations } };
  assert.deepEqual(findDrift(marked, undefined), []);
  const live = await edit(await apply(deployment()), copy => {
    (copy as Loose).spec.replicas = 5;
    copy.metadata.annotations = annotations;
  });
  assert.deepEqual(findDrift(deployment(), live), []);
});

test('there is no drift right after an apply, whatever the object', async t => {
  const { apply } = await startRig(t);
  await fc.assert(
    fc.asyncProperty(anyDelivered(namespace), async obj => {
      assert.deepEqual(findDrift(obj, await apply(obj)), []);
    }),
    { numRuns: 150 },
  );
});

test('a change by somebody else of any delivered value is found', async t => {
  const { apply, edit } = await startRig(t);
  let found = 0;
  await fc.assert(
    fc.asyncProperty(anyDelivered(namespace), fc.nat(), async (obj, choice) => {
      const live = await apply(obj);
      const spots = spotsIn(obj, live);
      if (spots.length === 0) return;
      const spot = spots[choice % spots.length]!;
      let edited: KubeObject;
      try {
        edited = await edit(live, spot.change);
      } catch (error) {
        // Not every value may be changed in every way.
        if (error instanceof StatusError && (error.code === 422 || error.code === 400)) return;
        throw error;
      }
      if (JSON.stringify(spot.read(edited)) === JSON.stringify(spot.read(live))) return;
      const paths = findDrift(obj, edited).map(({ path }) => path);
      assert.equal(paths.length, 1, `${spot.path}: ${paths.join(' ')}`);
      found++;
    }),
    { numRuns: 200 },
  );
  assert.ok(found > 50, `${found} changes went through`);
});

test('a change by somebody else beside what was delivered is never drift', async t => {
  const { apply, edit } = await startRig(t);
  await fc.assert(
    fc.asyncProperty(anyDelivered(namespace), fc.stringMatching(/^[a-z]{3,8}$/), async (obj, word) => {
      const live = await apply(obj);
      const edited = await edit(live, copy => {
        copy.metadata.labels = { ...copy.metadata.labels, [`beside/${word}`]: word };
        copy.metadata.annotations = { ...copy.metadata.annotations, [`beside/${word}`]: word };
        if (isJsonObject(copy['data'])) copy['data'][`beside-${word}`] = Buffer.from(word).toString('base64');
        const pod = (copy as Loose).spec?.template?.spec;
        if (!pod) return;
        pod.schedulerName = word;
        pod.containers.unshift({ name: `beside-${word}`, image: word });
        pod.containers[1].env = [...(pod.containers[1].env ?? []), { name: `BESIDE_${word}`, value: word }];
      });
      assert.deepEqual(findDrift(obj, edited), []);
    }),
    { numRuns: 100 },
  );
});

interface Spot {
  readonly path: string;
  read(obj: KubeObject): unknown;
  change(copy: KubeObject): void;
}

/** The scalars of the delivered object that are at the same place in the live one, keys of items left out. */
function spotsIn(want: KubeObject, live: KubeObject): Spot[] {
  const spots: Spot[] = [];
  visit(want as unknown as Json, live as unknown as Json, []);
  return spots.filter(({ path }) => !/^(apiVersion|kind|metadata\/(name|namespace)$|type$|spec\/selector|stringData)/.test(path));

  function visit(a: Json | undefined, b: Json | undefined, path: readonly string[]): void {
    if (Array.isArray(a) && Array.isArray(b) && a.length === b.length) a.forEach((item, i) => visit(item, b[i], [...path, String(i)]));
    else if (isJsonObject(a) && isJsonObject(b)) for (const key of Object.keys(a)) visit(a[key], b[key], [...path, key]);
    else if (isScalar(a) && isScalar(b) && !['name', 'containerPort', 'port', 'protocol', 'mountPath'].includes(path.at(-1)!)) {
      spots.push({
        path: path.join('/'),
        read: obj => at(obj, path),
        change: copy => {
          const parent = at(copy, path.slice(0, -1)) as Record<string, Json>;
          parent[path.at(-1)!] = another(b);
        },
      });
    }
  }
}

const isScalar = (value: Json | undefined): value is string | number | boolean => ['string', 'number', 'boolean'].includes(typeof value);
const at = (obj: unknown, path: readonly string[]): unknown => path.reduce((here, step) => (here as Record<string, unknown>)[step], obj);

function another(value: string | number | boolean): Json {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  // Quantities, base64 and names alike stay what they are.
  return /^[0-9.]+[a-zA-Z]*$/.test(value) ? `7${value}` : `eHh4${value}`;
}
