import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import { errorText } from '../util/error-text.ts';
import { siblingModule } from '../util/sibling-module.ts';
import { RenderError } from './render-error.ts';
import type { RenderJob } from './render-pool.ts';
import type {
  Answer,
  BuildRequest,
  PatchRequest,
  Question,
  RenderRequest,
  TextRequest,
  WorkerAnswer,
  WorkerMessage,
  WorkerRequest,
  WorkerResult,
} from './render-protocol.ts';
import type { RenderWorkerData } from './render-worker.ts';

export interface ThreadLimits {
  /** How long one rendering may take, without the time it waits for lookups. */
  readonly timeoutMs: number;
  /** How long one lookup may take. */
  readonly lookupTimeoutMs: number;
  /** How much memory a thread may use for values. */
  readonly heapMb: number;
}

/** One rendering may ask the cluster so many times. */
const maxLookups = 1000;

interface Current {
  /** What the worker may ask for. */
  readonly source: Pick<RenderJob, 'lookup'> & { readonly chart?: Uint8Array };
  /** What is being done, in words. */
  readonly deed: string;
  readonly resolve: (result: WorkerAnswer) => void;
  readonly reject: (error: unknown) => void;
  timer: NodeJS.Timeout;
  leftMs: number;
  startedAt: number;
  lookups: number;
  lookupError: unknown;
  readonly abort: AbortController;
}

interface RunOptions {
  readonly source: Current['source'];
  readonly deed: string;
  readonly signal: AbortSignal | undefined;
}

const deeds = {
  kustomization: 'build the kustomization',
  patches: 'patch the manifests',
  text: 'render the template',
  map: 'render the template',
} as const;

/** A thread that renders one chart at a time. When a rendering goes wrong in a way that cannot be undone, the thread ends with it. */
export class RenderThread {
  readonly #limits: ThreadLimits;
  readonly #worker: Worker;
  readonly #answers: MessagePort;
  readonly #isAnswered = new SharedArrayBuffer(4);
  #current: Current | undefined;
  readonly #ready = Promise.withResolvers<void>();
  #isEnded = false;

