import { decodeEscapes } from '../util/decode-escapes.ts';
import type { Span, SpanKind } from '../util/trace.ts';
import { log } from './log.ts';

export interface OtlpOptions {
  /** Where spans are sent to: the whole address. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly service: string;
  readonly version: string;
}

export interface OtlpExporter extends AsyncDisposable {
  export(span: Span): void;
}

const maxBatch = 512;
/** What a collector that is away does not take is lost: traces are no record of what happened, logs and audit are. */
const maxWaiting = 4096;
const flushEveryMs = 2000;
const sendTimeoutMs = 10_000;
/** A program that ends waits no longer for its collector. */
const farewellMs = 5_000;

/** What the variables of OpenTelemetry ask for. Undefined when they ask for nothing. */
export function otlpOptions(
  env: Readonly<Record<string, string | undefined>>,
  { service, version }: Pick<OtlpOptions, 'service' | 'version'>,
): OtlpOptions | undefined {
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const url = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'] ?? (base && `${base.replace(/\/+$/, '')}/v1/traces`);
  if (!url || env['OTEL_SDK_DISABLED'] === 'true' || env['OTEL_TRACES_EXPORTER'] === 'none') return undefined;
  const pairs = (env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS'] ?? '')
    .split(',')
    .filter(one => one.includes('='));
  const headers = Object.fromEntries(
    pairs.map(pair => [pair.slice(0, pair.indexOf('=')).trim(), decodeEscapes(pair.slice(pair.indexOf('=') + 1).trim())]),
  );
  return { url, headers, service: env['OTEL_SERVICE_NAME'] ?? service, version };
}

/** Sends spans to a collector by OTLP over HTTP in JSON, many at a time. Never throws and never waits. */
export function otlpExporter(options: OtlpOptions): OtlpExporter {
  let waiting: Span[] = [];
  let sending: Promise<void> | undefined;
  let hasComplained = false;
  const given = new AbortController();
  const timer = setInterval(flush, flushEveryMs).unref();

  function flush(): void {
    if (sending || waiting.length === 0) return;
    const batch = waiting.splice(0, maxBatch);
    sending = send(batch).finally(() => {
      sending = undefined;
      if (waiting.length >= maxBatch) flush();
    });
  }

  async function send(spans: readonly Span[]): Promise<void> {
    try {
      const body = JSON.stringify(otlpBody(spans, options));
      const headers = { 'content-type': 'application/json', ...options.headers };
      const res = await fetch(options.url, {
        method: 'POST',
        headers,
        body,
        signal: AbortSignal.any([given.signal, AbortSignal.timeout(sendTimeoutMs)]),
      });
      await res.arrayBuffer();
      if (!res.ok) throw new Error(`the collector answers ${res.status}`);
      hasComplained = false;
    } catch (err) {
      if (!hasComplained) log.warn('traces were not sent', { peer: new URL(options.url).host, err });
      hasComplained = true;
    }
  }

  return {
    export(span) {
      if (waiting.length < maxWaiting) waiting.push(span);
      if (waiting.length >= maxBatch) flush();
    },
    async [Symbol.asyncDispose]() {
      clearInterval(timer);
      const late = setTimeout(() => given.abort(new Error('the program ends')), farewellMs);
      await sending;
      while (waiting.length > 0 && !given.signal.aborted) {
        flush();
        await sending;
      }
      clearTimeout(late);
      waiting = [];
    },
  };
}

const kinds: Readonly<Record<SpanKind, number>> = { internal: 1, server: 2, client: 3 };
const errorCode = 2;

/** An ExportTraceServiceRequest in the JSON of OTLP: ids in hexadecimal, times in nanoseconds as text. */
export function otlpBody(spans: readonly Span[], { service, version }: Pick<OtlpOptions, 'service' | 'version'>): object {
  return {
    resourceSpans: [
      {
        resource: { attributes: attributesOf({ 'service.name': service, 'service.version': version }) },
        scopeSpans: [{ scope: { name: 'drover', version }, spans: spans.map(spanBody) }],
      },
    ],
  };
}

function spanBody({ traceId, spanId, parentSpanId, name, kind, startedAtMs, endedAtMs, attributes, error }: Span): object {
  return {
    traceId,
    spanId,
    ...(parentSpanId !== undefined && { parentSpanId }),
    name,
    kind: kinds[kind],
    startTimeUnixNano: nanoseconds(startedAtMs),
    endTimeUnixNano: nanoseconds(endedAtMs),
    attributes: attributesOf(attributes),
    ...(error !== undefined && { status: { code: errorCode, message: error } }),
  };
}

const nanoseconds = (ms: number): string => `${Math.trunc(ms)}000000`;

const attributesOf = (attributes: Span['attributes']): object[] =>
  Object.entries(attributes).map(([key, value]) => ({
    key,
    value:
      typeof value === 'string'
        ? { stringValue: value }
        : typeof value === 'boolean'
          ? { boolValue: value }
          : { intValue: String(Math.trunc(value)) },
  }));
