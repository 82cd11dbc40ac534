import { LRUCache } from 'lru-cache';
import { badRequest, type StatusError } from '../api/status.ts';
import { isDns1123Subdomain, isHttpPath } from '../api/names.ts';
import { goQuote } from '../util/go-quote.ts';
import { firstValue, prefixedValues, type HeaderValues } from './header-values.ts';
import { forbiddenRequest, privilegedGroup } from './rbac.ts';
import { serviceAccountGroups, splitServiceAccountUsername } from './service-account-user.ts';
import { anonymous, type AccessAttributes, type Authorizer, type ResourceAttributes, type UserInfo } from './user.ts';

export interface Impersonation {
  readonly user: UserInfo;
  /** The verb that permitted it, for the audit log; '' for plain impersonation. */
  readonly constraint: string;
}

/** Who the headers ask to be, before anybody allowed it. */
export interface WantedUser {
  readonly name: string;
  readonly uid: string;
  readonly groups: readonly string[];
  readonly extra: Readonly<Record<string, readonly string[]>> | undefined;
}

type Mode = (requestor: UserInfo, wanted: WantedUser, attributes: AccessAttributes) => Impersonation | undefined;

/**
 * Turns the sender of a request into the user its Impersonate-* headers name. Returns undefined when there are none; throws 400 when they make no
 * sense and 403 when the sender may not. The constrained modes come first, then the plain verb `impersonate`; what worked last for a sender is
 * tried first and names the refusal.
 */
export function impersonator(authorizer: Authorizer) {
  // Made with the first impersonation: in most of thousands of clusters in one process there is none.
  let lastMode: LRUCache<string, number> | undefined;
  const modes = impersonationModes(authorizer);

  return function impersonate(requestor: UserInfo, headers: HeaderValues, attributes: AccessAttributes): Impersonation | undefined {
    const wanted = readImpersonation(headers);
    if (!wanted) return undefined;
    lastMode ??= new LRUCache({ max: 10_000 });
    const first = lastMode.get(requestor.name);
    const order = modes.map((_mode, i) => i);
    if (first !== undefined) order.unshift(...order.splice(first, 1));

    let refusal: unknown;
    for (const i of order) {
      try {
        const found = modes[i]?.(requestor, wanted, attributes);
        if (!found) continue;
        lastMode.set(requestor.name, i);
        return found;
      } catch (error) {
        refusal ??= error;
      }
    }
    throw refusal;
  };
}

/**
 * Who the headers ask to be, and the rights to `impersonate` that it takes: for those who have to ask another server whether the sender holds them.
 * Undefined when there are no such headers.
 */
export function plainImpersonation(headers: HeaderValues): { user: UserInfo; needs: readonly ResourceAttributes[] } | undefined {
  const wanted = readImpersonation(headers);
  if (!wanted) return undefined;
  const needs: ResourceAttributes[] = [];
  const check = (part: Part) =>
    void needs.push({ isResource: true, verb: 'impersonate', version: 'v1', subresource: '', namespace: '', ...part });
  const user = becomeUser({ check, isAllowed: () => false, refuse: (_part, why) => badRequest(why) }, wanted, false);
  return { user, needs };
}

/**
 * Stricter than the real server in one thing: it takes the first of several names, and an empty first one means none, so that a client could make
 * a proxy's own header vanish and act as the proxy. Repeated names are refused here.
 */
function readImpersonation(headers: HeaderValues): WantedUser | undefined {
  for (const header of ['Impersonate-User', 'Impersonate-Uid'])
    if ((headers.get(header.toLowerCase())?.length ?? 0) > 1) throw badRequest(`header ${goQuote(header)} must not be repeated`);
  const name = firstValue(headers, 'impersonate-user');
  const uid = firstValue(headers, 'impersonate-uid');
  const groups = headers.get('impersonate-group') ?? [];
  const extra = prefixedValues(headers, 'impersonate-extra-');
  const wanted = { name, uid, groups, extra };
  if (name !== '') return wanted;
  if (uid === '' && groups.length === 0 && !extra) return undefined;
  throw badRequest(`requested ${printWanted(wanted)} without impersonating a user name`);
}

