import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anonymous } from '../../auth/user.ts';
import { InFlight } from './in-flight.ts';
import { parseRequestInfo } from './request-info.ts';
import { parseTarget } from './request-target.ts';

const info = (method: string, target: string) => parseRequestInfo(method, parseTarget(target)!);
const read = info('GET', '/api/v1/pods');
const write = info('POST', '/api/v1/namespaces/a/pods');

test('reads and writes have limits of their own', () => {
  const inFlight = new InFlight({ reads: 2, writes: 1 });
  const first = inFlight.enter(read, anonymous);
  assert.ok(first && inFlight.enter(read, anonymous));
  assert.equal(inFlight.enter(read, anonymous), undefined);
  assert.ok(inFlight.enter(write, anonymous));
  assert.equal(inFlight.enter(write, anonymous), undefined);
  first();
  first();
  assert.ok(inFlight.enter(read, anonymous));
  assert.equal(inFlight.enter(read, anonymous), undefined);
});

test('streams, probes and administrators are never turned away', () => {
  const full = new InFlight({ reads: 0, writes: 0 });
  for (const target of ['/api/v1/pods?watch=true', '/api/v1/namespaces/a/pods/b/log', '/readyz', '/livez/ping']) {
    assert.ok(full.enter(info('GET', target), anonymous), target);
  }
  assert.equal(full.enter(read, anonymous), undefined);
  assert.ok(full.enter(read, { name: 'admin', groups: ['system:masters'] }));
});
