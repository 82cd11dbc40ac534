import assert from 'node:assert/strict';
import { test } from 'node:test';
import { durationMs, isDuration } from './duration.ts';

test('lengths of time are added up', () => {
  const lengths = { '90s': 90_000, '1h30m': 5_400_000, '1.5s250ms': 1_750, '1d': 86_400_000, '1w2d': 777_600_000, '': 0, soon: 0 };
  for (const [text, ms] of Object.entries(lengths)) assert.equal(durationMs(text), ms, text);
});

test('what fields of the API take is told from what they do not', () => {
  for (const text of ['10m', '1h30m', '0.5s', '250ms']) assert.ok(isDuration(text), text);
  for (const text of [undefined, '', '10', '1d', '-1s', '.5s', '1s ', 'soon']) assert.ok(!isDuration(text), String(text));
});

test('nothing is longer than a time that can be written down', () => {
  for (const text of ['99999999999h', `${'9'.repeat(400)}w`]) new Date(Date.now() + durationMs(text)).toISOString();
});
