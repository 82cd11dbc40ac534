import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { methodNotAllowed, noSuchResource, StatusError } from '../api/status.ts';
import type { WebHandler } from '../apiserver/http/https-server.ts';
import type { MemberProxy } from '../proxy/member-proxy.ts';
import { memberPrefix } from '../proxy/member-target.ts';
import { authoritiesPath, connectPath, hubApiPath, pingPath, registerPath } from '../tunnel/protocol.ts';
import { admissionPrefix } from './admission-route.ts';
import { responseOn, sendError, sendText } from './answer.ts';
import { chartsPrefix } from './chart-routes.ts';
import type { DialectRoutes } from './dialect-routes.ts';
import { redirect } from './page/page-route.ts';
import { routesByRoot } from './routes-by-root.ts';
import { withoutKarmadaProxy } from './karmada-proxy-path.ts';

type Answer = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export interface GatewayDeps {
  readonly proxy: MemberProxy;
  /** `/v3/settings/cacerts`. */
  readonly authorities?: Answer;
  /** `/v3/import/…`. */
  readonly importManifest?: Answer;
  /** `/charts/…`. */
  readonly charts?: Answer;
  /** `/admission/…`. */
  readonly admission?: Answer;
  /** `/v3/connect/register`. */
  readonly register?: Answer;
  /** `/v3/connect/hub/…`. */
  readonly agentApi?: Answer;
  /** `/v3/connect`. Throws before the connection has left HTTP. */
  connect?(req: IncomingMessage, socket: Duplex, head: Buffer): Promise<void>;
  /** What dialects serve. The routes above come first. */
  readonly dialects?: readonly DialectRoutes[];
  /** Where browsers go that ask for `/`; programs find the API there. */
  readonly home?: string;
  onError?(error: unknown): void;
}

export const importPrefix = '/v3/import/';

/** Everything the hub serves besides a Kubernetes API. What it does not know goes to `behind`, the API itself when it is in this process. */
export function gateway(deps: GatewayDeps, behind?: WebHandler): WebHandler {
  const dialectFor = routesByRoot(deps.dialects ?? []);
  const exact: Readonly<Record<string, Answer | undefined>> = {
    [pingPath]: reading((_req, res) => sendText(res, 200, 'pong')),
    [authoritiesPath]: deps.authorities && reading(deps.authorities),
    [registerPath]: deps.register && posting(deps.register),
    [connectPath]: () => {
      throw methodNotAllowed();
    },
  };

  return { handle, wantsUpgrade, upgrade };

  function handle(req: IncomingMessage, res: ServerResponse): void {
    req.url = withoutKarmadaProxy(req.url ?? '');
    const answer = isBrowserAtRoot(req) && deps.home !== undefined ? goTo(deps.home) : answerFor(pathOf(req), req.method);
    if (answer) answerWith(answer, req, res);
    else if (behind) behind.handle(req, res);
    else sendError(req, res, noSuchResource());
  }

  function answerFor(path: string, method: string | undefined): Answer | undefined {
    const dialect = dialectFor(path);
    // Below a member there is its Kubernetes API, and what a dialect adds to it.
    if (path.startsWith(memberPrefix)) return dialect ? (req, res) => dialect.handle(req, res, deps.proxy.handle) : deps.proxy.handle;
    if (path.startsWith(`${hubApiPath}/`)) return deps.agentApi;
    if (path.startsWith(importPrefix)) return deps.importManifest && reading(deps.importManifest);
    if (path.startsWith(chartsPrefix)) return deps.charts && reading(deps.charts);
    if (path.startsWith(admissionPrefix)) return deps.admission && posting(deps.admission);
    // Everybody may read the setting; whoever wants to write it hears from those who know settings.
    if (path === authoritiesPath && dialect && !isReading(method)) return dialect.handle;
    return exact[path] ?? dialect?.handle;
  }

  function answerWith(answer: Answer, req: IncomingMessage, res: ServerResponse): void {
    Promise.try(answer, req, res).catch((error: unknown) => fail(req, res, error));
  }

  function wantsUpgrade(req: IncomingMessage): boolean {
    req.url = withoutKarmadaProxy(req.url ?? '');
    const path = pathOf(req);
    if (path === connectPath) return deps.connect !== undefined;
    const dialect = dialectFor(path);
    if (dialect) return dialect.wantsUpgrade?.(req) ?? false;
    // Whoever would like HTTP/2 is content without it.
    if (path.startsWith(memberPrefix)) return req.headers.upgrade?.toLowerCase() !== 'h2c';
    return behind?.wantsUpgrade(req) ?? false;
  }

  function upgrade(req: IncomingMessage, socket: Duplex, head: Buffer): void {
    const path = pathOf(req);
    const isAgent = path === connectPath;
    const dialect = isAgent ? undefined : dialectFor(path);
    const isMember = !dialect && path.startsWith(memberPrefix);
    if (!isMember && !isAgent && !dialect) {
      if (behind) behind.upgrade(req, socket, head);
      else socket.destroy();
      return;
    }
    socket.on('error', () => socket.destroy());
    let res: ServerResponse | undefined;
    const respond = () => (res ??= responseOn(req, socket));
    const connection = { socket, head, respond };
    const work = isMember
      ? deps.proxy.upgrade(req, connection)
      : dialect
        ? dialect.upgrade?.(req, connection)
        : deps.connect?.(req, socket, head);
    work?.catch((error: unknown) => fail(req, respond(), error));
  }

  function fail(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    if (!(error instanceof StatusError)) deps.onError?.(error);
    sendError(req, res, error);
  }
}

const pathOf = (req: IncomingMessage) => (req.url ?? '').split('?', 1)[0]!;

const isBrowserAtRoot = (req: IncomingMessage) =>
  pathOf(req) === '/' && isReading(req.method) && (req.headers.accept?.includes('text/html') ?? false);

const goTo =
  (home: string): Answer =>
  (_req, res) =>
    redirect(res, home);

const isReading = (method: string | undefined) => method === 'GET' || method === 'HEAD';

function reading(answer: Answer): Answer {
  return (req, res) => {
    if (!isReading(req.method)) throw methodNotAllowed();
    return answer(req, res);
  };
}

function posting(answer: Answer): Answer {
  return (req, res) => {
    if (req.method !== 'POST') throw methodNotAllowed();
    return answer(req, res);
  };
}
