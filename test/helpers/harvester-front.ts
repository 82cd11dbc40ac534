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
import { eventually } from './eventually.ts';
import { printKubeconfig } from './real-cluster.ts';

const imagesPath = /^\/v1\/harvester\/harvesterhci\.io\.virtualmachineimages\/([^/]+)\/([^/]+)$/;

interface Upload {
  readonly image: string;
  readonly sizeBytes: number;
  readonly sha512: string;
}

/** The address of a running `backing-image-manager data-source` of Longhorn, who keeps images for Harvester. */
const realKeeper = process.env['BACKING_IMAGE_MANAGER'];

/** Refuses what Longhorn refuses, in its words. */
async function keep(req: IncomingMessage, query: URLSearchParams): Promise<Omit<Upload, 'image'>> {
  const form = await new Response(await buffer(req), { headers: { 'content-type': String(req.headers['content-type']) } }).formData();
  const size = Number(query.get('size'));
  if (size % 512 !== 0)
    throw new Error(`the uploaded file size ${size} should be a multiple of 512 bytes since Longhorn uses directIO by default`);
  const file = form.get('chunk') as File | null;
  if (!file) throw new Error("cannot get the uploaded data since the upload request doesn't contain form 'chunk'");
  const bytes = Buffer.from(await file.arrayBuffer());
  if (bytes.length !== size) throw new Error('the size is another');
  return { sizeBytes: bytes.length, sha512: createHash('sha512').update(bytes).digest('hex') };
}

/** Harvester passes the request on as it came. */
async function keepForReal(keeper: string, req: IncomingMessage): Promise<Omit<Upload, 'image'>> {
  const query = (req.url ?? '').split('?')[1] ?? '';
  const headers = { 'content-type': String(req.headers['content-type']), 'file-size': String(req.headers['file-size']) };
  const answer = await fetch(`${keeper}/v1/file?${query}`, { method: 'POST', headers, body: await buffer(req) });
  if (!answer.ok) throw new Error(await answer.text());
  return eventually(
    async () => (await (await fetch(`${keeper}/v1/file`)).json()) as { state: string; processedSize: number; currentChecksum: string },
    ({ state }) => state === 'ready-for-transfer',
  ).then(({ processedSize, currentChecksum }) => ({ sizeBytes: processedSize, sha512: currentChecksum }));
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
    let kept: Omit<Upload, 'image'>;
    try {
      kept = await (realKeeper === undefined ? keep(req, searchParams) : keepForReal(realKeeper, req));
    } catch (error) {
      // As Harvester answers: words, not JSON.
      return void res.writeHead(500).end(`upload failed: ${(error as Error).message}`);
    }
    this.uploads.push({ image: `${namespace}/${name}`, ...kept });
    const conditions = [{ type: 'Imported', status: 'True' }];
    await this.#ask(req, 'PATCH', `${path}/status`, { status: { progress: 100, size: kept.sizeBytes, conditions } });
    return void res.writeHead(200).end();
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
