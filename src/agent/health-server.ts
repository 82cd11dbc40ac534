import { createServer } from 'node:http';

/** Kubelets ask one at a time. */
const maxConnections = 16;
const requestTimeoutMs = 5_000;

export interface AgentHealth extends AsyncDisposable {
  readonly port: number;
  /** Whether the tunnel to the hub is there. */
  isConnected: boolean;
}

/** Answers the probes of a kubelet: `/healthz` while the process lives, `/readyz` while it is connected to the hub. */
export async function serveHealth(port: number): Promise<AgentHealth> {
  const server = createServer({ requestTimeout: requestTimeoutMs, headersTimeout: requestTimeoutMs }, (req, res) => {
    const [code, text] = answerTo(req.url ?? '', health.isConnected);
    res.writeHead(code, { 'Content-Type': 'text/plain; charset=utf-8', Connection: 'close' }).end(`${text}\n`);
  });
  server.maxConnections = maxConnections;
  await new Promise<void>((resolve, reject) => {
    server.once('error', cause => reject(new Error(`cannot answer probes on port ${port}`, { cause })));
    server.listen(port, resolve);
  });
  const address = server.address();
  const health: AgentHealth = {
    port: typeof address === 'object' ? (address?.port ?? port) : port,
    isConnected: false,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise(resolve => server.close(resolve));
    },
  };
  return health;
}

function answerTo(path: string, isConnected: boolean): [code: number, text: string] {
  if (path === '/healthz') return [200, 'ok'];
  if (path === '/readyz') return isConnected ? [200, 'ok'] : [503, 'not connected to the hub'];
  return [404, 'not found'];
}
