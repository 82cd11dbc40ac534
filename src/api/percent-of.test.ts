import assert from 'node:assert/strict';
import { test } from 'node:test';
import { percentOf } from './percent-of.ts';

for (const [part, whole, percent] of [
  ['500m', '2', 25],
  ['1Gi', '4096Mi', 25],
  ['0', '4', 0],
  [4, '4', 100],
  ['6', '4', 150],
  ['1', '3', 33],
  ['1', '0', undefined],
  [undefined, '4', undefined],
  ['much', '4', undefined],
] as const)
  test(`${part} of ${whole} is ${percent ?? 'not known'}`, () => assert.equal(percentOf(part, whole), percent));
