import { auditAnnotations } from '../../api/audit-annotations.ts';
import { badRequest } from '../../api/status.ts';
import { isJsonObject, type JsonObject } from '../../util/json.ts';

/** Which lines of the audit log are wanted. What is absent is not looked at. */
export interface AuditQuery {
  /** The sender or whom they impersonate, by user name or by the name they sign in with. */
  readonly user?: string;
  /** Other names of that user. */
  readonly aliases?: readonly string[];
  /** Name or id of a member; `local` is the hub itself. */
  readonly cluster?: string;
  readonly verb?: string;
  readonly since?: Date;
}

const names = ['user', 'cluster', 'verb'] as const;

/** Throws 400 for a time that is none. */
export function parseAuditQuery(query: URLSearchParams): AuditQuery {
  const given = names.map(name => [name, query.get(name)] as const).filter(([, value]) => value !== null && value !== '');
  const since = query.get('since') ?? '';
  if (since !== '' && !Number.isFinite(Date.parse(since))) throw badRequest('since must be a time such as 2026-11-16T12:00:00Z');
  return { ...Object.fromEntries(given), ...(since !== '' && { since: new Date(since) }) };
}

export function matchesQuery(event: JsonObject, { user, aliases = [], cluster, verb, since }: AuditQuery): boolean {
  if (since && !(Date.parse(String(event['requestReceivedTimestamp'])) >= since.getTime())) return false;
  if (verb !== undefined && event['verb'] !== verb) return false;
  if (user !== undefined && !namesOf(event).some(name => name === user || aliases.includes(name))) return false;
  return cluster === undefined || clustersOf(event).includes(cluster);
}

function namesOf(event: JsonObject): string[] {
  const users = [event['user'], event['impersonatedUser']].filter(isJsonObject);
  const names = [...users.map(user => user['username']), annotationsOf(event)[auditAnnotations.loginName]];
  return names.filter(name => typeof name === 'string');
}

function clustersOf(event: JsonObject): unknown[] {
  const { [auditAnnotations.cluster]: name, [auditAnnotations.clusterId]: id } = annotationsOf(event);
  return name === undefined ? ['local'] : [name, id];
}

const annotationsOf = ({ annotations }: JsonObject): JsonObject => (isJsonObject(annotations) ? annotations : {});
