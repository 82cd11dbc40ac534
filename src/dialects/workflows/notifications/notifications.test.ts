import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { text } from 'node:stream/consumers';
import type { IncomingMessage } from 'node:http';
import { test, type TestContext } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMailServer } from '../../../../test/helpers/mail-server.ts';
import { startMemoryServer } from '../../../../test/helpers/memory-server.ts';
import { startPlainServer } from '../../../../test/helpers/source-server.ts';
import { Event, Secret } from '../../../api/builtin-kinds.ts';
import type { KubeObject } from '../../../api/object.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { createEgress } from '../../../sources/egress.ts';
import type { NotificationRule } from '../kinds/workflow.ts';
import { deliveryAnnotations, deliveryLabels } from '../names.ts';
import { eventHerald } from './event-herald.ts';
import type { RunHappening } from './herald.ts';
import { retryDelaysMs } from './next-deliveries.ts';
import { parseNotification } from './notification.ts';
import { runNotifications } from './notifications-controller.ts';

const run: KubeObject = {
  apiVersion: 'delivery.drover.io/v1alpha1',
  kind: 'WorkflowRun',
  metadata: { namespace: 'default', name: 'web-1', uid: 'u1' },
};
const started: RunHappening = { event: 'RunStarted', message: 'The run begins' };
const webhook: NotificationRule = { webhook: { urlSecretRef: { name: 'hook', key: 'url' } } };

interface Received {
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

async function startWorld(t: TestContext, answer: (count: number) => number = () => 204) {
  const { client } = await startMemoryServer(t);
  const received: Received[] = [];
  const { url } = await startPlainServer(t, async (req, res) => {
    received.push({ headers: req.headers, body: await text(req) });
    res.writeHead(answer(received.length)).end();
  });
  await client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'hook' },
    stringData: { url: `${url}/services/T000/secret-path`, secret: 'sign me' },
  });
  let nowMs = Date.parse('2026-01-01T00:00:00Z');
  const now = () => new Date(nowMs);
  const controllers: AbortController[] = [];
  t.after(() => controllers.forEach(one => one.abort()));
  return {
    client,
    received,
    pass: (ms: number) => (nowMs += ms),
    start() {
      const stop = new AbortController();
      controllers.push(stop);
      const egress = createEgress({ allow: ['127.0.0.0/8', '::1/128'] });
      const herald = eventHerald({ hub: client, serverUrl: () => 'https://hub.example', signal: stop.signal, now });
      const running = runNotifications({ hub: client, egress, signal: stop.signal, now });
      return {
        tell: (rules: readonly NotificationRule[], ...happenings: RunHappening[]) =>
          herald.tell({ run, workflow: 'web', notifications: rules }, happenings),
        wake: async () => (await events(client)).forEach(event => running.add(`default/${event.metadata.name}`)),
        stop: () => stop.abort(),
      };
    },
  };
}

const events = async (client: KubeClient) => (await client.list(Event, { namespace: 'default' })).items;
const recipientOf = (event: Event | undefined) =>
  parseNotification(event?.metadata.annotations?.[deliveryAnnotations.notification])?.recipients[0];
const isPending = (event: Event | undefined) => event?.metadata.labels?.[deliveryLabels.notify] === 'pending';

test('what happens is an Event with the same reason, told once however often it is said', async t => {
  const world = await startWorld(t);
  const herald = world.start();
  await herald.tell([], started, started);
  await herald.tell([], started, { event: 'ClusterFailed', message: 'Cluster a failed', cluster: 'a' });
  const found = (await events(world.client)).toSorted((a, b) => (a.reason ?? '').localeCompare(b.reason ?? ''));
  assert.deepEqual(
    found.map(({ reason, type, note, regarding }) => [reason, type, note, regarding?.name]),
    [
      ['ClusterFailed', 'Warning', 'Cluster a failed', 'web-1'],
      ['RunStarted', 'Normal', 'The run begins', 'web-1'],
    ],
  );
});

test('a webhook gets the happening, signed with the key of its Secret', async t => {
  const world = await startWorld(t);
  const herald = world.start();
  await herald.tell([webhook], { ...started, phase: 'Resolving', wave: 'first' });
  const [{ headers, body }] = (await eventually(
    () => world.received,
    all => all.length === 1,
  )) as [Received];
  const { id, at, ...rest } = JSON.parse(body) as Record<string, unknown>;
  assert.deepEqual(rest, {
    event: 'RunStarted',
    run: 'web-1',
    namespace: 'default',
    workflow: 'web',
    wave: 'first',
    cluster: null,
    phase: 'Resolving',
    message: 'The run begins',
    url: 'https://hub.example/ui/workflows/runs/default/web-1',
  });
  assert.equal(at, '2026-01-01T00:00:00.000Z');
  assert.equal(headers['x-drover-delivery'], id);
  assert.equal(headers['x-drover-signature'], `sha256=${createHmac('sha256', 'sign me').update(body).digest('hex')}`);
  const [event] = await eventually(
    () => events(world.client),
    ([one]) => !isPending(one),
  );
  assert.equal(recipientOf(event)?.outcome, 'delivered');
});

test('only events that are asked for are told; Slack gets a text', async t => {
  const world = await startWorld(t);
  const herald = world.start();
  const slack: NotificationRule = { events: ['RunFailed'], slack: { webhookSecretRef: { name: 'hook', key: 'url' } } };
  await herald.tell([slack], started, { event: 'RunFailed', message: 'a < b', cluster: 'east' });
  const all = await eventually(
    () => world.received,
    ({ length }) => length === 1,
  );
  assert.match(
    (JSON.parse(all[0]!.body) as { text: string }).text,
    /^\*RunFailed\* web <https:.*\|default\/web-1> \(cluster east\)\na &lt; b$/,
  );
});

