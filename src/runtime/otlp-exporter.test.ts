import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { otlpExporter, otlpOptions } from './otlp-exporter.ts';

const drover = { service: 'drover', version: '1' };

const span = {
  traceId: '4bf92f3577b34da6a3ce929d0e0e4736',
  spanId: '00f067aa0ba902b7',
  parentSpanId: undefined,
  name: 'reconcile works',
  kind: 'internal',
  startedAtMs: 1_700_000_000_000,
  endedAtMs: 1_700_000_000_250,
  attributes: { controller: 'works', tries: 2 },
  error: 'broken',
} as const;

test('the variables of OpenTelemetry say where to', () => {
  assert.equal(otlpOptions({}, drover), undefined);
  assert.equal(otlpOptions({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_SDK_DISABLED: 'true' }, drover), undefined);
  assert.deepEqual(otlpOptions({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/', OTEL_EXPORTER_OTLP_HEADERS: 'a=b%20c, d=e' }, drover), {
    url: 'http://c:4318/v1/traces',
    headers: { a: 'b c', d: 'e' },
    service: 'drover',
    version: '1',
  });
  assert.equal(otlpOptions({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://c/x', OTEL_SERVICE_NAME: 'hub' }, drover)?.url, 'http://c/x');
});

test('a header whose escapes are broken is sent as it is written', () => {
  const broken = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318', OTEL_EXPORTER_OTLP_HEADERS: 'a=100%' };
  assert.deepEqual(otlpOptions(broken, drover)?.headers, { a: '100%' });
});

test('spans come to the collector as OTLP wants them, the last ones at the end', async () => {
  const bodies: string[] = [];
  const collector = createServer((req, res) => {
    let text = '';
    req.on('data', part => (text += String(part)));
    req.on('end', () => {
      bodies.push(`${req.headers['content-type']} ${text}`);
      res.end('{}');
    });
  });
  await new Promise<void>(done => collector.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(collector.address() as AddressInfo).port}/v1/traces`;
  {
    await using exporter = otlpExporter({ url, headers: {}, service: 'hub', version: '1' });
    exporter.export(span);
  }
  collector.close();
  assert.equal(bodies.length, 1);
  const [type, ...rest] = bodies[0]!.split(' ');
  assert.equal(type, 'application/json');
  assert.deepEqual(JSON.parse(rest.join(' ')), {
    resourceSpans: [
      {
        resource: {
          attributes: [
            { key: 'service.name', value: { stringValue: 'hub' } },
            { key: 'service.version', value: { stringValue: '1' } },
          ],
        },
        scopeSpans: [
          {
            scope: { name: 'drover', version: '1' },
            spans: [
              {
                traceId: span.traceId,
                spanId: span.spanId,
                name: 'reconcile works',
                kind: 1,
                startTimeUnixNano: '1700000000000000000',
                endTimeUnixNano: '1700000000250000000',
                attributes: [
                  { key: 'controller', value: { stringValue: 'works' } },
                  { key: 'tries', value: { intValue: '2' } },
                ],
                status: { code: 2, message: 'broken' },
              },
            ],
          },
        ],
      },
    ],
  });
});

test('a collector that is away holds up nobody', async () => {
  await using exporter = otlpExporter({ url: 'http://127.0.0.1:1/v1/traces', headers: {}, service: 'hub', version: '1' });
  for (let i = 0; i < 10_000; i++) exporter.export(span);
});
