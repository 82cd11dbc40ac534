/**
 * `npm run test:kill -- --times N`: kills the hub with SIGKILL again and again under 16 writers and 8 watchers, then judges what they saw.
 * Prints a line of counts; exits 1 when anything was lost, invented, reordered, missed or repeated.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { freePort } from '../helpers/free-port.ts';
import { HttpTarget } from '../helpers/http-target.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { isClean, judge, type Attempt, type FinalObject, type SeenChange } from './history.ts';

const { values } = parseArgs({ options: { times: { type: 'string', default: '50' }, seed: { type: 'string', default: '1' } } });
const times = Number(values.times);
const writerCount = 16;
const watcherCount = 8;
const keysPerWriter = 8;
const namespace = 'default';
const collection = `/api/v1/namespaces/${namespace}/configmaps`;
const retryPauseMs = 20;

const dataDir = mkdtempSync(join(tmpdir(), 'drover-kill-'));
const port = await freePort();
const attempts: Attempt[] = [];
const watches: SeenChange[][] = [];
let isStopping = false;
/** Nothing more will come: watchers stop. */
let isOver = false;
let hub: Hub = await startHub({ dataDir, port });
const target = new HttpTarget(hub.target.credentials);
const random = mulberry(Number(values.seed));
let slowestStartMs = 0;

const startRevision = (await target.request('GET', `${collection}?limit=1`)).json<{ metadata: { resourceVersion: string } }>().metadata
  .resourceVersion;
const writers = Array.from({ length: writerCount }, (_, i) => write(i));
const watchers = Array.from({ length: watcherCount }, (_, i) => watch(i));

for (let i = 1; i <= times; i++) {
  await sleep(30 + random() * 250);
  hub.program.kill('SIGKILL');
  await hub.program.stop();
  const startedAt = performance.now();
  hub = await startHub({ dataDir, port });
  slowestStartMs = Math.max(slowestStartMs, performance.now() - startedAt);
  if (i % 10 === 0) console.log(`killed ${i} times, ${attempts.length} writes attempted`);
}

await sleep(300);
isStopping = true;
await Promise.all(writers);
const list = (await target.request('GET', collection)).json<{ metadata: { resourceVersion: string }; items: ConfigMap[] }>();
await caughtUp();
isOver = true;
const final: FinalObject[] = list.items
  .filter(isOurs)
  .map(item => ({ key: item.metadata.name, sequence: Number(item.data.sequence), revision: Number(item.metadata.resourceVersion) }));
await hub[Symbol.asyncDispose]();
await Promise.all(watchers);
target.close();

const verdict = judge({ attempts, watches, final });
const acknowledged = attempts.filter(a => a.acknowledgedRevision !== undefined).length;
const events = watches.reduce((sum, w) => sum + w.length, 0);
console.log(
  `${times} kills, ${attempts.length} writes attempted, ${acknowledged} acknowledged, ${events} watch events, slowest start ${(slowestStartMs / 1000).toFixed(2)} s`,
);
for (const [fault, found] of Object.entries(verdict) as [string, string[]][]) {
  console.log(`${found.length} ${fault}`);
  for (const line of found.slice(0, 5)) console.log(`  ${line}`);
}
if (isClean(verdict)) rmSync(dataDir, { recursive: true, force: true });
else {
  writeFileSync(join(dataDir, 'history.json'), JSON.stringify({ attempts, watches, final }));
  console.log(`history and data are kept in ${dataDir}`);
  process.exitCode = 1;
}

interface ConfigMap {
  metadata: { name: string; resourceVersion: string };
  data: { sequence: string };
}

function isOurs(item: ConfigMap): boolean {
  return item.metadata.name.startsWith('key-');
}

