import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

const lowest = 10_000;

/** A TCP port on loopback that was free a moment ago, and that no connection to somewhere else is given meanwhile: those have ports of a range of their own. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(lowest, firstOfConnections());
    if (await isFree(port)) return port;
  }
}

function firstOfConnections(): number {
  try {
    return Number(readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8').split(/\s/)[0]);
  } catch {
    return 32_768;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise(resolve => {
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
