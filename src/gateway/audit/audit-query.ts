import { auditAnnotations } from '../../api/audit-annotations.ts';
import { badRequest } from '../../api/status.ts';
import { isJsonObject, type Json, type JsonObject } from '../../util/json.ts';

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
  /** Only what people and their programs have changed: nothing that was read, refused or only tried, nothing that Kubernetes or the hub does by itself. */
  readonly isChange?: boolean;
}

const names = ['user', 'cluster', 'verb'] as const;

/** Throws 400 for a time that is none. */
export function parseAuditQuery(query: URLSearchParams): AuditQuery {
  const given = names.map(name => [name, query.get(name)] as const).filter(([, value]) => value !== null && value !== '');
  const since = query.get('since') ?? '';
  if (since !== '' && !Number.isFinite(Date.parse(since))) throw badRequest('since must be a time such as 2026-11-16T12:00:00Z');
  const isChange = query.get('changes') === 'true';
  return { ...Object.fromEntries(given), ...(since !== '' && { since: new Date(since) }), ...(isChange && { isChange }) };
}

const mostNewest = 1000;

/** How many of the newest lines are wanted; undefined for all. Throws 400 for a number that is none. */
export function parseNewest(query: URLSearchParams): number | undefined {
  const text = query.get('newest');
  if (text === null) return undefined;
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > mostNewest) throw badRequest(`newest must be a number from 1 to ${mostNewest}`);
  return count;
}

export function matchesQuery(event: JsonObject, { user, aliases = [], cluster, verb, since, isChange = false }: AuditQuery): boolean {
  if (since && !(Date.parse(String(event['requestReceivedTimestamp'])) >= since.getTime())) return false;
  if (verb !== undefined && event['verb'] !== verb) return false;
  if (isChange && !changesSomething(event)) return false;
  if (user !== undefined && !namesOf(event).some(name => name === user || aliases.includes(name))) return false;
  return cluster === undefined || clustersOf(event).includes(cluster);
}

const changingVerbs: ReadonlySet<unknown> = new Set(['create', 'update', 'patch', 'delete', 'deletecollection']);

function changesSomething(event: JsonObject): boolean {
  const { resource, subresource } = fieldsOf(event['objectRef']);
  const code = Number(fieldsOf(event['responseStatus'])['code']);
  return (
    changingVerbs.has(event['verb']) &&
    typeof resource === 'string' &&
    !resource.endsWith('reviews') &&
    subresource !== 'status' &&
    code < 400 &&
    !/[?&]dryRun=All\b/.test(String(event['requestURI'])) &&
    !isOfItself(String(fieldsOf(event['user'])['username']))
  );
}

/** Parts of Kubernetes, the hub and its agents. The robots of people have accounts too, and an administrator may be called `system:admin`. */
const isOfItself = (name: string): boolean =>
  name.startsWith('system:') &&
  name !== 'system:admin' &&
  (!name.startsWith('system:serviceaccount:') || name.startsWith('system:serviceaccount:kube-system:'));

const fieldsOf = (value: Json | undefined): JsonObject => (isJsonObject(value) ? value : {});

function namesOf(event: JsonObject): string[] {
  const users = [event['user'], event['impersonatedUser']].filter(isJsonObject);
  const names = [...users.map(user => user['username']), annotationsOf(event)[auditAnnotations.loginName]];
  return names.filter(name => typeof name === 'string');
}

function clustersOf(event: JsonObject): unknown[] {
  const { [auditAnnotations.cluster]: name, [auditAnnotations.clusterId]: id } = annotationsOf(event);
  return name === undefined ? ['local'] : [name, id];
}

const annotationsOf = ({ annotations }: JsonObject): JsonObject => fieldsOf(annotations);
