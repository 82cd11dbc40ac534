import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { jane, startProxyRig } from '../../test/helpers/proxy-rig.ts';
import { impersonationHeaders } from './member-identity.ts';

const dangerous = [
  'Impersonate-User',
  'Impersonate-Group',
  'Impersonate-Uid',
  'Impersonate-Extra-Scopes',
  'Impersonate_User',
  'X-Remote-User',
  'X-Remote-Group',
  'X-Remote-Uid',
  'X-Remote-Extra-Scopes',
  'X-Forwarded-For',
  'X-Forwarded-User',
  'X-Forwarded-Host',
  'Forwarded',
  'Cookie',
  'Authorization',
  'Proxy-Authorization',
  'X-API-Tunnel-Token',
  'X-Drover-Agent-Certificate',
];
const harmless = ['Accept', 'X-Custom', 'User-Agent', 'Kubectl-Command'];

const anyCase = (name: string) =>
  fc
    .array(fc.boolean(), { minLength: name.length, maxLength: name.length })
    .map(flips => [...name].map((c, i) => (flips[i] ? c.toUpperCase() : c.toLowerCase())).join(''));
const name = fc.constantFrom(...dangerous, ...harmless).chain(anyCase);
const value = fc.constantFrom('root', 'system:masters', 'Bearer stolen', '', ' padded ', 'a, b', 'one\r\n folded', 'caf\u00e9');
const connectionNames = fc.array(
  fc.constantFrom(...dangerous, 'close', 'keep-alive', 'Host', 'Content-Length', 'X-Custom').chain(anyCase),
  { maxLength: 4 },
);
const identityPattern = /^(impersonate|x[-_]remote|x[-_]forwarded|forwarded|cookie|authorization|proxy|x[-_]api|x[-_]drover)/;

test('of whatever identity a client claims, none reaches a member', { timeout: 120_000 }, async t => {
  const rig = await startProxyRig(t);
  const expected = { ...impersonationHeaders(jane), authorization: 'Bearer hub' };
  let carried = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fc.tuple(name, value), { maxLength: 8 }), connectionNames, async (headers, named) => {
      rig.seen.length = 0;
      const lines = headers.map(([key, text]) => `${key}: ${text}`);
      const connection = [...named, 'close'].map(one => `Connection: ${one}`);
      const answer = await rig.send(['GET /k8s/clusters/east/api HTTP/1.1', 'Host: hub', ...lines, ...connection, '', ''].join('\r\n'));
      const status = Number(answer.slice(9, 12));
      if (status !== 200) {
        assert.deepEqual([status, rig.seen.length], [400, 0], answer);
        return;
      }
      carried++;
      const identity = Object.entries(rig.seen[0]!.headers).filter(([key]) => identityPattern.test(key));
      assert.deepEqual(Object.fromEntries(identity), Object.fromEntries(Object.entries(expected).map(([key, one]) => [key, [one].flat()])));
    }),
    { numRuns: 400 },
  );
  assert.ok(carried > 100, `${carried} requests went through`);
});

test('more headers than Node keeps by itself hide nothing', async t => {
  const rig = await startProxyRig(t);
  const filler = Array.from({ length: 3000 }, (_, i) => `X-Filler-${i}: 1`);
  await rig.send(
    ['GET /k8s/clusters/east/api HTTP/1.1', 'Host: hub', ...filler, 'Impersonate-User: root', 'Connection: close', '', ''].join('\r\n'),
  );
  assert.deepEqual(rig.seen[0]?.headers['impersonate-user'], ['jane']);
});

test('a WebSocket that carries a token as sub-protocol loses it on the way', async t => {
  const rig = await startProxyRig(t, {
    upgrade: (_req, socket) => socket.end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'),
  });
  const head = ['GET /k8s/clusters/east/exec HTTP/1.1', 'Host: hub', 'Connection: Upgrade', 'Upgrade: websocket'];
  await rig.send(
    [...head, 'Sec-WebSocket-Protocol: v5.channel.k8s.io, base64url.bearer.authorization.k8s.io.c2VjcmV0', '', ''].join('\r\n'),
  );
  assert.deepEqual(rig.seen[0]?.headers['sec-websocket-protocol'], ['v5.channel.k8s.io']);
});