/** Creates, updates and deletes its own keys, one at a time, and finds out what became of writes without an answer. */
async function write(writer: number): Promise<void> {
  const sequences = new Map<string, number>();
  const present = new Map<string, number>();
  const next = mulberry(writer + 1000);
  while (!isStopping) {
    const key = `key-${writer}-${Math.floor(next() * keysPerWriter)}`;
    const stored = present.get(key);
    const operation = stored === undefined ? 'create' : next() < 0.2 ? 'delete' : 'update';
    const sequence = operation === 'delete' ? stored! : (sequences.get(key) ?? 0) + 1;
    if (operation !== 'delete') sequences.set(key, sequence);
    const attempt: Attempt = { key, operation, sequence };
    attempts.push(attempt);
    const revision = await send(attempt);
    if (revision !== undefined) attempt.acknowledgedRevision = revision;
    else attempt.isApplied = await findOut(attempt);
    if (revision === undefined && !attempt.isApplied) continue;
    if (operation === 'delete') present.delete(key);
    else present.set(key, sequence);
  }
}

async function send({ key, operation, sequence }: Attempt): Promise<number | undefined> {
  const body = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: key },
    data: { sequence: String(sequence), padding: 'x'.repeat(512) },
  };
  try {
    const answer =
      operation === 'create'
        ? await target.request('POST', collection, body, {}, { timeoutMs: 10_000 })
        : operation === 'update'
          ? await target.request('PUT', `${collection}/${key}`, body, {}, { timeoutMs: 10_000 })
          : await target.request('DELETE', `${collection}/${key}`, undefined, {}, { timeoutMs: 10_000 });
    if (answer.code >= 300) return undefined;
    return operation === 'delete' ? 0 : Number(answer.json<ConfigMap>().metadata.resourceVersion);
  } catch {
    return undefined;
  }
}

/** Reads the key until the hub answers: did the write happen? */
async function findOut({ key, operation, sequence }: Attempt): Promise<boolean> {
  for (;;) {
    try {
      const answer = await target.request('GET', `${collection}/${key}`, undefined, {}, { timeoutMs: 10_000 });
      if (answer.code === 404) return operation === 'delete';
      if (answer.code === 200) return operation !== 'delete' && Number(answer.json<ConfigMap>().data.sequence) === sequence;
    } catch {
      // The hub is down; it will be back.
    }
    await sleep(retryPauseMs);
  }
}

/** Watches from the beginning and resumes after every cut from the last revision it has seen. */
async function watch(index: number): Promise<void> {
  const seen: SeenChange[] = [];
  watches[index] = seen;
  let revision = startRevision;
  for (;;) {
    try {
      const stream = await target.stream(`${collection}?watch=true&allowWatchBookmarks=true&resourceVersion=${revision}`);
      let read = 0;
      while (!stream.isEnded || read < stream.lines.length) {
        for (; read < stream.lines.length; read++) revision = take(seen, stream.lines[read]!, revision);
        if (isOver) stream.close();
        await Promise.race([stream.ended, sleep(5)]);
      }
    } catch {
      // The hub is down; it will be back.
    }
    if (isOver) return;
    await sleep(retryPauseMs);
  }
}

function take(seen: SeenChange[], line: string, revision: string): string {
  let event: { type: string; object: ConfigMap & { code?: number } };
  try {
    event = JSON.parse(line) as typeof event;
  } catch {
    return revision; // The last line before a kill may be cut.
  }
  if (event.type === 'ERROR') throw new Error(`watch ended: ${line}`);
  const { resourceVersion } = event.object.metadata;
  if (event.type !== 'BOOKMARK' && isOurs(event.object)) {
    seen.push({
      type: event.type as SeenChange['type'],
      key: event.object.metadata.name,
      sequence: Number(event.object.data.sequence),
      revision: Number(resourceVersion),
    });
  }
  return resourceVersion;
}

async function caughtUp(): Promise<void> {
  const newest = Math.max(0, ...attempts.map(a => a.acknowledgedRevision ?? 0));
  const deadline = performance.now() + 20_000;
  while (performance.now() < deadline && watches.some(w => (w.at(-1)?.revision ?? 0) < newest)) await sleep(20);
}

function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