  constructor(limits: ThreadLimits) {
    this.#limits = limits;
    const { port1, port2 } = new MessageChannel();
    this.#answers = port1;
    const workerData: RenderWorkerData = {
      answers: port2,
      isAnswered: this.#isAnswered,
      questionTimeoutMs: limits.lookupTimeoutMs + 5000,
    };
    const url = siblingModule('./render-worker.ts', import.meta.url);
    this.#worker = new Worker(`require('node:module').enableCompileCache(); import(${JSON.stringify(url)})`, {
      eval: true,
      workerData,
      transferList: [port2],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: limits.heapMb, maxYoungGenerationSizeMb: 16 },
    });
    this.#worker.on('message', (message: WorkerMessage) => this.#receive(message));
    this.#worker.on('error', error => this.#fail(error));
    this.#worker.on('exit', () => this.#fail(new Error('the thread ended')));
    this.#worker.unref();
    port1.unref();
    this.#ready.promise.catch(() => {});
  }

  get isEnded(): boolean {
    return this.#isEnded;
  }

  async end(): Promise<void> {
    this.#isEnded = true;
    this.#answers.close();
    await this.#worker.terminate();
  }

  async render(job: RenderJob, { wantsBody, signal }: { wantsBody: boolean; signal: AbortSignal | undefined }): Promise<WorkerResult> {
    const { digest, values, release, capabilities, lookup } = job;
    const request: RenderRequest = { type: 'chart', digest, values, release, capabilities, hasLookup: lookup !== undefined, wantsBody };
    return (await this.#run(request, { source: job, deed: 'render the chart', signal })) as WorkerResult;
  }

  /** Answers in the form that the request asks for. */
  build(request: BuildRequest | PatchRequest | TextRequest, signal: AbortSignal | undefined): Promise<WorkerAnswer> {
    return this.#run(request, { source: {}, deed: deeds[request.type], signal });
  }

  async #run(request: WorkerRequest, options: RunOptions): Promise<WorkerAnswer> {
    // A thread holds the process only while it has work.
    this.#worker.ref();
    try {
      // Starting is not the chart's fault: its time begins when there is a thread.
      await this.#ready.promise;
      options.signal?.throwIfAborted();
      return await this.#begin(request, options);
    } finally {
      this.#worker.unref();
    }
  }

  #begin(request: WorkerRequest, { source, deed, signal }: RunOptions): Promise<WorkerAnswer> {
    const { promise, resolve, reject } = Promise.withResolvers<WorkerAnswer>();
    const { timeoutMs } = this.#limits;
    this.#current = {
      source,
      deed,
      resolve,
      reject,
      timer: this.#startTimer(timeoutMs, deed),
      leftMs: timeoutMs,
      startedAt: performance.now(),
      lookups: 0,
      lookupError: undefined,
      abort: new AbortController(),
    };
    this.#worker.postMessage(request);
    const stop = (): void => this.#giveUp(signal!.reason);
    signal?.addEventListener('abort', stop, { once: true });
    return promise.finally(() => signal?.removeEventListener('abort', stop));
  }

  #startTimer(ms: number, deed: string): NodeJS.Timeout {
    const words = `it takes longer than ${this.#limits.timeoutMs / 1000} s to ${deed}`;
    return setTimeout(() => this.#giveUp(new RenderError(words, { isFinal: true })), ms);
  }

  /** Ends the thread together with what it does: there is no other way to stop it. */
  #giveUp(reason: unknown): void {
    this.#isEnded = true;
    this.#settle()?.reject(reason);
    void this.end();
  }

  #fail(error: unknown): void {
    this.#isEnded = true;
    const isMemory = (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
    const deed = this.#current?.deed ?? 'render the chart';
    const words = isMemory ? `it takes too much memory to ${deed}` : `cannot ${deed}`;
    const failure = new RenderError(words, { isFinal: isMemory, cause: error });
    this.#ready.reject(failure);
    this.#settle()?.reject(failure);
  }

  #receive(message: WorkerMessage): void {
    if (message.type === 'ready') return this.#ready.resolve();
    if (message.type === 'question') return void this.#answer(message.question);
    const current = this.#settle();
    if (message.type === 'done') return current?.resolve(message.result);
    const { lookupError } = current ?? {};
    current?.reject(
      new RenderError(message.message, lookupError === undefined ? { isFinal: true } : { isFinal: false, cause: lookupError }),
    );
  }

  #settle(): Current | undefined {
    const current = this.#current;
    this.#current = undefined;
    clearTimeout(current?.timer);
    current?.abort.abort();
    return current;
  }

  async #answer(question: Question): Promise<void> {
    const current = this.#current;
    if (!current) return;
    clearTimeout(current.timer);
    current.leftMs -= performance.now() - current.startedAt;
    let answer: Answer;
    try {
      answer = { value: question.type === 'chart' ? current.source.chart : await this.#lookup(current, question) };
    } catch (error) {
      current.lookupError = error;
      answer = { error: errorText(error) };
    }
    if (this.#current !== current || this.#isEnded) return;
    current.startedAt = performance.now();
    current.timer = this.#startTimer(Math.max(current.leftMs, 0), current.deed);
    this.#answers.postMessage(answer);
    Atomics.store(new Int32Array(this.#isAnswered), 0, 1);
    Atomics.notify(new Int32Array(this.#isAnswered), 0);
  }

  async #lookup(current: Current, question: Extract<Question, { type: 'lookup' }>): Promise<unknown> {
    if (++current.lookups > maxLookups) throw new Error(`a chart may look up at most ${maxLookups} times`);
    const { apiVersion, kind, namespace, name } = question;
    const timeout = AbortSignal.timeout(this.#limits.lookupTimeoutMs);
    const signal = AbortSignal.any([current.abort.signal, timeout]);
    const { promise, reject } = Promise.withResolvers<never>();
    const stop = (): void => reject(new Error('timed out', { cause: signal.reason }));
    signal.addEventListener('abort', stop, { once: true });
    try {
      return await Promise.race([current.source.lookup!(apiVersion, kind, namespace, name, signal), promise]);
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }
}
