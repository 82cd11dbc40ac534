import { randomUUID } from 'node:crypto';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { digestOf } from '../../src/sources/digest.ts';

export interface OciRegistryOptions {
  /** How it wants to be told who asks. Nobody has to tell when absent. */
  readonly auth?: { readonly scheme: 'basic' | 'bearer'; readonly username: string; readonly password: string };
  /** Where tokens are given. Below the registry itself when absent. */
  tokenRealm?(): string;
  /** Where blobs are redirected to. Not at all when absent. */
  blobsAt?(digest: string): string;
  /** How many tags there are on a page. */
  readonly tagsPerPage?: number;
}

export interface OciRegistry {
  readonly blobs: Map<string, Buffer>;
  /** By `repository:tag` and `repository@digest`. */
  readonly manifests: Map<string, { readonly type: string; readonly bytes: Buffer }>;
  readonly answer: RequestListener;
  /** Puts a chart there, as `helm push` would. Answers the digest of its manifest. */
  pushChart(repository: string, tag: string, chart: Buffer, layerType?: string): string;
  putManifest(repository: string, references: readonly string[], manifest: object, type?: string): string;
}

const manifestType = 'application/vnd.oci.image.manifest.v1+json';
export const helmLayer = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';

/** A registry after the distribution specification, as far as charts need it: real Helm pushes to it and pulls from it. */
export function ociRegistry(options: OciRegistryOptions = {}): OciRegistry {
  const { auth, tagsPerPage = 1000 } = options;
  const blobs = new Map<string, Buffer>();
  const manifests: OciRegistry['manifests'] = new Map();
  const uploads = new Map<string, Buffer[]>();
  const tokens = new Set<string>();
  return { blobs, manifests, answer: (req, res) => void handle(req, res), pushChart, putManifest };

  function putManifest(repository: string, references: readonly string[], manifest: object, type = manifestType): string {
    const bytes = Buffer.from(JSON.stringify(manifest));
    const digest = digestOf(bytes);
    for (const reference of references) manifests.set(`${repository}:${reference}`, { type, bytes });
    manifests.set(`${repository}@${digest}`, { type, bytes });
    return digest;
  }

  function pushChart(repository: string, tag: string, chart: Buffer, layerType = helmLayer): string {
    const config = Buffer.from('{}');
    for (const blob of [chart, config]) blobs.set(digestOf(blob), blob);
    const describe = (mediaType: string, bytes: Buffer) => ({ mediaType, digest: digestOf(bytes), size: bytes.length });
    return putManifest(repository, [tag], {
      schemaVersion: 2,
      config: describe('application/vnd.cncf.helm.config.v1+json', config),
      layers: [describe(layerType, chart)],
    });
  }

  async function handle(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const url = new URL(req.url ?? '', `https://${req.headers.host}`);
    if (url.pathname === '/token') return giveToken(req, res, url);
    if (!isKnown(req)) return challenge(req, res, url);
    const [, repository = '', kind, reference = ''] = /^\/v2\/(.+)\/(manifests|blobs|tags)\/(.*)$/.exec(url.pathname) ?? [];
    if (kind === undefined) return void res.writeHead(url.pathname === '/v2/' ? 200 : 404).end();
    if (kind === 'tags') return listTags(res, repository, url);
    if (kind === 'manifests') return manifest(req, res, repository, reference);
    return blob(req, res, repository, reference, url);
  }

  function isKnown({ headers: { authorization = '' } }: IncomingMessage): boolean {
    if (!auth) return true;
    return auth.scheme === 'basic' ? authorization === basic(auth) : tokens.has(authorization);
  }

  function challenge(req: IncomingMessage, res: ServerResponse, url: URL): void {
    const realm = options.tokenRealm?.() ?? `https://${req.headers.host}/token`;
    const [, repository = ''] = /^\/v2\/(.+)\/(?:manifests|blobs|tags)\//.exec(url.pathname) ?? [];
    const wants =
      auth?.scheme === 'basic'
        ? 'Basic realm="registry"'
        : `Bearer realm="${realm}",service="registry, of tests",scope="repository:${repository}:pull"`;
    res
      .writeHead(401, { 'www-authenticate': wants })
      .end(JSON.stringify({ errors: [{ code: 'UNAUTHORIZED', message: req.headers.authorization }] }));
  }

  function giveToken(req: IncomingMessage, res: ServerResponse, url: URL): void {
    const isRight =
      auth !== undefined && req.headers.authorization === basic(auth) && url.searchParams.get('service') === 'registry, of tests';
    if (!isRight) return void res.writeHead(401).end(req.headers.authorization);
    const token = randomUUID();
    tokens.add(`Bearer ${token}`);
    res.end(JSON.stringify({ token }));
  }

  function listTags(res: ServerResponse, repository: string, url: URL): void {
    const all = [...manifests.keys()]
      .filter(key => key.startsWith(`${repository}:`))
      .map(key => key.slice(repository.length + 1))
      .sort();
    if (all.length === 0) return void res.writeHead(404).end('{"errors":[{"code":"NAME_UNKNOWN"}]}');
    const last = url.searchParams.get('last') ?? '';
    const page = all.filter(tag => tag > last).slice(0, tagsPerPage);
    const hasMore = page.length > 0 && page.at(-1) !== all.at(-1);
    const link = `</v2/${repository}/tags/list?n=${tagsPerPage}&last=${page.at(-1)}>; rel="next"`;
    res.writeHead(200, hasMore ? { link } : {}).end(JSON.stringify({ name: repository, tags: page }));
  }

  async function manifest(req: IncomingMessage, res: ServerResponse, repository: string, reference: string): Promise<void> {
    if (req.method === 'PUT') {
      const bytes = await bodyOf(req);
      const type = req.headers['content-type'] ?? '';
      const digest = digestOf(bytes);
      manifests.set(`${repository}@${digest}`, { type, bytes });
      if (reference !== digest) manifests.set(`${repository}:${reference}`, { type, bytes });
      return void res.writeHead(201, { location: `/v2/${repository}/manifests/${digest}`, 'docker-content-digest': digest }).end();
    }
    const found = manifests.get(`${repository}${reference.startsWith('sha256:') ? '@' : ':'}${reference}`);
    if (!found) return void res.writeHead(404).end('{"errors":[{"code":"MANIFEST_UNKNOWN"}]}');
    res.writeHead(200, {
      'content-type': found.type,
      'docker-content-digest': digestOf(found.bytes),
      'content-length': found.bytes.length,
    });
    res.end(req.method === 'HEAD' ? undefined : found.bytes);
  }

  async function blob(req: IncomingMessage, res: ServerResponse, repository: string, reference: string, url: URL): Promise<void> {
    if (req.method === 'POST') {
      const id = randomUUID();
      uploads.set(id, []);
      return void res.writeHead(202, { location: `/v2/${repository}/blobs/uploads/${id}` }).end();
    }
    if (req.method === 'PATCH' || req.method === 'PUT') {
      const chunks = uploads.get(reference.replace('uploads/', ''));
      chunks?.push(await bodyOf(req));
      if (req.method === 'PATCH') return void res.writeHead(202, { location: url.pathname, range: '0-0' }).end();
      const bytes = Buffer.concat(chunks ?? []);
      const digest = digestOf(bytes);
      if (digest !== url.searchParams.get('digest')) return void res.writeHead(400).end();
      blobs.set(digest, bytes);
      return void res.writeHead(201, { location: `/v2/${repository}/blobs/${digest}`, 'docker-content-digest': digest }).end();
    }
    const found = blobs.get(reference);
    if (!found) return void res.writeHead(404).end();
    if (req.method === 'GET' && options.blobsAt) return void res.writeHead(307, { location: options.blobsAt(reference) }).end();
    res.writeHead(200, { 'content-length': found.length }).end(req.method === 'HEAD' ? undefined : found);
  }
}

const basic = ({ username, password }: { username: string; password: string }) =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

async function bodyOf(req: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of req) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
