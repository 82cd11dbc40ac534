import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { printJson, type JsonObject } from '../util/json.ts';
import type { Capabilities } from './helm/capabilities.ts';
import { joinRecord } from './helm/chart-record.ts';
import type { Hook, Manifest } from './helm/manifests.ts';
import { manifestText } from './helm/render-chart.ts';
import type { PatchedManifests, PatchJob } from './kustomize/patch-manifests.ts';
import { RenderError } from './render-error.ts';
import type { BuildRequest, PatchRequest, ReleaseFacts, TextRequest, WorkerAnswer, WorkerResult } from './render-protocol.ts';
import { RenderThread, type ThreadLimits } from './render-thread.ts';
import type { TextTemplate } from './text/render-text.ts';

export type { ReleaseFacts } from './render-protocol.ts';
export { RenderError } from './render-error.ts';

/** A chart to render for one release. */
export interface RenderJob {
  /** The packed chart, gzipped. */
  readonly chart: Uint8Array;
  /** Names the bytes: charts with the same digest are loaded once. */
  readonly digest: string;
  readonly values: JsonObject;
  readonly release: ReleaseFacts;
  /** What the cluster can do; what Helm assumes without a cluster when absent. */
  readonly capabilities?: Capabilities;
  /**
   * Answers `lookup`: the object, the list when the name is empty, or `{}` when there is none. What it throws fails the rendering. Without it,
   * lookups find nothing.
   */
  lookup?(apiVersion: string, kind: string, namespace: string, name: string, signal: AbortSignal): Promise<JsonObject>;
}

/** What a chart gave, and what Helm's record of the release needs. */
export interface RenderedRelease {
  /** Objects in the order of installation. */
  readonly manifests: readonly Manifest[];
  /** The same as one text, as Helm keeps it in a release. */
  readonly manifest: string;
  readonly hooks: readonly Hook[];
  readonly definitions: readonly { readonly path: string; readonly data: Buffer }[];
  readonly notes: string;
  readonly chart: RecordedChart;
  /** Whether the member was asked: then the same inputs may give something else next time. */
  readonly usedLookup: boolean;
}

export interface RecordedChart {
  /** What Chart.yaml says, with the subcharts that the values chose. */
  readonly metadata: JsonObject;
  /** The chart as Helm keeps it in a release: the text of a JSON object, made when it is asked for. */
  json(): string;
}

export interface RenderPool extends AsyncDisposable {
  /** Throws RenderError, or the reason of the signal. */
  render(job: RenderJob, signal?: AbortSignal): Promise<RenderedRelease>;
  /** The manifests of a kustomization, as \`kustomize build\` prints them. Throws as render does. */
  build(job: BuildJob, signal?: AbortSignal): Promise<string>;
  /** Manifests with patches applied to them. Throws as render does. */
  patch(job: PatchJob, signal?: AbortSignal): Promise<PatchedManifests>;
  /**
   * What a template that stands alone gives. While equal inputs are remembered they give the same, also where chance or the clock go in. Throws as
   * render does.
   */
  renderText(template: TextTemplate, signal?: AbortSignal): Promise<string>;
  /** The same, for YAML that gives a map. */
  renderMap(template: TextTemplate, signal?: AbortSignal): Promise<JsonObject>;
}

/** A folder to kustomize. */
export interface BuildJob {
  /** The folder as a gzipped tar. */
  readonly archive: Uint8Array;
  /** Names the bytes: the same folder is built once. */
  readonly digest: string;
  /** The folder inside that holds the kustomization; empty for its root. */
  readonly path: string;
}

export interface RenderPoolOptions extends Partial<ThreadLimits> {
  /** How many charts are rendered at once. */
  readonly size?: number;
  /** How long a thread without work is kept. */
  readonly idleMs?: number;
  /** How many bytes of results are kept for equal inputs. */
  readonly cacheBytes?: number;
}

