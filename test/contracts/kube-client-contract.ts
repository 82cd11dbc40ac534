import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { ClusterRole, ConfigMap, Deployment, Namespace } from '../../src/api/builtin-kinds.ts';
import type { KindRef } from '../../src/api/define-kind.ts';
import { StatusError } from '../../src/api/status.ts';
import type { KubeClient, WatchEvent } from '../../src/client/kube-client.ts';

export interface Contracted {
  readonly client: KubeClient;
  /** False for servers that only hold objects, without routes. */
  readonly hasRoutes?: boolean;
}

const Widget: KindRef = { group: 'nowhere.example.com', version: 'v1', kind: 'Widget', resource: 'widgets', scope: 'Namespaced' };

const configMap = (namespace: string, name: string, data: Record<string, string> = {}, labels: Record<string, string> = {}): ConfigMap => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { namespace, name, labels },
  data,
});

const hasReason = (reason: string) => (error: unknown) => error instanceof StatusError && error.reason === reason;

/** What every KubeClient does, whatever it talks to. */
export function kubeClientContract(name: string, open: (t: TestContext) => Promise<Contracted>): void {
  const story = (what: string, run: (client: KubeClient, ns: string, t: TestContext, hasRoutes: boolean) => Promise<void>) =>
    test(`${name}: ${what}`, { timeout: 60_000 }, async t => {
      const { client, hasRoutes = true } = await open(t);
      const ns = `contract-${crypto.randomUUID().slice(0, 8)}`;
      await client.create(Namespace, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: ns } });
      await run(client, ns, t, hasRoutes);
      await client.delete(Namespace, { name: ns });
    });

  story('gives back what was created, and nothing for what was not', async (client, ns) => {
    const created = await client.create(ConfigMap, configMap(ns, 'a', { k: 'v' }));
    assert.equal(created.data?.k, 'v');
    assert.ok(created.metadata.uid);
    assert.deepEqual(await client.get(ConfigMap, { namespace: ns, name: 'a' }), created);
    assert.equal(await client.get(ConfigMap, { namespace: ns, name: 'b' }), undefined);
    await assert.rejects(client.create(ConfigMap, configMap(ns, 'a')), hasReason('AlreadyExists'));
  });

  story('a kind that is not served is an error and not an absence', async (client, ns, _t, hasRoutes) => {
    if (!hasRoutes) return;
    await assert.rejects(client.get(Widget, { namespace: ns, name: 'a' }), hasReason('NotFound'));
    await assert.rejects(client.list(Widget), hasReason('NotFound'));
    await assert.rejects(client.delete(Widget, { namespace: ns, name: 'a' }), hasReason('NotFound'));
    await assert.rejects(Array.fromAsync(client.watch(Widget)), hasReason('NotFound'));
  });

  story('lists by namespace, label and field', async (client, ns) => {
    for (const [name, app] of Object.entries({ a: 'x', b: 'y', c: 'x' })) {
      await client.create(ConfigMap, configMap(ns, name, {}, { app, contract: ns }));
    }
    const names = async (options: object) => (await client.list(ConfigMap, options)).items.map(item => item.metadata.name);
    assert.deepEqual(await names({ namespace: ns, labelSelector: 'app=x' }), ['a', 'c']);
    assert.deepEqual(await names({ labelSelector: `contract=${ns},app!=x` }), ['b']);
    assert.deepEqual(await names({ namespace: ns, fieldSelector: 'metadata.name=b' }), ['b']);
    const { items } = await client.list(ConfigMap, { namespace: ns, labelSelector: 'app' });
    assert.deepEqual([...new Set(items.map(item => `${item.apiVersion} ${item.kind}`))], ['v1 ConfigMap']);
    await assert.rejects(client.list(ConfigMap, { namespace: ns, labelSelector: '!!' }), hasReason('BadRequest'));
  });

  story('names with colons are names', async (client, ns) => {
    const name = `contract:${ns}`;
    const role: ClusterRole = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name }, rules: [] };
    await client.create(ClusterRole, role);
    assert.equal((await client.get(ClusterRole, { name }))?.metadata.name, name);
    assert.equal(await client.delete(ClusterRole, { name }), true);
    assert.equal(await client.delete(ClusterRole, { name }), false);
  });

  story('updates only what has not changed meanwhile', async (client, ns) => {
    const first = await client.create(ConfigMap, configMap(ns, 'a', { k: '1' }));
    await client.update(ConfigMap, { ...first, data: { k: '2' } });
    await assert.rejects(client.update(ConfigMap, { ...first, data: { k: '3' } }), hasReason('Conflict'));
  });

  story('applies, takes over and gives up fields', async (client, ns) => {
    const apply = (data: Record<string, string>, fieldManager: string, force?: boolean) =>
      client.apply(ConfigMap, { metadata: { namespace: ns, name: 'a' }, data }, { fieldManager, ...(force !== undefined && { force }) });
    await apply({ mine: '1', both: '1' }, 'one');
    await assert.rejects(apply({ both: '2' }, 'two', false), hasReason('Conflict'));
    assert.deepEqual((await apply({ both: '2' }, 'two')).data, { mine: '1', both: '2' });
    assert.deepEqual((await apply({}, 'one')).data, { both: '2' });
  });

  story('members that are undefined are not sent', async (client, ns) => {
    const metadata = { namespace: ns, name: 'a', labels: undefined } as unknown as ConfigMap['metadata'];
    const applied = await client.apply(ConfigMap, { metadata, data: undefined as never }, { fieldValidation: 'Strict' });
    assert.equal(applied.data, undefined);
    await client.update(ConfigMap, { ...applied, data: { k: undefined as unknown as string, l: 'x' } });
    assert.deepEqual((await client.get(ConfigMap, { namespace: ns, name: 'a' }))?.data, { l: 'x' });
  });

  story('patches in three ways', async (client, ns) => {
    await client.create(ConfigMap, configMap(ns, 'a', { k: '1', l: '1' }));
    const key = { namespace: ns, name: 'a' };
    await client.patch(ConfigMap, key, { type: 'merge', body: { data: { k: null } } });
    await client.patch(ConfigMap, key, { type: 'json', body: [{ op: 'add', path: '/data/m', value: '2' }] });
    const last = await client.patch(ConfigMap, key, { type: 'strategic', body: { data: { n: '3' } } });
    assert.deepEqual(last.data, { l: '1', m: '2', n: '3' });
    await assert.rejects(client.patch(ConfigMap, { namespace: ns, name: 'none' }, { type: 'merge', body: {} }), hasReason('NotFound'));
  });

  story('status is a thing of its own', async (client, ns) => {
    const labels = { app: 'a' };
    const spec = {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'a', image: 'a' }] } },
    };
    const metadata = { namespace: ns, name: 'a' };
    await client.create(Deployment, {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata,
      spec: { ...spec, replicas: 0 },
      status: { replicas: 5 },
    });
    assert.equal((await client.get(Deployment, metadata))?.status?.replicas, undefined);
    await client.apply(Deployment, { metadata, status: { replicas: 5 } } as never, { subresource: 'status' });
    const read = await client.get(Deployment, metadata);
    assert.equal(read?.status?.replicas, 5);
    assert.equal(read?.spec?.replicas, 0);
  });

  story('dry runs leave no trace, strict writes refuse unknown fields', async (client, ns) => {
    await client.create(ConfigMap, configMap(ns, 'a'), { dryRun: true });
    assert.equal(await client.get(ConfigMap, { namespace: ns, name: 'a' }), undefined);
    const odd = { ...configMap(ns, 'a'), odd: true };
    await assert.rejects(client.create(ConfigMap, odd, { fieldValidation: 'Strict' }), hasReason('BadRequest'));
  });

  story('deletes only the object that was meant', async (client, ns) => {
    const created = await client.create(ConfigMap, configMap(ns, 'a'));
    const key = { namespace: ns, name: 'a' };
    await assert.rejects(client.delete(ConfigMap, key, { preconditions: { uid: 'other' } }), hasReason('Conflict'));
    assert.equal(
      await client.delete(ConfigMap, key, { preconditions: { uid: created.metadata.uid! }, propagationPolicy: 'Background' }),
      true,
    );
    assert.equal(await client.delete(ConfigMap, key), false);
  });

  story('an object without a namespace is refused before it is sent', async client => {
    const broken = configMap('', 'a');
    await assert.rejects(async () => client.update(ConfigMap, broken), /must be named with its namespace/);
    await assert.rejects(async () => client.get(ConfigMap, { name: 'a' }), /must be named with its namespace/);
  });

  story('watches from a version on, through a selector', async (client, ns, t) => {
    const { resourceVersion } = await client.list(ConfigMap, { namespace: ns });
    const options = { namespace: ns, labelSelector: 'app=x', resourceVersion };
    await client.create(ConfigMap, configMap(ns, 'in', {}, { app: 'x' }));
    await client.create(ConfigMap, configMap(ns, 'out', {}, { app: 'y' }));
    await client.patch(ConfigMap, { namespace: ns, name: 'in' }, { type: 'merge', body: { data: { k: 'v' } } });
    await client.patch(ConfigMap, { namespace: ns, name: 'in' }, { type: 'merge', body: { metadata: { labels: { app: 'y' } } } });
    const events = await take(client.watch(ConfigMap, { ...options, signal: signalOf(t) }), 3);
    assert.deepEqual(
      events.map(event => [event.type, 'object' in event ? event.object.metadata.name : '']),
      [
        ['ADDED', 'in'],
        ['MODIFIED', 'in'],
        ['DELETED', 'in'],
      ],
    );
  });

  story('a watch with initial events marks their end', async (client, ns, t) => {
    for (const name of ['a', 'b']) await client.create(ConfigMap, configMap(ns, name, {}, { app: 'x' }));
    const watch = client.watch(ConfigMap, { namespace: ns, labelSelector: 'app', sendInitialEvents: true, signal: signalOf(t) });
    const events = await take(watch, 3);
    assert.deepEqual(events.map(event => event.type).sort(), ['ADDED', 'ADDED', 'BOOKMARK']);
    const last = events[2]!;
    assert.ok(last.type === 'BOOKMARK' && last.object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true');
    assert.match(last.object.metadata.resourceVersion ?? '', /^[0-9]+$/);
  });

  story('a watch ends when it is told to, without an error', async (client, ns) => {
    const stop = new AbortController();
    const { resourceVersion } = await client.list(ConfigMap, { namespace: ns });
    const watching = Array.fromAsync(client.watch(ConfigMap, { namespace: ns, resourceVersion, signal: stop.signal }));
    stop.abort();
    assert.deepEqual(await watching, []);
  });

  story('a call that is given up throws the reason of its caller', async (client, ns) => {
    const signal = AbortSignal.abort(new Error('enough'));
    await assert.rejects(client.create(ConfigMap, configMap(ns, 'a'), { signal }), /enough/);
  });

  story('other paths are read as they come', async (client, _ns, _t, hasRoutes) => {
    if (!hasRoutes) return;
    const res = await client.request({ method: 'GET', path: '/version' });
    assert.equal(res.status, 200);
    const text = (await Array.fromAsync(res.body)).join('');
    assert.match((JSON.parse(text) as { gitVersion: string }).gitVersion, /^v1\./);
  });
}

const signalOf = (t: TestContext): AbortSignal => AbortSignal.any([t.signal, AbortSignal.timeout(20_000)]);

async function take<T extends ConfigMap>(events: AsyncIterable<WatchEvent<T>>, count: number): Promise<WatchEvent<T>[]> {
  const taken: WatchEvent<T>[] = [];
  for await (const event of events) {
    taken.push(event);
    if (taken.length === count) break;
  }
  return taken;
}
