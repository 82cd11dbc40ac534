import assert from 'node:assert/strict';
import { test } from 'node:test';
import { newObject } from '../../api/define-kind.ts';
import { Work } from '../../api/work.ts';
import { areInputsOf, inputsOf } from './inputs.ts';

const work = (options: Work['spec']['options']) =>
  newObject(Work, { namespace: 'c', name: 'w' }, { release: { name: 'r', namespace: 'n' }, manifests: [], ...(options && { options }) });

test('a chart that is to be delivered again has other inputs', () => {
  const chart = (again?: string) =>
    newObject(
      Work,
      { namespace: 'c', name: 'w' },
      { release: { name: 'r', namespace: 'n' }, chart: { content: 'sha256:1' }, ...(again !== undefined && { options: { again } }) },
    );
  assert.notEqual(inputsOf(chart('one')), inputsOf(chart('two')));
  assert.ok(areInputsOf(chart('one'), inputsOf(chart())));
});

test('a Work that is to be delivered again has other inputs, except for agents that do not know of it', () => {
  const plain = inputsOf(work(undefined));
  assert.equal(inputsOf(work({ timeout: '1m' })), plain);
  const again = work({ again: 'one' });
  assert.notEqual(inputsOf(again), plain);
  assert.notEqual(inputsOf(again), inputsOf(work({ again: 'two' })));
  assert.ok(areInputsOf(again, inputsOf(again)));
  assert.ok(areInputsOf(again, plain));
  assert.ok(!areInputsOf(again, inputsOf(work({ again: 'two' }))));
  assert.ok(!areInputsOf(work(undefined), inputsOf(again)));
});
