import type { Credentials } from '../../test/helpers/http-target.ts';
import { Connection, type Reply } from './connection.ts';

/** What the generator can be asked to do. Every answer is one number. */
export type LoadTask =
  /** Operations per second of `clients` connections that each have one request under way. */
  | { type: 'rate'; operation: Operation; clients: number; durationMs: number; objects: number; run: number }
  /** Creates objects until there are `to`, beginning with number `from`. Answers seconds. */
  | { type: 'fill'; namespace: string; clients: number; from: number; to: number }
  /** Milliseconds of one list, in pages when there is a limit. */
  | { type: 'list'; namespace: string; limit: number; expected: number }
  /** Events delivered per second to all watchers while `clients` connections write. */
  | { type: 'watch'; watchers: number; clients: number; events: number; objects: number };

export type Operation = 'create' | 'update' | 'apply' | 'get';

export type LoadMessage = { credentials: Credentials } | { task: LoadTask };
export type LoadAnswer = { value: number } | { error: string };

const bodyBytes = 1024;
const namespace = 'bench';
const watchTimeoutMs = 180_000;
let credentials: Credentials;
const idle: Connection[] = [];

async function connections(count: number): Promise<Connection[]> {
  while (idle.length < count) idle.push(await Connection.open(credentials));
  return idle.slice(0, count);
}

const pathOf = (ns: string, name = ''): string => `/api/v1/namespaces/${ns}/configmaps${name === '' ? '' : `/${name}`}`;

let salt = 0;
/** A ConfigMap of 1 KiB, different every time. */
function configMap(name: string): string {
  const head = `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"${name}"},"data":{"value":"${(++salt).toString(36).padStart(8, '0')}`;
  return `${head}${'x'.repeat(bodyBytes - head.length - 3)}"}}`;
}

function check(reply: Reply, code: number, what: string): Reply {
  if (reply.code !== code) throw new Error(`${what} was answered with ${reply.code}: ${reply.start}`);
  return reply;
}

async function perform(connection: Connection, operation: Operation, name: string): Promise<void> {
  if (operation === 'get') check(await connection.send('GET', pathOf(namespace, name)), 200, 'get');
  else if (operation === 'create') check(await connection.send('POST', pathOf(namespace), configMap(name)), 201, 'create');
  else if (operation === 'update') check(await connection.send('PUT', pathOf(namespace, name), configMap(name)), 200, 'update');
  else {
    const path = `${pathOf(namespace, name)}?fieldManager=bench&force=true`;
    const { code, start } = await connection.send('PATCH', path, configMap(name), 'application/apply-patch+yaml');
    if (code !== 200 && code !== 201) throw new Error(`apply was answered with ${code}: ${start}`);
  }
}

async function rate({ operation, clients, durationMs, objects, run }: LoadTask & { type: 'rate' }): Promise<number> {
  const connected = await connections(clients);
  const startedAt = performance.now();
  let done = 0;
  await Promise.all(
    connected.map(async (connection, client) => {
      // Clients walk over different objects, so that none waits for another's conflict.
      for (let i = client; performance.now() - startedAt < durationMs; i += clients) {
        const name = operation === 'create' ? `create-${run}-${i}` : `${operation === 'apply' ? 'apply' : 'object'}-${i % objects}`;
        await perform(connection, operation, name);
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - startedAt);
}

async function fill({ namespace: ns, clients, from, to }: LoadTask & { type: 'fill' }): Promise<number> {
  const connected = await connections(clients);
  const made = await connected[0]!.send('POST', '/api/v1/namespaces', JSON.stringify({ metadata: { name: ns } }));
  if (made.code !== 201 && made.code !== 409) throw new Error(`cannot create namespace "${ns}": ${made.code} ${made.start}`);
  const startedAt = performance.now();
  let next = from;
  await Promise.all(
    connected.map(async connection => {
      for (let i = next++; i < to; i = next++) {
        check(await connection.send('POST', pathOf(ns), configMap(`object-${i}`)), 201, 'create');
      }
    }),
  );
  return (performance.now() - startedAt) / 1000;
}

async function list({ namespace: ns, limit, expected }: LoadTask & { type: 'list' }): Promise<number> {
  const [connection] = await connections(1);
  const startedAt = performance.now();
  let size = 0;
  for (let next: string | undefined = ''; next !== undefined;) {
    const query: string = limit === 0 ? '' : `?limit=${limit}${next === '' ? '' : `&continue=${next}`}`;
    const reply: Reply = check(await connection!.send('GET', `${pathOf(ns)}${query}`), 200, 'list');
    size += reply.size;
    next = /"continue":"([^"]+)"/.exec(reply.start)?.[1];
  }
  if (size < expected * bodyBytes) throw new Error(`the list holds ${size} bytes, too few for ${expected} objects`);
  return performance.now() - startedAt;
}

async function watch({ watchers, clients, events, objects }: LoadTask & { type: 'watch' }): Promise<number> {
  const writers = await connections(clients);
  const [asking] = writers;
  const current = check(await asking!.send('GET', `${pathOf(namespace)}?limit=1`), 200, 'list');
  const revision = /"resourceVersion":"([0-9]+)"/.exec(current.start)![1]!;
  const { promise: delivered, resolve, reject } = Promise.withResolvers<void>();
  let missing = watchers * events;
  let isOver = false;
  const watching = new Set<Connection>();
  // A real API server closes watchers that fall behind; they go on from the last event they saw, as informers do.
  const follow = async (connection: Connection, from: string): Promise<void> => {
    let seen = from;
    watching.add(connection);
    connection.onLines = (count, newest) => {
      seen = newest ?? seen;
      missing -= count;
      if (missing <= 0) resolve();
    };
    await connection.send('GET', `${pathOf(namespace)}?watch=true&resourceVersion=${seen}`).catch(() => {});
    connection.close();
    watching.delete(connection);
    if (!isOver) await follow(await Connection.open(credentials), seen);
  };
  for (let i = 0; i < watchers; i++) follow(await Connection.open(credentials), revision).catch(reject);
  await new Promise(done => setTimeout(done, 500));
  const stuck = setTimeout(() => reject(new Error(`${missing} events were not delivered in time`)), watchTimeoutMs);

  const startedAt = performance.now();
  let next = 0;
  const written = Promise.all(
    writers.map(async connection => {
      for (let i = next++; i < events; i = next++) await perform(connection, 'update', `object-${i % objects}`);
    }),
  );
  await Promise.race([delivered, written.then(() => delivered)]);
  const elapsedMs = performance.now() - startedAt;
  isOver = true;
  clearTimeout(stuck);
  for (const connection of watching) connection.close();
  return (watchers * events * 1000) / elapsedMs;
}

function run(task: LoadTask): Promise<number> {
  if (task.type === 'rate') return rate(task);
  if (task.type === 'fill') return fill(task);
  return task.type === 'list' ? list(task) : watch(task);
}

process.on('message', (message: LoadMessage) => {
  if ('credentials' in message) {
    credentials = message.credentials;
    return;
  }
  const answer = (reply: LoadAnswer) => void process.send!(reply);
  run(message.task).then(
    value => answer({ value }),
    (error: Error) => answer({ error: error.message }),
  );
});
process.on('disconnect', () => process.exit(0));
