import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isDateTime } from './named-formats.ts';

test('times are told from texts that only look like them, however often they are asked about', () => {
  for (let i = 0; i < 2_000; i++) {
    const second = String(i % 60).padStart(2, '0');
    const minute = String(Math.floor(i / 60)).padStart(2, '0');
    assert.ok(isDateTime(`2026-02-28T10:${minute}:${second}Z`));
    assert.ok(!isDateTime(`2026-02-30T10:${minute}:${second}Z`));
  }
  assert.ok(isDateTime('2026-02-28T10:00:00Z') && isDateTime('2026-02-28T10:00:00.123456789+01:00'));
  assert.ok(!isDateTime('2026-02-28T10:00:60Z') && !isDateTime('2026-02-28') && !isDateTime(''));
});
