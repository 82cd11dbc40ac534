import { WebSocket } from 'ws';
import { withLoad } from '../../src/agent/load-at-member.ts';
import { contextTransport, readContext, readKubeconfigs } from '../../src/client/kubeconfig/kubeconfig.ts';
import { connectPath, subprotocol } from '../../src/tunnel/protocol.ts';
import { serveTunnel } from '../../src/tunnel/serve-tunnel.ts';

/** What the parent says first. */
export interface OneAgentTask {
  readonly hubPort: number;
  /** PEM. */
  readonly ca: string;
  readonly kubeconfig: string;
}

// The tunnel's end of an agent in a process of its own: `node one-agent.ts`, started by fork.
process.once('message', ({ hubPort, ca, kubeconfig }: OneAgentTask) => {
  const target = contextTransport(readContext(readKubeconfigs(kubeconfig, process.env), { env: process.env }));
  const webSocket = new WebSocket(`wss://127.0.0.1:${hubPort}${connectPath}`, subprotocol, { ca, perMessageDeflate: false });
  webSocket.once('open', () => {
    void serveTunnel({ webSocket, target: withLoad(target), signal: new AbortController().signal }).then(() => process.exit(0));
  });
});
process.once('disconnect', () => process.exit(0));
