import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { randomBytes } from 'node:crypto';

export interface FakeCluster {
  id: string;
  name: string;
  /** Old servers give null for none. */
  labels: Record<string, string> | null;
}

export interface FakeRancherOptions {
  /** `https://…`, as its kubeconfigs have it. */
  url(): string;
  /** PEM of whoever vouches for it. */
  ca(): string;
  readonly version?: string;
  /** The most that a page holds, whatever is asked for. */
  readonly pageSize?: number;
  /** Answers what goes to the API of a cluster. */
  member?(id: string, req: IncomingMessage, res: ServerResponse): void;
}

/** How the server misbehaves: with a status, by waiting, or by ending in the middle of what it says. */
export type Trouble = { readonly status: number; readonly message: string } | { readonly waitMs: number } | 'cut' | undefined;

/** A server with as much of Rancher's API as its published documents tell and workflows need. It shares no code with the hub. */
export interface FakeRancher {
  readonly clusters: FakeCluster[];
  /** By name: the whole bearer. */
  readonly tokens: Map<string, string>;
  readonly users: Map<string, string>;
  /** What was asked: method and path, without the query. */
  readonly asked: string[];
  /** By the beginning of the path. */
  readonly troubles: Map<string, Trouble>;
  /** Whether clusters take the token for their API. */
  accepts(bearer: string | undefined, clusterId?: string): boolean;
  newToken(prefix: string): string;
  readonly answer: RequestListener;
}

export function fakeRancher(options: FakeRancherOptions): FakeRancher {
  const { version = 'v2.8.2', pageSize = 1000 } = options;
  const clusters: FakeCluster[] = [];
  const tokens = new Map<string, string>();
  const users = new Map<string, string>();
  const asked: string[] = [];
  const troubles = new Map<string, Trouble>();
  const bound = new Map<string, string>();
  const fake: FakeRancher = { clusters, tokens, users, asked, troubles, accepts, newToken, answer };
  return fake;

  function newToken(prefix: string): string {
    const name = `${prefix}-${randomBytes(4).toString('hex')}`;
    const bearer = `${name}:${randomBytes(24).toString('hex')}`;
    tokens.set(name, bearer);
    return bearer;
  }

  function accepts(bearer: string | undefined, clusterId?: string): boolean {
    const name = bearer?.split(':')[0] ?? '';
    const only = bound.get(name);
    return bearer !== undefined && tokens.get(name) === bearer && (only === undefined || only === clusterId);
  }

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const url = new URL(req.url ?? '/', options.url());
    const cluster = /^\/k8s\/clusters\/([^/]+)/.exec(url.pathname)?.[1];
    if (cluster === undefined) asked.push(`${req.method} ${url.pathname}`);
    const trouble = [...troubles].find(([path]) => url.pathname.startsWith(path))?.[1];
    if (trouble === 'cut') {
      res.writeHead(200, { 'content-type': 'application/json', 'content-length': '4096' });
      res.write('{"type":"collection","data":[');
      setImmediate(() => res.destroy());
      return;
    }
    if (trouble && 'status' in trouble) return fail(res, trouble.status, trouble.message);
    if (trouble) return void setTimeout(() => route(req, res, url, cluster), trouble.waitMs).unref();
    route(req, res, url, cluster);
  }

  function route(req: IncomingMessage, res: ServerResponse, url: URL, cluster: string | undefined): void {
    if (url.pathname === '/v3-public/localProviders/local' && url.searchParams.get('action') === 'login') return login(req, res);
    const [, bearer] = /^Bearer (.+)$/.exec(req.headers.authorization ?? '') ?? [];
    if (!accepts(bearer, cluster)) return fail(res, 401, 'must authenticate', 'Unauthorized');
    if (cluster !== undefined) return options.member ? options.member(cluster, req, res) : fail(res, 404, 'no such cluster', 'NotFound');
    const [, kind = '', id] = /^\/v3\/([^/]+)(?:\/([^/]+))?$/.exec(url.pathname) ?? [];
    if (kind === 'clusters' && id === undefined && req.method === 'GET') return list(res, url);
    if (kind === 'clusters' && req.method === 'POST' && url.searchParams.get('action') === 'generateKubeconfig')
      return kubeconfig(res, id!);
    if (kind === 'settings' && id === 'server-version') return send(res, 200, { id, type: 'setting', value: version });
    if (kind === 'tokens' && req.method === 'DELETE') {
      if (!tokens.delete(id ?? '')) return fail(res, 404, `tokens.management.cattle.io "${id}" not found`, 'NotFound');
      return void res.writeHead(204).end();
    }
    fail(res, 404, 'not found', 'NotFound');
  }

  function login(req: IncomingMessage, res: ServerResponse): void {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const { username, password } = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, string>;
      if (users.get(username ?? '') !== password) return fail(res, 401, 'authentication failed', 'Unauthorized');
      const token = newToken('token');
      send(res, 201, { id: token.split(':')[0], type: 'token', baseType: 'token', token });
    });
  }

  function list(res: ServerResponse, url: URL): void {
    const limit = Math.min(Number(url.searchParams.get('limit') ?? 1000), pageSize);
    const marker = url.searchParams.get('marker');
    const from =
      marker === null
        ? 0
        : Math.max(
            clusters.findIndex(one => one.id === marker),
            0,
          );
    const data = clusters
      .slice(from, from + limit)
      .map(one => ({ type: 'cluster', baseType: 'cluster', links: {}, actions: {}, state: 'active', ...one }));
    const next = clusters[from + limit];
    const more = next && { partial: true, next: `${options.url()}/v3/clusters?limit=${limit}&marker=${encodeURIComponent(next.id)}` };
    send(res, 200, { type: 'collection', resourceType: 'cluster', pagination: { limit, total: clusters.length, ...more }, data });
  }

  function kubeconfig(res: ServerResponse, id: string): void {
    const found = clusters.find(one => one.id === id);
    if (!found) return fail(res, 404, `clusters.management.cattle.io "${id}" not found`, 'NotFound');
    const token = newToken('kubeconfig-u-abcde');
    bound.set(token.split(':')[0]!, id);
    const config = [
      'apiVersion: v1',
      'kind: Config',
      'clusters:',
      `- name: "${found.name}"`,
      '  cluster:',
      `    server: "${options.url()}/k8s/clusters/${id}"`,
      `    certificate-authority-data: "${Buffer.from(options.ca()).toString('base64')}"`,
      'users:',
      `- name: "${found.name}"`,
      '  user:',
      `    token: "${token}"`,
      'contexts:',
      `- name: "${found.name}"`,
      `  context: {user: "${found.name}", cluster: "${found.name}"}`,
      `current-context: "${found.name}"`,
      '',
    ].join('\n');
    send(res, 200, { type: 'generateKubeConfigOutput', baseType: 'generateKubeConfigOutput', config });
  }
}

function send(res: ServerResponse, status: number, body: object): void {
  res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
}

function fail(res: ServerResponse, status: number, message: string, code = 'ServerError'): void {
  send(res, status, { type: 'error', baseType: 'error', status, code, message });
}
