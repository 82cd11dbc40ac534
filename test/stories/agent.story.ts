import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { startHub } from '../helpers/hub.ts';
import { addTunnelCluster, authorityChecksum, readCondition, startAgentProgram } from '../helpers/imported-member.ts';
import { repositoryRoot } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';
import { tempDir } from '../helpers/temp-dir.ts';

function agent(...args: string[]) {
  const node = path.join(repositoryRoot, 'node_modules/.bin/node');
  return runCommand(node, [path.join(repositoryRoot, 'bin/drover.js'), 'agent', ...args], { timeoutMs: 120_000 });
}

test('an agent that cannot work says why and leaves nothing behind', { timeout: 300_000 }, async () => {
  using scratch = tempDir('agent-story');
  await using hub = await startHub();
  await using member = await startHub();
  await using stranger = await startHub();
  const state = path.join(scratch.dir, 'state');
  const checksum = authorityChecksum(hub);
  const usual = ['--server', hub.server, '--ca-checksum', checksum, '--kubeconfig', member.kubeconfig, '--state', state];
  const { token } = await addTunnelCluster(hub, 'east');
  const nobody = path.join(scratch.dir, 'nobody.yaml');
  writeFileSync(
    nobody,
    JSON.stringify({
      'current-context': 'a',
      contexts: [{ name: 'a', context: { cluster: 'a', user: '' } }],
      clusters: [{ name: 'a', cluster: { server: 'https://127.0.0.1:9' } }],
    }),
  );

  const cases: [string, string[], RegExp][] = [
    ['no server', ['--kubeconfig', member.kubeconfig], /give it with --server/],
    ['a server without TLS', ['--server', 'http://hub', '--kubeconfig', member.kubeconfig], /must begin with "https:\/\/"/],
    ['no token', usual, /has not registered yet and has no token/],
    ['a wrong token', [...usual, '--token', 'b'.repeat(54)], /token is not known to this hub/],
    ['another hub than expected', [...usual, '--token', token, '--server', stranger.server], new RegExp(`but ${checksum} was expected`)],
    [
      'no checksum',
      ['--server', hub.server, '--kubeconfig', member.kubeconfig, '--token', token, '--state', state],
      /signed by an unknown authority/,
    ],
    ['a cluster that does not answer', [...usual, '--token', token, '--kubeconfig', nobody], /cannot ask the API server of the cluster/],
    ['a kubeconfig that is not there', [...usual, '--kubeconfig', '/no/such/file'], /no\/such\/file/],
  ];
  // Most of them wait for somebody who does not come.
  await Promise.all(
    cases.map(async ([what, args, words]) => {
      const { code, stderr } = await agent(...args);
      assert.equal(code, 1, `${what}: ${stderr}`);
      assert.match(stderr, words, what);
      assert.ok(!existsSync(state), `${what} left an identity behind`);
    }),
  );

  // The token is still good for the member it was made for, and for no other from then on.
  await using good = startAgentProgram({ server: hub.server, checksum, kubeconfig: member.kubeconfig, token, dir: scratch.dir });
  await eventually(
    () => readCondition(hub, 'east', 'Ready'),
    text => text.startsWith('True'),
    { timeoutMs: 60_000, what: `Ready; ${good.logTail()}` },
  );
  const thief = await agent(...usual, '--token', token, '--kubeconfig', stranger.kubeconfig, '--state', path.join(scratch.dir, 'thief'));
  assert.equal(thief.code, 1);
  assert.match(thief.stderr, /token was used by another cluster already/);
  assert.ok(!existsSync(path.join(scratch.dir, 'thief')));
});
