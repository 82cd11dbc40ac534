import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { createAuthority, issueLeaf } from '../../src/pki/certificate-authority.ts';

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headersDistinct'];
  /** The common name of the client's certificate, when the authority in `clientAuthority` signed it. */
  readonly peer: string;
  readonly body: string;
}

const group = 'flavours.example.com';
const flavour = (name: string) => ({ apiVersion: `${group}/v1`, kind: 'Flavour', metadata: { name, resourceVersion: '7' } });
const resources = [
  {
    name: 'flavours',
    singularName: 'flavour',
    namespaced: false,
    kind: 'Flavour',
    verbs: ['create', 'get', 'list', 'watch'],
    shortNames: ['fl'],
  },
];
const swagger = {
  swagger: '2.0',
  info: { title: 'Flavours', version: 'v1' },
  paths: {
    [`/apis/${group}/v1/flavours`]: {
      get: {
        operationId: 'listFlavours',
        responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/com.example.Flavour' } } },
      },
    },
    '/elsewhere': { get: { responses: {} } },
  },
  definitions: { 'com.example.Flavour': { type: 'object' }, 'com.example.Unused': { type: 'object' } },
};

/** A small API server of the group flavours.example.com, such as stands behind an APIService. */
export class ExtensionServer implements AsyncDisposable {
  readonly seen: SeenRequest[] = [];
  readonly group = group;
  readonly caBundle: string;
  readonly #server: Server;

  private constructor(server: Server, caBundle: string) {
    this.#server = server;
    this.caBundle = caBundle;
    server.on('request', (req: IncomingMessage, res: ServerResponse) => void this.#serve(req, res));
    server.on('upgrade', (req: IncomingMessage, socket) => {
      this.#remember(req, '');
      socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: shout\r\n\r\n');
      socket.on('data', (data: Buffer) => void socket.end(data.toString().toUpperCase()));
    });
  }

  static async start(serviceName: string, clientAuthority: string): Promise<ExtensionServer> {
    const authority = createAuthority('flavours-authority', new Date());
    const { certificate, key } = issueLeaf(authority, { commonName: 'flavours', usage: 'server', hosts: [serviceName], now: new Date() });
    const server = createServer({ cert: certificate, key, ca: clientAuthority, requestCert: true, rejectUnauthorized: false });
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
    return new ExtensionServer(server, Buffer.from(authority.certificate).toString('base64'));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>(resolve => this.#server.close(() => resolve()));
  }

  #remember(req: IncomingMessage, body: string): void {
    const socket = req.socket as TLSSocket;
    const peer = socket.authorized ? String(socket.getPeerCertificate().subject.CN) : '';
    this.seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headersDistinct, peer, body });
  }

  async #serve(req: IncomingMessage, res: ServerResponse): Promise<void> {
    let body = '';
    for await (const chunk of req) body += String(chunk);
    this.#remember(req, body);
    const { pathname, searchParams } = new URL(req.url ?? '/', 'https://server');
    const answer = (value: object, code = 200) =>
      void res.writeHead(code, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    if (pathname === '/apis') return answer({ kind: 'APIGroupList', apiVersion: 'v1', groups: [] });
    if (pathname === `/apis/${group}/v1`)
      return answer({ kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources });
    if (pathname === '/openapi/v2') return answer(swagger);
    if (pathname === '/openapi/v3')
      return answer({ paths: { [`apis/${group}/v1`]: { serverRelativeURL: `/openapi/v3/apis/${group}/v1?hash=1` } } });
    if (pathname === `/openapi/v3/apis/${group}/v1`) return answer({ openapi: '3.0.0', info: { title: 'Flavours' } });
    if (!pathname.startsWith(`/apis/${group}/v1/flavours`)) return answer({ kind: 'Status', code: 404 }, 404);
    if (searchParams.has('watch')) return void res.write(`${JSON.stringify({ type: 'ADDED', object: flavour('vanilla') })}\n`);
    if (req.method === 'POST') return answer(JSON.parse(body) as object, 201);
    const name = pathname.split('/')[5];
    return answer(name ? flavour(name) : { kind: 'FlavourList', apiVersion: `${group}/v1`, metadata: {}, items: [flavour('vanilla')] });
  }
}
