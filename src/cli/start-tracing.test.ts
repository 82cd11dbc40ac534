import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startTracing } from './start-tracing.ts';
import type { Terminal } from './terminal.ts';

test('an endpoint that is no address, or holds a password, is refused without telling the password', async () => {
  for (const endpoint of ['localhost', 'localhost:4318', '10.0.0.1:4317', 'grpc://c:4317', 'http://user:geheim@c:4318']) {
    const terminal = { env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } } as unknown as Terminal;
    await assert.rejects(startTracing(terminal, 'hub'), (error: Error) => {
      assert.match(error.message, /is not the address of a collector/);
      assert.doesNotMatch(error.message, /geheim/);
      return true;
    });
  }
});