test('who does not answer is tried five times more, also by a hub that has restarted, and then no more', async t => {
  const world = await startWorld(t, () => 503);
  const first = world.start();
  await first.tell([webhook], started);
  const attempts = async () => recipientOf((await events(world.client))[0])?.attempts;
  await eventually(attempts, count => count === 1);
  first.stop();

  const second = world.start();
  for (const [index, delayMs] of retryDelaysMs.entries()) {
    world.pass(delayMs);
    await eventually(
      async () => {
        await second.wake();
        return attempts();
      },
      count => count === index + 2,
    );
  }
  const [event] = await eventually(
    () => events(world.client),
    ([one]) => !isPending(one),
  );
  assert.equal(recipientOf(event)?.outcome, 'given up');
  assert.equal(world.received.length, 6);
  assert.equal(new Set(world.received.map(({ headers }) => headers['x-drover-delivery'])).size, 1);
});

test('a receiver that comes back is told once more and then left alone', async t => {
  const world = await startWorld(t, count => (count === 1 ? 500 : 200));
  const herald = world.start();
  await herald.tell([webhook], started);
  await eventually(async () => recipientOf((await events(world.client))[0])?.attempts);
  world.pass(retryDelaysMs[0]!);
  await eventually(async () => {
    await herald.wake();
    return recipientOf((await events(world.client))[0])?.outcome === 'delivered';
  });
  await herald.wake();
  await herald.tell([webhook], started);
  assert.equal(world.received.length, 2);
});

test('addresses that the operator forbids are not asked, and nothing says the path that is secret', async t => {
  const world = await startWorld(t);
  await world.client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'inside' },
    stringData: { url: 'http://169.254.169.254/services/secret-path' },
  });
  const herald = world.start();
  await herald.tell([{ webhook: { urlSecretRef: { name: 'inside', key: 'url' } } }], started);
  const [event] = await eventually(
    () => events(world.client),
    ([one]) => one !== undefined && !isPending(one),
  );
  assert.equal(recipientOf(event)?.outcome, 'given up');
  assert.match(recipientOf(event)?.error ?? '', /--allow-egress/);
  assert.doesNotMatch(JSON.stringify(event), /secret-path/);
});

test('mail is sent to each address by the server of the Secret, and no name gets out of its header', async t => {
  const world = await startWorld(t);
  const server = await startMailServer(t, {
    users: { drover: 'open sesame' },
    answer: one => (one.includes('gone@') && one.startsWith('RCPT') ? '550 5.1.1 no such mailbox' : undefined),
  });
  await world.client.create(Secret, {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: 'default', name: 'mail' },
    stringData: { url: server.url, from: 'drover@example.com', username: 'drover', password: 'open sesame', 'ca.crt': server.ca },
  });
  const herald = world.start();
  const message = 'Cluster "köln"\r\nBcc: evil@example.com\r\n\r\n. failed';
  const rule: NotificationRule = { events: ['ClusterFailed'], email: ['ops@example.com', 'gone@example.com', 'ops@example.com'] };
  await herald.tell([rule], started, { event: 'ClusterFailed', message, cluster: 'köln' });
  const told = async () =>
    (await events(world.client))
      .map(one => parseNotification(one.metadata.annotations?.[deliveryAnnotations.notification])?.recipients ?? [])
      .flat();
  const recipients = await eventually(told, all => all.length === 2 && all.every(one => one.outcome !== undefined));
  assert.deepEqual(
    recipients.map(({ to, outcome, attempts }) => [to, outcome, attempts]),
    [
      ['ops@example.com', 'delivered', 1],
      ['gone@example.com', 'given up', 1],
    ],
  );
  assert.match(recipients[1]!.error ?? '', /550 5\.1\.1 no such mailbox/);
  assert.equal(server.mails.length, 1);
  const { text: sent, to, user, isSecure } = server.mails[0]!;
  assert.deepEqual([to, user, isSecure], [['ops@example.com'], 'drover', true]);
  const [head = '', body = ''] = sent.split('\r\n\r\n');
  assert.doesNotMatch(head, /^Bcc/im);
  assert.match(head, /^To: ops@example\.com$/m);
  assert.match(head, /^Message-ID: <[0-9a-f]{32}@example\.com>$/m);
  assert.match(head, /^Date: Thu, 01 Jan 2026 00:00:00 \+0000$/m);
  assert.ok(
    head.split('\r\n').every(line => line.length <= 78 && /^[\x20-\x7e]*$/.test(line)),
    head,
  );
  const subject = /^Subject: ((?:.*\r\n )*.*)$/m.exec(head)![1]!;
  const words = [...subject.matchAll(/=\?utf-8\?B\?([^?]*)\?=/g)].map(([, word = '']) => Buffer.from(word, 'base64').toString());
  assert.equal(words.join(''), '[default/web-1] ClusterFailed: Cluster "köln" Bcc: evil@example.com . failed');
  const read = Buffer.from(body, 'base64').toString();
  assert.ok(read.startsWith(message), read);
  assert.match(read, /\r\nCluster: köln\r\n/);
  assert.doesNotMatch(JSON.stringify(await events(world.client)), /sesame/);
});
