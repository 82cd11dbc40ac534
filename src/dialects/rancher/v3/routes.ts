import type { IncomingMessage, ServerResponse } from 'node:http';
import { auditAnnotations } from '../../../api/audit-annotations.ts';
import { note } from '../../../auth/request-notes.ts';
import type { DialectRoutes, MemberWay } from '../../../gateway/dialect-routes.ts';
import { sendAnswer, sendNormanError } from './answer-norman.ts';
import { methodNotSupported, normanErrorOf, noSuchType } from './norman-error.ts';
import type { NormanAnswer, TypeTable } from './norman-type.ts';
import { parseNormanTarget } from './norman-target.ts';
import { methodOf, openContext, type ContextDeps } from './open-context.ts';
import { publicSettings } from './public-settings.ts';
import { serveTypes } from './serve-types.ts';

export interface RancherRoutesDeps extends ContextDeps {
  /** The types of `/v3`. */
  readonly table: TypeTable;
  readonly version: string;
  /** What others serve below the same paths: sign-in, views of members, `/v1`. They are asked first. */
  readonly more?: readonly DialectRoutes[];
  onError?(error: unknown): void;
}

const ownPath = /^\/(?:v3(?:\/|$)|v[13]-public(?:\/|$)|v1(?:\/|$)|rancherversion$)/;

/** Rancher's API on the hub's address. What goes wrong is told in Rancher's words. */
export function rancherRoutes(deps: RancherRoutesDeps): DialectRoutes {
  const { more = [], table } = deps;

  return {
    roots: ['v3', 'v3-public', 'v1', 'v1-public', 'rancherversion', ...more.flatMap(one => one.roots)],
    handles: path => ownPath.test(path) || more.some(one => one.handles(path)),
    async handle(req, res, member) {
      try {
        await route(req, res, member);
      } catch (error) {
        fail(req, res, error);
      }
    },
    wantsUpgrade: req => otherFor(req)?.wantsUpgrade?.(req) ?? false,
    async upgrade(req, connection) {
      try {
        await otherFor(req)?.upgrade?.(req, connection);
      } catch (error) {
        fail(req, connection.respond(), error);
      }
    },
  };

  async function route(req: IncomingMessage, res: ServerResponse, member?: MemberWay): Promise<void> {
    const { segments } = parseNormanTarget(req.url ?? '');
    const [root, ...rest] = segments;
    const other = otherFor(req);
    if (other) return other.handle(req, res, member);
    if (root === 'rancherversion') return sendAnswer(req, res, versionOf(req));
    if (root !== 'v3') throw noSuchType(segments.join('/'));
    const open = publicSettings(deps.settings, req, segments);
    try {
      await answer(req, res, rest);
    } catch (error) {
      const { status } = normanErrorOf(error);
      if (!open || (status !== 401 && status !== 404)) throw error;
      sendAnswer(req, res, open);
    }
  }

  async function answer(req: IncomingMessage, res: ServerResponse, segments: readonly string[]): Promise<void> {
    const ctx = await openContext(deps, req, res);
    const { headers, ...given } = await serveTypes(ctx, table, segments);
    noteCreated(req, given);
    sendAnswer(req, res, { ...given, headers: { 'X-Api-Schemas': `${ctx.root}/schemas`, ...headers } });
  }

  function versionOf(req: IncomingMessage): NormanAnswer {
    if (methodOf(req) !== 'GET') throw methodNotSupported(req.method ?? '');
    return { status: 200, body: { Version: deps.version, GitCommit: 'HEAD', RancherPrime: 'false' } };
  }

  function otherFor(req: IncomingMessage): DialectRoutes | undefined {
    const path = (req.url ?? '').split('?', 1)[0]!;
    return more.find(one => one.handles(path));
  }

  function fail(req: IncomingMessage, res: ServerResponse, error: unknown): void {
    const told = normanErrorOf(error);
    if (told.status === 500) deps.onError?.(error);
    sendNormanError(req, res, told);
  }
}

/** The address says where something was made; the audit log should know what. */
function noteCreated(req: IncomingMessage, { status, body }: NormanAnswer): void {
  if (status !== 201 || typeof body?.['id'] !== 'string') return;
  note(req, { annotations: { [auditAnnotations.created]: `${String(body['type'])}/${body['id']}` } });
}
