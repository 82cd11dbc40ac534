import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { Headers, Transport } from '../../src/client/transport.ts';
import { createAuthority, issueLeaf } from '../../src/pki/certificate-authority.ts';
import { carryRequest } from '../../src/proxy/carry-request.ts';
import { carryUpgrade } from '../../src/proxy/carry-upgrade.ts';
import { forwardedHeaders } from '../../src/proxy/forwarded-headers.ts';
import { printKubeconfig } from './real-cluster.ts';

const imagesPath = /^\/v1\/harvester\/harvesterhci\.io\.virtualmachineimages\/([^/]+)\/([^/]+)$/;

interface Upload {
  readonly image: string;
  readonly sizeBytes: number;
  readonly sha512: string;
}

/**
 * What stands before a Harvester cluster and is reached by its own kubeconfigs: the Kubernetes API of the cluster, and beside it Harvester's, of which it has
 * the upload of images.
 */
export class HarvesterFront implements AsyncDisposable {
  readonly uploads: Upload[] = [];
  readonly #cluster: Transport;
  readonly #server: Server;
  readonly #authority: string;

  private constructor(cluster: Transport, server: Server, authority: string) {
    this.#cluster = cluster;
    this.#server = server;
    this.#authority = authority;
    server.on('request', (req: IncomingMessage, res: ServerResponse) => {
      this.#answer(req, res).catch((error: unknown) => (res.headersSent ? res.destroy() : void res.writeHead(500).end(String(error))));
    });
    server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
      socket.on('error', () => socket.destroy());
      carryUpgrade(this.#carried(req), req, { socket, head }).then(
        declined => declined && socket.end(`HTTP/1.1 ${declined.status} Declined\r\nConnection: close\r\n\r\n`),
        () => socket.destroy(),
      );
    });
  }

  static async start(cluster: Transport): Promise<HarvesterFront> {
    const now = new Date();
    const authority = createAuthority('harvester-front', now);
    const { certificate, key } = issueLeaf(authority, { commonName: 'harvester', usage: 'server', hosts: ['127.0.0.1'], now });
    const server = createServer({ cert: certificate, key });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new HarvesterFront(cluster, server, authority.certificate);
  }

  kubeconfig(): string {
    const { port } = this.#server.address() as AddressInfo;
    return printKubeconfig({ server: `https://127.0.0.1:${port}`, ca: this.#authority, token: 'let-me-in' });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  async #answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://front');
    if (!pathname.startsWith('/v1/harvester')) return carryRequest(this.#carried(req), req, res);
    const [, namespace, name] = imagesPath.exec(pathname) ?? [];
    const send = (code: number, body: object) => void res.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    if (namespace === undefined || name === undefined) return send(200, { type: 'apiRoot' });
    const path = `/apis/harvesterhci.io/v1beta1/namespaces/${namespace}/virtualmachineimages/${name}`;
    const image = await this.#ask(req, 'GET', path);
    if (req.method === 'GET') {
      const { sourceType } = image['spec'] as { sourceType?: string };
      return send(200, { ...image, actions: sourceType === 'upload' ? { upload: `${pathname}?action=upload` } : {} });
    }
    const form = await new Response(await buffer(req), { headers: { 'content-type': String(req.headers['content-type']) } }).formData();
    const file = form.get('chunk') as File;
    const bytes = Buffer.from(await file.arrayBuffer());
    if (String(bytes.length) !== searchParams.get('size')) return send(422, { type: 'error', message: 'the size is another' });
    this.uploads.push({ image: `${namespace}/${name}`, sizeBytes: bytes.length, sha512: createHash('sha512').update(bytes).digest('hex') });
    const conditions = [{ type: 'Imported', status: 'True' }];
    await this.#ask(req, 'PATCH', `${path}/status`, { status: { progress: 100, size: bytes.length, conditions } });
    return send(200, {});
  }

  async #ask(req: IncomingMessage, method: string, path: string, body?: object): Promise<Record<string, unknown>> {
    const headers = { ...whoIs(req), 'content-type': 'application/merge-patch+json' };
    const answer = await this.#cluster.request({ method, path, headers, ...(body && { body: JSON.stringify(body) }) });
    const text = (await buffer(answer.body)).toString();
    if (answer.status >= 400) throw new Error(text);
    return JSON.parse(text) as Record<string, unknown>;
  }

  #carried(req: IncomingMessage) {
    const headers = forwardedHeaders(req.rawHeaders, whoIs(req));
    const request = { method: req.method ?? 'GET', path: req.url ?? '/', headers, answerTimeoutMs: Infinity };
    return { transport: this.#cluster, request, clusterPath: '', isStream: true };
  }
}

/** It does not look who comes; it passes on as whom they come. */
const whoIs = (req: IncomingMessage): Headers =>
  Object.fromEntries(Object.entries(req.headers).filter(([name]) => name.startsWith('impersonate-')));
