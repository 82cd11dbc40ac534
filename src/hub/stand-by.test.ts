import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect, createServer, type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { test } from 'node:test';
import { standBy } from './stand-by.ts';

test('whoever comes is carried on to the one that leads, and to nobody while that is unknown', async () => {
  await using leader = createServer({ allowHalfOpen: true }, socket => {
    socket.on('data', heard => socket.write(`leader heard ${heard.toString()}`));
    socket.on('end', () => socket.end());
  });
  leader.listen(0, '127.0.0.1');
  await once(leader, 'listening');
  await using waiting = standBy();
  const { port } = await waiting.listen('127.0.0.1', 0);
  const say = async (words: string) => {
    const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    socket.end(words);
    return text(socket).catch(() => 'refused');
  };
  assert.notEqual(await say('one'), 'leader heard one');
  waiting.follow(`127.0.0.1:${(leader.address() as AddressInfo).port}`);
  assert.equal(await say('two'), 'leader heard two');
  waiting.follow('127.0.0.1:1');
  assert.notEqual(await say('three'), 'leader heard three');
});
