import { createServer as createHttpServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { TestCa } from './certificates.ts';

/** Where to say what is to be ended with the test. */
export interface Ending {
  after(end: () => Promise<void>): void;
}

export interface SourceServer {
  /** `https://localhost:<port>`. */
  readonly url: string;
  readonly port: number;
  /** What its certificate is signed by: the same for all. */
  readonly ca: TestCa;
  /** Everything that was asked, in order. */
  readonly requests: IncomingMessage[];
}

let authority: Promise<TestCa> | undefined;

/** A web server of this machine for sources to be fetched from. */
export async function startSourceServer(
  t: Ending,
  answer: RequestListener,
  { certificates = 'ignored' }: { certificates?: 'ignored' | 'asked for' | 'needed' } = {},
): Promise<SourceServer> {
  const ca = await (authority ??= TestCa.create('source authority'));
  const { certificate, key } = await ca.issue('localhost', { dnsNames: ['localhost', 'charts.example.com'], ips: ['127.0.0.1'] });
  const requests: IncomingMessage[] = [];
  const server = createServer(
    {
      cert: certificate,
      key,
      ca: ca.certificate,
      requestCert: certificates !== 'ignored',
      rejectUnauthorized: certificates === 'needed',
    },
    recorded(requests, answer),
  );
  const port = await listen(t, server);
  return { url: `https://localhost:${port}`, port, ca, requests };
}

/** The same without TLS. */
export async function startPlainServer(t: Ending, answer: RequestListener, host = '127.0.0.1'): Promise<Omit<SourceServer, 'ca'>> {
  const requests: IncomingMessage[] = [];
  const port = await listen(t, createHttpServer(recorded(requests, answer)), host);
  return { url: `http://localhost:${port}`, port, requests };
}

function recorded(requests: IncomingMessage[], answer: RequestListener): RequestListener {
  return (req, res) => {
    requests.push(req);
    answer(req, res);
  };
}

async function listen(t: Ending, server: Server & { closeAllConnections(): void }, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>(resolve => server.listen(0, host, resolve));
  t.after(async () => {
    server.closeAllConnections();
    await new Promise(resolve => server.close(resolve));
  });
  return (server.address() as AddressInfo).port;
}
