import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { startFaultyLink } from '../helpers/faulty-link.ts';
import { startHub } from '../helpers/hub.ts';
import { addTunnelCluster, authorityChecksum, readCondition, startAgentProgram } from '../helpers/imported-member.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const throughTunnel = '/k8s/clusters/east/api/v1/namespaces/kube-system';
const patient = { timeoutMs: 60_000 };

test(
  'an agent outlives restarts of the hub and cuts of the network, and stops when its cluster is removed',
  { timeout: 240_000 },
  async () => {
    using scratch = tempDir('hub-restart');
    // The API of another hub is as good as any other for a member.
    await using member = await startHub();
    const dataDir = `${scratch.dir}/data`;
    let hub = await startHub({ dataDir });
    const port = Number(new URL(hub.server).port);
    await using link = await startFaultyLink(port);
    const { token } = await addTunnelCluster(hub, 'east');
    await using agent = startAgentProgram({
      server: `https://127.0.0.1:${link.port}`,
      checksum: authorityChecksum(hub),
      kubeconfig: member.kubeconfig,
      token,
      dir: scratch.dir,
    });
    const answers = async () => (await hub.request('GET', throughTunnel)).code;
    try {
      await eventually(answers, code => code === 200, { ...patient, what: 'answer through the tunnel' });
      await eventually(
        () => readCondition(hub, 'east', 'Ready'),
        text => text.startsWith('True'),
        { ...patient, what: 'Ready' },
      );

      hub.program.kill('SIGKILL');
      await hub[Symbol.asyncDispose]();
      hub = await startHub({ dataDir, port });
      await eventually(answers, code => code === 200, { ...patient, what: 'answer after the hub was killed' });

      link.cut();
      const lost = await eventually(
        () => readCondition(hub, 'east', 'Connected'),
        text => text.startsWith('False'),
        { ...patient, what: 'loss' },
      );
      assert.ok(lost);
      assert.equal(await answers(), 503);
      link.heal();
      await eventually(answers, code => code === 200, { ...patient, what: 'answer after the cut' });
      await eventually(
        () => readCondition(hub, 'east', 'Ready'),
        text => text.startsWith('True'),
        { ...patient, what: 'Ready again' },
      );

      await hub.request('DELETE', '/apis/drover.io/v1alpha1/clusters/east');
      assert.equal(await agent.exited, 0);
      assert.match(readFileSync(agent.logFile, 'utf8'), /The agent stops: .*was removed from the hub/);
    } finally {
      await hub[Symbol.asyncDispose]();
    }
  },
);
