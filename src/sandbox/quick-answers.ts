import { Readable } from 'node:stream';
import type { Transport, TransportRequest, TransportResponse } from '../client/transport.ts';
import type { Sandbox } from './sandbox.ts';

interface KnownAnswer {
  readonly headers: TransportResponse['headers'];
  readonly body: Buffer;
}

const sharedPaths = new Set(['/version', '/api', '/apis']);
const known = new Map<string, KnownAnswer>();

/**
 * Answers what a hub asks of each of its members every few seconds, without HTTP: a thousand idle sandboxes would otherwise keep a
 * good part of a core busy with it. Sandboxes that serve nothing but Kubernetes' own kinds all say the same. Undefined: ask the sandbox.
 */
export async function quickAnswer(
  sandbox: Sandbox,
  transport: () => Transport,
  req: TransportRequest,
): Promise<TransportResponse | undefined> {
  if (req.method !== 'GET' || (req.headers && Object.keys(req.headers).some(name => !harmlessHeaders.has(name)))) return undefined;
  if (req.path === '/readyz') return answer(200, { 'content-type': 'text/plain; charset=utf-8' }, Buffer.from('ok'));
  if (!sharedPaths.has(req.path) || !servesOnlyBuiltins(sandbox)) return undefined;

  const accept = String(req.headers?.['accept'] ?? '');
  const key = `${req.path} ${accept}`;
  let found = known.get(key);
  if (!found) {
    found = await fetchWhole(transport(), req.path, accept, req.signal);
    if (!found) return undefined;
    known.set(key, found);
  }
  const tag = req.headers?.['if-none-match'];
  if (tag !== undefined && tag === found.headers['etag']) return answer(304, { etag: tag }, Buffer.alloc(0));
  return answer(200, found.headers, found.body);
}

/** Headers that do not change who asks. */
const harmlessHeaders = new Set(['accept', 'if-none-match', 'user-agent']);
/** How many forms of a question are remembered: the askers are few and ours. */
const maxKnown = 32;

function servesOnlyBuiltins({ api: { cluster } }: Sandbox): boolean {
  return cluster.catalog.all().every(resource => !resource.isCustom) && !cluster.store.written.has('apiregistration.k8s.io/apiservices');
}

async function fetchWhole(
  transport: Transport,
  path: string,
  accept: string,
  signal: AbortSignal | undefined,
): Promise<KnownAnswer | undefined> {
  if (known.size >= maxKnown) return undefined;
  const res = await transport.request({ method: 'GET', path, headers: { accept }, ...(signal && { signal }) });
  const chunks: Buffer[] = [];
  for await (const chunk of res.body) chunks.push(chunk as Buffer);
  if (res.status !== 200) return undefined;
  const { etag, 'content-type': type } = res.headers;
  return {
    headers: { ...(etag !== undefined && { etag }), ...(type !== undefined && { 'content-type': type }) },
    body: Buffer.concat(chunks),
  };
}

function answer(status: number, headers: TransportResponse['headers'], body: Buffer): TransportResponse {
  return { status, headers: { date: new Date().toUTCString(), ...headers }, body: Readable.from([body], { objectMode: false }) };
}
