import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { rightsOf } from './rights.ts';

/** Somebody who listens, a server whose answers are written down, and a clock that is moved by hand. */
function world(...answers: (boolean | Error)[]) {
  mock.timers.enable({ apis: ['setTimeout', 'Date'] });
  let asked = 0;
  const rights = rightsOf<string>({
    keyOf: question => question,
    believedMs: 60_000,
    retryMs: 2000,
    async ask() {
      const answer = answers[Math.min(asked++, answers.length - 1)]!;
      if (answer instanceof Error) throw answer;
      return answer;
    },
  });
  const seen: (boolean | undefined)[] = [];
  const stop = rights.watch('delete', () => seen.push(rights.get('delete')));
  return {
    rights,
    seen,
    asked: () => asked,
    async pass(ms: number) {
      mock.timers.tick(ms);
      await settle();
    },
    [Symbol.dispose]() {
      stop();
      mock.timers.reset();
    },
  };
}

async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

const silence = new Error('503');

test('a question that was not answered is asked again soon, and is no refusal', async () => {
  using one = world(silence, silence, true);
  await settle();
  assert.equal(one.rights.get('delete'), undefined);
  await one.pass(2000);
  assert.equal(one.rights.get('delete'), undefined);
  await one.pass(2000);
  assert.deepEqual(one.seen, [true]);
  assert.equal(one.asked(), 3);
});

test('who may, still may while the hub does not answer', async () => {
  using one = world(true, silence, silence, false);
  await settle();
  await one.pass(60_000);
  assert.equal(one.asked(), 2);
  assert.equal(one.rights.get('delete'), true);
  assert.equal(await one.rights.ask('delete'), true);
  await one.pass(2000);
  assert.equal(one.rights.get('delete'), false, 'a refusal is heard, too');
  assert.deepEqual(one.seen, [true, false]);
});

test('rights that come later show by themselves, within a minute', async () => {
  using one = world(false, true);
  await settle();
  assert.equal(one.rights.get('delete'), false);
  await one.pass(59_000);
  assert.equal(one.asked(), 1);
  await one.pass(1000);
  assert.deepEqual(one.seen, [false, true]);
});

test('many who want to know are one question', async () => {
  using one = world(true);
  const answers = await Promise.all([one.rights.ask('delete'), one.rights.ask('delete')]);
  assert.deepEqual([answers, one.asked()], [[true, true], 1]);
});

test('an answer to somebody who has left tells nothing to who comes next', async () => {
  using one = world(true, false);
  one.rights.forget();
  await settle();
  assert.equal(one.rights.get('delete'), undefined);
  assert.equal(await one.rights.ask('delete'), false);
});
