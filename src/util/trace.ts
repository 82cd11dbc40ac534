import { AsyncLocalStorage } from 'node:async_hooks';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';

/** Which step of which trace: what W3C calls the trace context. */
export interface SpanContext {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 of them. */
  readonly spanId: string;
}

export type SpanKind = 'internal' | 'server' | 'client';
export type SpanAttributes = Readonly<Record<string, string | number | boolean>>;

/** One step, when it has ended. */
export interface Span extends SpanContext {
  readonly parentSpanId: string | undefined;
  readonly name: string;
  readonly kind: SpanKind;
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly attributes: SpanAttributes;
  /** Why it failed. */
  readonly error: string | undefined;
}

const current = new AsyncLocalStorage<SpanContext>();
const maxCauses = 10_000;
const causes = new Map<string, SpanContext>();
let sink: ((span: Span) => void) | undefined;

/** From now on every step is handed over when it ends. Without this nothing is recorded and nothing costs anything. */
export function recordSpans(to: ((span: Span) => void) | undefined): void {
  sink = to;
  causes.clear();
}

export const isTracing = (): boolean => sink !== undefined;

export interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: SpanAttributes;
  /** The step that this one is part of. That under way when absent; without any a new trace begins. */
  readonly parent?: SpanContext | undefined;
}

/** Runs work as one step of a trace. */
export async function withSpan<T>(name: string, options: SpanOptions, work: () => Promise<T>): Promise<T> {
  if (!sink) return work();
  const span = beginSpan(name, options);
  try {
    const result = await current.run(span.context, work);
    span.end();
    return result;
  } catch (error) {
    span.end({}, error instanceof Error ? error.message : String(error));
    throw error;
  }
}

/** The same when there is a step under way that it is part of. Alone it would tell nothing. */
export function withinSpan<T>(name: string, attributes: SpanAttributes, work: () => Promise<T>): Promise<T> {
  return sink && current.getStore() ? withSpan(name, { attributes }, work) : work();
}

export interface OpenSpan {
  readonly context: SpanContext;
  /** Runs work as part of it. */
  run<T>(work: () => T): T;
  end(attributes?: SpanAttributes, error?: string): void;
}

/** For work whose end is an event and not a return. */
export function beginSpan(name: string, { kind = 'internal', attributes = {}, parent = current.getStore() }: SpanOptions): OpenSpan {
  const context = { traceId: parent?.traceId ?? randomBytes(16).toString('hex'), spanId: randomBytes(8).toString('hex') };
  const startedAtMs = Date.now();
  let hasEnded = false;
  return {
    context,
    run: work => current.run(context, work),
    end(more = {}, error) {
      if (hasEnded) return;
      hasEnded = true;
      sink?.({
        ...context,
        parentSpanId: parent?.spanId,
        name,
        kind,
        startedAtMs,
        endedAtMs: Date.now(),
        attributes: { ...attributes, ...more },
        error,
      });
    },
  };
}

/** The header that carries the step under way to another program. */
export function traceparent(): string | undefined {
  const context = sink && current.getStore();
  return context && printTraceparent(context);
}

export const printTraceparent = ({ traceId, spanId }: SpanContext): string => `00-${traceId}-${spanId}-01`;

/** What such a header says. Undefined when it says nothing, or that nobody records the trace. */
export function parseTraceparent(text: string | undefined): SpanContext | undefined {
  const match = /^[0-9a-f]{2}-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})/.exec(text ?? '');
  if (!match || text!.startsWith('ff') || /^0+$/.test(match[1]!) || /^0+$/.test(match[2]!)) return undefined;
  return (Number.parseInt(match[3]!, 16) & 1) === 1 ? { traceId: match[1]!, spanId: match[2]! } : undefined;
}

interface Written {
  readonly metadata?: { readonly uid?: string | undefined; readonly resourceVersion?: string | undefined };
}

/** The name of one version of one object, in whichever cluster. */
export const versionName = ({ metadata }: Written): string => `${metadata?.uid}/${metadata?.resourceVersion}`;

/** The same while traces are recorded; nobody else needs it. */
export const tracedVersion = (written: Written): string | undefined => (sink ? versionName(written) : undefined);

/** Remembers which step wrote a version of an object: whoever acts upon it is part of the same trace. */
export function noteWrite(written: Written): void {
  const context = sink && current.getStore();
  if (!context) return;
  causes.set(versionName(written), context);
  if (causes.size > maxCauses) causes.delete(causes.keys().next().value!);
}

const writes = new Set<Promise<unknown>>();
const maxWriteWaitMs = 1_000;

/** Runs a write whose version is known only when it ends: others may see what was written before we hear that it was. */
export function whileWriting<T>(write: () => Promise<T>): Promise<T> {
  if (!sink || !current.getStore()) return write();
  const writing = write();
  const ended: Promise<unknown> = writing.then(
    () => writes.delete(ended),
    () => writes.delete(ended),
  );
  writes.add(ended);
  return writing;
}

/** The step that wrote a version, also when that write is still under way. */
export async function soughtCause(version: string | undefined): Promise<SpanContext | undefined> {
  const known = causeOf(version);
  if (known || version === undefined || writes.size === 0) return known;
  await Promise.race([Promise.all(writes), sleep(maxWriteWaitMs, undefined, { ref: false })]);
  return causeOf(version);
}

export const causeOf = (version: string | undefined): SpanContext | undefined => (version === undefined ? undefined : causes.get(version));
