import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RequestCounts } from './request-counts.ts';

const get = { verb: 'GET', group: 'apps', version: 'v1', resource: 'deployments', subresource: '' };

test('requests are counted by code and durations by bucket', () => {
  const counts = new RequestCounts();
  counts.observe(get, 200, 2);
  counts.observe(get, 200, 70_000);
  counts.observe(get, 404, 2);
  const text = counts.print();
  const labels = 'verb="GET",group="apps",version="v1",resource="deployments",subresource=""';
  for (const line of [
    `apiserver_request_total{${labels},code="200"} 2`,
    `apiserver_request_total{${labels},code="404"} 1`,
    `apiserver_request_duration_seconds_bucket{${labels},le="0.001"} 0`,
    `apiserver_request_duration_seconds_bucket{${labels},le="0.0025"} 2`,
    `apiserver_request_duration_seconds_bucket{${labels},le="60"} 2`,
    `apiserver_request_duration_seconds_bucket{${labels},le="+Inf"} 3`,
    `apiserver_request_duration_seconds_count{${labels}} 3`,
  ])
    assert.ok(text.split('\n').includes(line), line);
});

test('streams are counted without a duration', () => {
  const counts = new RequestCounts();
  counts.observe({ ...get, verb: 'WATCH' }, 200, undefined);
  assert.match(counts.print(), /apiserver_request_total\{verb="WATCH"/);
  assert.doesNotMatch(counts.print(), /_bucket\{verb="WATCH"/);
});