/** As Go's `%#v` prints it. */
function printWanted({ name, uid, groups, extra }: WantedUser): string {
  const strings = (list: readonly string[]) => `[]string{${list.map(goQuote).join(', ')}}`;
  const printedGroups = groups.length === 0 ? '[]string(nil)' : strings(groups);
  const entries = Object.entries(extra ?? {})
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, values]) => `${goQuote(key)}:${strings(values)}`);
  const printedExtra = extra ? `map[string][]string{${entries.join(', ')}}` : 'map[string][]string(nil)';
  return `&user.DefaultInfo{Name:${goQuote(name)}, UID:${goQuote(uid)}, Groups:${printedGroups}, Extra:${printedExtra}}`;
}

function impersonationModes(authorizer: Authorizer): Mode[] {
  return [
    constrained('associated-node', (wanted, requestor) => isAlone(wanted) && isOwnNode(requestor, wanted.name)),
    constrained('arbitrary-node', wanted => isAlone(wanted) && nodeName(wanted.name) !== undefined),
    constrained('serviceaccount', wanted => isAlone(wanted) && splitServiceAccountUsername(wanted.name) !== undefined),
    constrained('user-info', wanted => nodeName(wanted.name) === undefined && !splitServiceAccountUsername(wanted.name)),
    (requestor, wanted) => ({ user: becomeUser(checkerFor(requestor, 'impersonate'), wanted, false), constraint: '' }),
  ];

  function constrained(mode: string, applies: (wanted: WantedUser, requestor: UserInfo) => boolean): Mode {
    const verb = `impersonate:${mode}`;
    return (requestor, wanted, attributes) => {
      if (!applies(wanted, requestor)) return undefined;
      check(requestor, { ...attributes, verb: `impersonate-on:${mode}:${attributes.verb}` });
      return { user: becomeUser(checkerFor(requestor, verb), wanted, true), constraint: verb };
    };
  }

  function checkerFor(requestor: UserInfo, verb: string): Checker {
    const attributesOf = (part: Part): ResourceAttributes => ({
      isResource: true,
      verb,
      version: 'v1',
      subresource: '',
      namespace: '',
      // The right to be one's own node is one right, whichever the node.
      ...(verb === 'impersonate:associated-node' ? { ...part, name: '*' } : part),
    });
    return {
      check: part => check(requestor, attributesOf(part)),
      isAllowed: part => authorizer.authorize(requestor, attributesOf(part)).allowed,
      refuse: (part, why) => forbiddenRequest(requestor, attributesOf(part), why),
    };
  }

  function check(requestor: UserInfo, attributes: AccessAttributes): void {
    const { allowed, reason } = authorizer.authorize(requestor, attributes);
    if (!allowed) throw forbiddenRequest(requestor, attributes, reason);
  }
}

interface Part {
  readonly group: string;
  readonly resource: string;
  readonly name: string;
  readonly subresource?: string;
  readonly namespace?: string;
}

interface Checker {
  check(part: Part): void;
  isAllowed(part: Part): boolean;
  refuse(part: Part, why: string): StatusError;
}

const authentication = 'authentication.k8s.io';
// From this many values on, the right to all of them is asked for first.
const manyChecks = 4;

function becomeUser(checker: Checker, wanted: WantedUser, isConstrained: boolean): UserInfo {
  const group = isConstrained ? authentication : '';
  const account = splitServiceAccountUsername(wanted.name);
  const node = isConstrained ? nodeName(wanted.name) : undefined;
  checker.check(namePart(wanted.name, group, account, node));
  if (wanted.uid !== '') checker.check({ group: authentication, resource: 'uids', name: wanted.uid });
  checkGroups(checker, wanted.groups, group, isConstrained);
  if (wanted.extra) checkExtra(checker, wanted.extra, isConstrained);

  const groups = fixedGroups(wanted, account, node);
  return {
    name: wanted.name,
    ...(wanted.uid !== '' && { uid: wanted.uid }),
    groups: withEverybody(wanted.name, groups),
    ...(wanted.extra && { extra: wanted.extra }),
  };
}