/** What fails may take long to do so: whoever asks again and again is told from memory for a while. */
const failureMs = 60_000;
/** What was stopped at a bound would take as long for every cluster: it is told whatever its data are. */
const stoppedAtBound = /takes too long|takes longer than|too many steps|takes too much memory/;

interface Waiting {
  readonly start: (thread: RenderThread) => void;
}

/**
 * Renders charts in threads that have no access to files, network or processes. A chart is loaded once per thread, equal inputs are rendered once,
 * and a chart that hangs or takes all memory costs its own rendering and nothing else. Threads start when there is work and end when there is none.
 */
export function createRenderPool(options: RenderPoolOptions = {}): RenderPool {
  const { size = 2, idleMs = 60_000, cacheBytes = 32 * 1024 * 1024 } = options;
  const limits: ThreadLimits = {
    timeoutMs: options.timeoutMs ?? 30_000,
    lookupTimeoutMs: options.lookupTimeoutMs ?? 15_000,
    heapMb: options.heapMb ?? 512,
  };
  const results = new LRUCache<string, RenderedRelease>({ maxSize: cacheBytes, sizeCalculation: sizeOfResult });
  const builds = new LRUCache<string, Exclude<WorkerAnswer, WorkerResult>>({ maxSize: cacheBytes, sizeCalculation: sizeOfAnswer });
  const failures = new LRUCache<string, RenderError>({ max: 1000, ttl: failureMs });
  const stoppedFailures = new LRUCache<string, RenderError>({ max: 1000, ttl: failureMs });
  const bodies = new LRUCache<string, string>({ maxSize: cacheBytes, sizeCalculation: body => body.length + 1 });
  const underWay = new Map<string, Promise<RenderedRelease>>();
  const threads = new Set<RenderThread>();
  const idle: RenderThread[] = [];
  const waiting: Waiting[] = [];
  let idleTimer: NodeJS.Timeout | undefined;
  let isClosed = false;

  return {
    render,
    build: async ({ archive, digest, path }, signal) =>
      (await buildOnce(`${digest} ${path}`, { type: 'kustomization', archive, path }, signal)) as string,
    patch: async (job, signal) => (await buildOnce(hashOf(['patches', job]), { type: 'patches', ...job }, signal)) as PatchedManifests,
    renderText: async (template, signal) => (await buildOnce(hashOf(['text', template]), { type: 'text', ...template }, signal)) as string,
    renderMap: async (template, signal) => (await buildOnce(hashOf(['map', template]), { type: 'map', ...template }, signal)) as JsonObject,
    async [Symbol.asyncDispose]() {
      isClosed = true;
      clearTimeout(idleTimer);
      await Promise.all([...threads].map(thread => thread.end()));
    },
  };

  async function render(job: RenderJob, signal?: AbortSignal): Promise<RenderedRelease> {
    signal?.throwIfAborted();
    const key = keyOf(job);
    const known = results.get(key);
    if (known) return known;
    const other = underWay.get(key);
    if (other) {
      // Another asked for the same: its answer will do, unless it asked the cluster or chance.
      await settled(other, signal);
      return results.get(key) ?? renderAnew(job, key, signal);
    }
    const own = renderAnew(job, key, signal);
    underWay.set(key, own);
    try {
      return await own;
    } finally {
      if (underWay.get(key) === own) underWay.delete(key);
    }
  }

  async function renderAnew(job: RenderJob, key: string, signal: AbortSignal | undefined): Promise<RenderedRelease> {
    const thread = await takeThread(signal);
    let answer: WorkerResult;
    try {
      answer = await thread.render(job, { wantsBody: !bodies.has(job.digest), signal });
    } finally {
      giveBack(thread);
    }
    if (answer.recordBody !== undefined) bodies.set(job.digest, answer.recordBody);
    const result = resultOf(answer, bodies.get(job.digest) ?? '');
    if (!answer.usedLookup && !answer.isUnrepeatable) results.set(key, result);
    return result;
  }

  async function buildOnce(
    key: string,
    request: BuildRequest | PatchRequest | TextRequest,
    signal: AbortSignal | undefined,
  ): Promise<WorkerAnswer> {
    const known = builds.get(key);
    if (known !== undefined) return known;
    const stoppedKey = 'text' in request ? hashOf([request.type, request.text]) : key;
    const failure = failures.get(key) ?? stoppedFailures.get(stoppedKey);
    if (failure) throw failure;
    const thread = await takeThread(signal);
    try {
      const answer = (await thread.build(request, signal)) as Exclude<WorkerAnswer, WorkerResult>;
      builds.set(key, answer);
      return answer;
    } catch (error) {
      if (error instanceof RenderError && error.isFinal) {
        failures.set(key, error);
        if (stoppedAtBound.test(error.message)) stoppedFailures.set(stoppedKey, error);
      }
      throw error;
    } finally {
      giveBack(thread);
    }
  }

  function takeThread(signal: AbortSignal | undefined): Promise<RenderThread> {
    if (isClosed) throw new Error('the render pool is closed');
    signal?.throwIfAborted();
    const free = idle.pop();
    if (free) return Promise.resolve(free);
    if (threads.size < size) return Promise.resolve(startThread());
    const { promise, resolve, reject } = Promise.withResolvers<RenderThread>();
    const entry: Waiting = { start: resolve };
    waiting.push(entry);
    const stop = (): void => {
      const at = waiting.indexOf(entry);
      if (at < 0) return;
      waiting.splice(at, 1);
      reject(signal!.reason as Error);
    };
    signal?.addEventListener('abort', stop, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', stop));
  }

  function startThread(): RenderThread {
    const thread = new RenderThread(limits);
    threads.add(thread);
    return thread;
  }

  function giveBack(thread: RenderThread): void {
    if (thread.isEnded) threads.delete(thread);
    const next = waiting.shift();
    if (next) return next.start(thread.isEnded ? startThread() : thread);
    if (thread.isEnded) return;
    idle.push(thread);
    clearTimeout(idleTimer);
    idleTimer = setTimeout(endIdle, idleMs).unref();
  }

  function endIdle(): void {
    for (const thread of idle.splice(0)) {
      threads.delete(thread);
      void thread.end();
    }
  }
}

function resultOf(answer: WorkerResult, body: string): RenderedRelease {
  const { manifests, hooks, notes, usedLookup, metadata, recordHead } = answer;
  return {
    manifests,
    manifest: manifestText(manifests),
    hooks,
    notes,
    usedLookup,
    definitions: answer.definitions.map(({ path, data }) => ({ path, data: Buffer.from(data.buffer, data.byteOffset, data.byteLength) })),
    chart: { metadata, json: () => joinRecord(recordHead, body) },
  };
}

function sizeOfResult({ manifest, hooks, definitions, notes }: RenderedRelease): number {
  // The texts of the manifests are there twice, alone and as one.
  const texts = 2 * manifest.length + notes.length + hooks.reduce((sum, { content }) => sum + content.length, 0);
  return definitions.reduce((sum, { data }) => sum + data.length, texts) + 1024;
}

function keyOf({ digest, values, release, capabilities, lookup }: RenderJob): string {
  const { name, namespace, revision = 1, isUpgrade = false } = release;
  const inputs = [digest, values, name, namespace, revision, isUpgrade, capabilities, lookup !== undefined];
  return hashOf(inputs);
}

const hashOf = (inputs: unknown): string => createHash('sha256').update(printJson(inputs)).digest('base64');

function sizeOfAnswer(answer: string | JsonObject | PatchedManifests): number {
  if (typeof answer === 'string') return answer.length + 1;
  return Array.isArray(answer) ? answer.flat().reduce((sum, text) => sum + text.length, 64) : printJson(answer).length + 64;
}

/** Waits until a promise has ended, either way. Throws the reason of the signal when that comes first. */
function settled(other: Promise<unknown>, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal!.reason as Error);
    const done = (): void => {
      signal?.removeEventListener('abort', stop);
      resolve();
    };
    signal?.addEventListener('abort', stop, { once: true });
    other.then(done, done);
  });
}
