import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { methodNotAllowed, StatusError } from '../../api/status.ts';
import type { DialectRoutes } from '../dialect-routes.ts';
import { findPage, readPage, type PageFile } from './page-files.ts';
import type { PageStreams } from './page-streams.ts';

export const pagePath = '/ui/';
/** What the built shell holds where each answer has a number of its own. */
export const nonceMark = '__NONCE__';
const streamsPath = `${pagePath}streams`;
const assetsPrefix = 'assets/';

export interface PageRouteDeps {
  readonly streams: PageStreams;
  /** The folder of the built page. For tests. */
  readonly dir?: string;
}

/** `/ui/`: the web page. Its files by name; every other path is a place inside the page and answers the shell. */
export function pageRoute({ streams, dir }: PageRouteDeps): DialectRoutes {
  let files: ReadonlyMap<string, PageFile> | undefined;

  return {
    roots: ['ui'],
    handles: path => path === '/ui' || path.startsWith(pagePath),
    async handle(req, res) {
      if (req.method !== 'GET' && req.method !== 'HEAD') throw methodNotAllowed();
      const path = (req.url ?? '').split('?', 1)[0]!;
      if (path === '/ui') return redirect(res, pagePath);
      files ??= read();
      const name = path.slice(pagePath.length);
      const file = files.get(name);
      if (file && name !== 'index.html') return sendFile(req, res, file, name.startsWith(assetsPrefix));
      if (name.startsWith(assetsPrefix)) throw new StatusError(404, 'NotFound', 'the page has no such file');
      sendShell(req, res, files.get('index.html')!);
    },
    wantsUpgrade: req => (req.url ?? '').split('?', 1)[0] === streamsPath && req.headers.upgrade?.toLowerCase() === 'websocket',
    upgrade: (req, connection) => streams.open(req, connection),
  };

  function read(): ReadonlyMap<string, PageFile> {
    const found = dir ?? findPage();
    if (found === undefined) throw new StatusError(503, 'ServiceUnavailable', 'the page has not been built; run "npm run build:ui"');
    return readPage(found);
  }
}

export function redirect(res: ServerResponse, to: string): void {
  res.writeHead(302, { Location: to, 'Cache-Control': 'no-store', 'Content-Length': 0 });
  res.end();
}

function sendFile(req: IncomingMessage, res: ServerResponse, file: PageFile, isNamedByHash: boolean): void {
  const accepted = String(req.headers['accept-encoding'] ?? '');
  const [encoding, body] =
    file.brotli && /\bbr\b/.test(accepted)
      ? ['br', file.brotli]
      : file.gzip && /\bgzip\b/.test(accepted)
        ? ['gzip', file.gzip]
        : [undefined, file.plain];
  res.writeHead(200, {
    ...guards,
    'Content-Type': file.type,
    'Content-Length': body.length,
    'Cache-Control': isNamedByHash ? 'public, max-age=31536000, immutable' : 'no-cache',
    Vary: 'Accept-Encoding',
    ...(encoding !== undefined && { 'Content-Encoding': encoding }),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}

const guards = {
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
} as const;

/** The editor and the terminal make styles as they go; theirs carry the number of this answer, and no others are believed. */
function sendShell(req: IncomingMessage, res: ServerResponse, { plain, type }: PageFile): void {
  const nonce = randomBytes(16).toString('base64');
  const body = Buffer.from(plain.toString('utf8').replaceAll(nonceMark, nonce));
  res.writeHead(200, {
    ...guards,
    'Content-Type': type,
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    'Content-Security-Policy': [
      "default-src 'none'",
      "script-src 'self'",
      `style-src 'self' 'nonce-${nonce}'`,
      "img-src 'self' data:",
      "font-src 'self'",
      "connect-src 'self'",
      "form-action 'self'",
      "base-uri 'none'",
      "frame-ancestors 'none'",
    ].join('; '),
  });
  res.end(req.method === 'HEAD' ? undefined : body);
}
