import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { connect, createServer, type AddressInfo } from 'node:net';
import { Duplex } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import type { Transport } from '../client/transport.ts';
import { carryUpgrade } from './carry-upgrade.ts';

const size = 8 * 1024 * 1024;

/** A member that says much, ends, and is gone at once. */
function hurriedMember(): Transport {
  let left = size;
  const socket = new Duplex({
    read() {
      const chunk = Buffer.alloc(Math.min(left, 65_536));
      left -= chunk.length;
      this.push(chunk.length > 0 ? chunk : null);
    },
    write: (_chunk, _encoding, done) => done(),
  });
  socket.once('end', () => socket.destroy());
  return {
    request: () => Promise.reject(new Error('not expected')),
    upgrade: async () => ({ status: 101, headers: { upgrade: 'SPDY/3.1' }, socket }),
    async [Symbol.asyncDispose]() {},
  };
}

test('a slow reader gets everything that the member said before it left', async t => {
  const transport = hurriedMember();
  const server = createServer(socket => {
    const req = { headers: { upgrade: 'SPDY/3.1' } } as IncomingMessage;
    const request = { method: 'POST', path: '/exec' };
    void carryUpgrade({ transport, request, clusterPath: '', isStream: true }, req, { socket, head: Buffer.alloc(0) });
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1');
  t.after(() => client.destroy());
  let got = 0;
  for await (const chunk of client) {
    got += (chunk as Buffer).length;
    await sleep(1);
  }
  assert.ok(got > size, `${got} bytes of more than ${size} came`);
});
