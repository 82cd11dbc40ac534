import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { methodNotAllowed, unauthorized } from '../../api/status.ts';
import type { AuditLog } from '../../apiserver/audit/audit-log.ts';
import type { HubAccess } from '../../auth/hub-access.ts';
import { forbiddenRequest } from '../../auth/rbac.ts';
import { anonymous, type NonResourceAttributes } from '../../auth/user.ts';
import type { DialectRoutes } from '../dialect-routes.ts';
import { parseAuditQuery, parseNewest } from './audit-query.ts';
import { readAudit } from './read-audit.ts';

export interface AuditRouteDeps {
  readonly access: HubAccess;
  readonly log: AuditLog;
  /** What somebody who signs in with this name is called elsewhere. */
  aliasesOf?(loginName: string): readonly string[];
  /** How often the right to an open stream is looked at again. Default 2.5 s. */
  readonly recheckMs?: number;
}

export const auditPath = '/audit/events';

const wanted: NonResourceAttributes = { isResource: false, verb: 'get', path: auditPath };

/** `/audit/events`: the audit log as lines of JSON, for those whom the hub's RBAC lets `get` this URL: administrators, unless somebody says more. */
export function auditRoute({ access, log, aliasesOf, recheckMs = 2500 }: AuditRouteDeps): DialectRoutes {
  return {
    roots: ['audit'],
    handles: path => path === auditPath,
    async handle(req, res) {
      if (req.method !== 'GET') throw methodNotAllowed();
      await authorize(req);
      const query = new URLSearchParams((req.url ?? '').split('?')[1]);
      const asked = parseAuditQuery(query);
      const newest = parseNewest(query);
      const aliases = asked.user === undefined ? undefined : aliasesOf?.(asked.user);
      const filter = { ...asked, ...(aliases && { aliases }) };
      const isFollowing = query.get('follow') === 'true';
      const gone = new AbortController();
      res.once('close', () => gone.abort());
      using _watched = isFollowing ? recheck(req, res) : undefined;
      res.writeHead(200, { 'Content-Type': 'application/x-ndjson', 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' });
      res.flushHeaders();
      await pipeline(Readable.from(withEnds(readAudit(log, filter, { isFollowing, newest, signal: gone.signal }))), res).catch(
        (error: unknown) => {
          if (!gone.signal.aborted) throw error;
        },
      );
    },
  };

  async function authorize(req: IncomingMessage): Promise<void> {
    const user = await access.identify(req, wanted);
    const { allowed, reason } = await access.authorize(user, wanted);
    if (allowed) return;
    throw user.name === anonymous.name ? unauthorized() : forbiddenRequest(user, wanted, reason);
  }

  /** Who follows the log loses it with the right to it. */
  function recheck(req: IncomingMessage, res: ServerResponse): Disposable {
    const look = setInterval(() => void authorize(req).catch(() => res.destroy()), recheckMs).unref();
    return { [Symbol.dispose]: () => clearInterval(look) };
  }
}

async function* withEnds(lines: AsyncIterable<string>): AsyncGenerator<string> {
  for await (const line of lines) yield `${line}\n`;
}
