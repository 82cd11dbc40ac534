import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly SentAttribute[];
  /** Whose step it is. */
  readonly service: string | undefined;
}

interface SentAttribute {
  readonly key: string;
  readonly value: { readonly stringValue?: string };
}

interface SentSpans {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly SentAttribute[] };
    readonly scopeSpans: readonly { readonly spans: readonly Omit<SentSpan, 'service'>[] }[];
  }[];
}

export interface TraceCollector extends AsyncDisposable {
  readonly endpoint: string;
  readonly spans: readonly SentSpan[];
}

/** Takes spans as OTLP over HTTP sends them. */
export async function startTraceCollector(): Promise<TraceCollector> {
  const spans: SentSpan[] = [];
  const server = createServer((req, res) => {
    const parts: Buffer[] = [];
    req.on('data', (part: Buffer) => parts.push(part));
    req.on('end', () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString()) as SentSpans;
      for (const { resource, scopeSpans } of resourceSpans) {
        const service = attribute(resource, 'service.name');
        for (const scope of scopeSpans) spans.push(...scope.spans.map(span => ({ ...span, service })));
      }
      res.end('{}');
    });
  });
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    spans,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(done => server.close(done));
    },
  };
}

export const attribute = ({ attributes }: Pick<SentSpan, 'attributes'>, name: string): string | undefined =>
  attributes.find(({ key }) => key === name)?.value.stringValue;

/** The names of a step and of all above it. */
export function wayUp(span: SentSpan, all: readonly SentSpan[]): string[] {
  const above = all.find(one => one.spanId === span.parentSpanId);
  return [span.name, ...(above ? wayUp(above, all) : [])];
}