function namePart(name: string, group: string, account: { namespace: string; name: string } | undefined, node: string | undefined): Part {
  if (account) return { group, resource: 'serviceaccounts', ...account };
  return node === undefined ? { group, resource: 'users', name } : { group, resource: 'nodes', name: node };
}

function fixedGroups(wanted: WantedUser, account: { namespace: string } | undefined, node: string | undefined): readonly string[] {
  if (node !== undefined) return ['system:nodes'];
  return account && wanted.groups.length === 0 ? serviceAccountGroups(account.namespace) : wanted.groups;
}

function withEverybody(name: string, groups: readonly string[]): readonly string[] {
  if (name !== anonymous.name && groups.includes('system:unauthenticated')) return groups;
  const everybody = name === anonymous.name ? 'system:unauthenticated' : 'system:authenticated';
  return groups.includes(everybody) ? groups : [...groups, everybody];
}

function checkGroups(checker: Checker, groups: readonly string[], group: string, isConstrained: boolean): void {
  const part = (name: string): Part => ({ group, resource: 'groups', name });
  if (isConstrained && groups.includes('')) throw checker.refuse(part(''), 'impersonating the empty string group is not allowed');
  if (isConstrained && groups.includes(privilegedGroup))
    throw checker.refuse(part(privilegedGroup), 'impersonating the system:masters group is not allowed');
  if (isConstrained && groups.length >= manyChecks && checker.isAllowed(part('*'))) return;
  for (const name of groups) checker.check(part(name));
}

function checkExtra(checker: Checker, extra: NonNullable<WantedUser['extra']>, isConstrained: boolean): void {
  const part = (subresource: string, name: string): Part => ({ group: authentication, resource: 'userextras', subresource, name });
  const entries = Object.entries(extra);
  const problem = isConstrained ? extraProblem(entries) : undefined;
  if (problem !== undefined) throw checker.refuse(part('', ''), problem);
  const count = entries.reduce((sum, [, values]) => sum + values.length, 0);
  if (isConstrained && (entries.length >= manyChecks || count >= manyChecks) && checker.isAllowed(part('*', '*'))) return;
  for (const [key, values] of entries) for (const value of values) checker.check(part(key, value));
}

function extraProblem(entries: readonly [string, readonly string[]][]): string | undefined {
  for (const [key, values] of entries) {
    if (key === '') return 'impersonating the empty string key in extra is not allowed';
    const errors = domainPathErrors(key);
    if (errors.length > 0)
      return `impersonating an invalid key in extra is not allowed: ${errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`}`;
    if (key !== key.toLowerCase()) return `impersonating a non-lowercase key in extra is not allowed: ${goQuote(key)}`;
    if (values.length === 0) return 'impersonating empty values in extra is not allowed';
    if (values.includes('')) return 'impersonating the empty string value in extra is not allowed';
  }
  return undefined;
}

function domainPathErrors(key: string): string[] {
  const error = (value: string, why: string) => `extra.key: Invalid value: ${goQuote(value)}: ${why}`;
  const slash = key.indexOf('/');
  const host = key.slice(0, Math.max(slash, 0));
  const path = key.slice(slash + 1);
  if (slash < 0 || host === '' || path === '') return [error(key, 'must be a domain-prefixed path (such as "acme.io/foo")')];
  return [...isDns1123Subdomain(host).map(why => error(host, why)), ...isHttpPath(path).map(why => error(path, why))];
}

function nodeName(username: string): string | undefined {
  const prefix = 'system:node:';
  if (!username.startsWith(prefix)) return undefined;
  const name = username.slice(prefix.length);
  return isDns1123Subdomain(name).length === 0 ? name : undefined;
}

function isAlone({ uid, groups, extra }: WantedUser): boolean {
  return uid === '' && groups.length === 0 && !extra;
}

function isOwnNode(requestor: UserInfo, username: string): boolean {
  const node = nodeName(username);
  const own = requestor.extra?.['authentication.kubernetes.io/node-name'] ?? [];
  return node !== undefined && splitServiceAccountUsername(requestor.name) !== undefined && own.length === 1 && own[0] === node;
}
