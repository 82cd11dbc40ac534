import type { KubeObject } from '../api/object.ts';
import { UnreachableError } from '../client/transport.ts';
import { jsonEqual } from '../util/json.ts';
import { soughtCause, tracedVersion, withSpan, type SpanContext } from '../util/trace.ts';
import { controllerStats, type ControllerStats } from './controller-stats.ts';
import type { Informer } from './informer.ts';
import { keyOf, type Key } from './key.ts';
import { log } from './log.ts';
import { workQueue } from './work-queue.ts';

/** What a reconcile asks for when it ends well: another look after some time, or none. */
export interface Outcome {
  readonly requeueAfterMs: number | undefined;
}

/** Nothing more to do until something that is watched changes. */
export const settled: Outcome = { requeueAfterMs: undefined };

/** Another look once some time has passed: for what only time can change. */
export const requeue = (afterMs: number): Outcome => ({ requeueAfterMs: afterMs });

/** A person must change something: no retry, and the object says `Stalled`. The reason is CamelCase, the message one line for people. */
export class StalledError extends Error {
  override name = 'StalledError';
  readonly reason: string;

  constructor(reason: string, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.reason = reason;
  }
}

export interface Context {
  readonly now: Date;
  /** Fires when the controller is to stop. Everything that waits takes it. */
  readonly signal: AbortSignal;
}

/** Brings one object to where it should be: read, decide, act, report. Throwing means: again, after a growing delay. */
export interface Controller {
  readonly name: string;
  reconcile(key: Key, ctx: Context): Promise<Outcome>;
}

/** Where a controller hears that keys of its own need a look. */
export interface Trigger {
  readonly synced: Promise<void>;
  /** Adds the keys of everything there is, then those of every change, with the version of the object that changed. */
  start(add: (key: Key, version?: string) => void): Disposable;
}

/**
 * Objects of an informer and the keys that each concerns: its own by default. A change concerns those of the old object as well. With `factsOf`, one that
 * leaves the facts as they were concerns nobody.
 */
export function changesOf<T extends KubeObject>(
  informer: Informer<T>,
  keysOf: (obj: T) => Iterable<Key> = (obj: T) => [keyOf(obj)],
  factsOf?: (obj: T) => unknown,
): Trigger {
  return {
    synced: informer.synced,
    start(add) {
      for (const obj of informer.list()) for (const key of keysOf(obj)) add(key);
      return informer.subscribe(({ type, object, old }) => {
        if (factsOf && old && type === 'MODIFIED' && jsonEqual(factsOf(old), factsOf(object))) return;
        const version = tracedVersion(object);
        if (old) for (const key of keysOf(old)) add(key, version);
        for (const key of keysOf(object)) add(key, version);
      });
    },
  };
}

/** What a reconcile reads though its changes concern no key. Before it is known, it would be taken for missing. */
export function knownFirst(...known: readonly { readonly synced: Promise<void> }[]): Trigger {
  return { synced: Promise.all(known.map(one => one.synced)).then(() => {}), start: () => ({ [Symbol.dispose]() {} }) };
}

export interface RunOptions {
  readonly triggers: readonly Trigger[];
  readonly signal: AbortSignal;
  /** How many keys may be worked on at once. Default 4. */
  readonly concurrency?: number;
  readonly firstDelayMs?: number;
  readonly maxDelayMs?: number;
  /** While traces are recorded: asks another process which step wrote a version, when none of this one did. Never throws. */
  causeElsewhere?(version: string): Promise<SpanContext | undefined>;
  now?(): Date;
}

export interface RunningController {
  readonly stats: ControllerStats;
  /** A look that no trigger asked for. */
  add(key: Key): void;
  /** Resolves when nothing waits, runs or is to be tried again. */
  idle(): Promise<void>;
}

const maxQuietFailures = 3;

/** Runs a controller from the moment its informers know everything until the signal fires. */
export function runController(controller: Controller, options: RunOptions): RunningController {
  const { triggers, signal, concurrency = 4, now = () => new Date() } = options;
  const { name } = controller;
  const queue = workQueue({
    reconcile: run,
    concurrency,
    signal,
    ...(options.firstDelayMs !== undefined && { firstDelayMs: options.firstDelayMs }),
    ...(options.maxDelayMs !== undefined && { maxDelayMs: options.maxDelayMs }),
    onError: complain,
  });
  const stats = controllerStats(name, queue);
  /** What asked last for a look, while traces are recorded. */
  const versions = new Map<Key, string>();
  const started = Promise.all(triggers.map(trigger => trigger.synced)).then(start, () => {});

  return {
    stats,
    add: key => queue.add(key),
    idle: async () => {
      await started;
      await queue.idle();
    },
  };

  function start(): void {
    if (signal.aborted) return;
    const subscriptions = triggers.map(trigger =>
      trigger.start((key, version) => {
        if (version !== undefined) versions.set(key, version);
        queue.add(key);
      }),
    );
    signal.addEventListener('abort', () => subscriptions.forEach(one => one[Symbol.dispose]()), { once: true });
  }

  /** A look is part of the trace of what asked for it. One that nobody's request led to belongs to none. */
  async function run(key: Key, signal: AbortSignal): Promise<{ requeueAfterMs: number } | void> {
    const version = versions.get(key);
    versions.delete(key);
    const parent = version === undefined ? undefined : ((await soughtCause(version)) ?? (await options.causeElsewhere?.(version)));
    return parent
      ? withSpan(`reconcile ${name}`, { parent, attributes: { controller: name, key } }, () => look(key, signal))
      : look(key, signal);
  }

  async function look(key: Key, signal: AbortSignal): Promise<{ requeueAfterMs: number } | void> {
    const startedAtMs = performance.now();
    const ctx = { now: now(), signal };
    try {
      const { requeueAfterMs } = await controller.reconcile(key, ctx);
      stats.observe(requeueAfterMs === undefined ? 'settled' : 'requeued', performance.now() - startedAtMs);
      return requeueAfterMs === undefined ? undefined : { requeueAfterMs };
    } catch (error) {
      if (!(error instanceof StalledError)) {
        if (!signal.aborted) stats.observe('failed', performance.now() - startedAtMs);
        throw error;
      }
      stats.observe('stalled', performance.now() - startedAtMs);
      return undefined;
    }
  }

  /** Conflicts and a server that is away for a moment heal by themselves and are said only when they do not. */
  function complain(key: Key, error: unknown, failures: number): void {
    const mayPass = isConflict(error) || error instanceof UnreachableError;
    if (mayPass && failures <= maxQuietFailures) log.debug('reconcile failed', { controller: name, name: key, err: error });
    else log.warn('reconcile failed', { controller: name, name: key, err: error });
  }
}

function isConflict(error: unknown): boolean {
  return (error as { code?: unknown }).code === 409;
}
