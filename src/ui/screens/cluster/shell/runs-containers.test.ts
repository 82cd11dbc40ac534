import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runsContainers } from './runs-containers.ts';

test('pods run on members that were seen, and in no sandbox', () => {
  const seen = { version: 'v1.36.0' };
  assert.equal(runsContainers({ spec: { connection: { mode: 'Tunnel' } }, status: seen }), true);
  assert.equal(runsContainers({ spec: { connection: { mode: 'Direct', server: 'https://x' } }, status: seen }), true);
  assert.equal(runsContainers({ spec: { connection: { mode: 'Tunnel' } } }), false);
  assert.equal(runsContainers({ spec: { connection: { mode: 'Sandbox' } }, status: seen }), false);
  assert.equal(runsContainers({ spec: { connection: { mode: 'Local' } }, status: seen }), false);
  assert.equal(runsContainers({ spec: { connection: { mode: 'Tunnel' } }, status: { ...seen, provider: 'sandbox' } }), false);
});
