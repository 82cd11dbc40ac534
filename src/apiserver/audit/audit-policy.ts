import type { AccessAttributes, UserInfo } from '../../auth/user.ts';

export type AuditLevel = 'None' | 'Metadata' | 'Request' | 'RequestResponse';
export type AuditStage = 'RequestReceived' | 'ResponseStarted' | 'ResponseComplete' | 'Panic';

/** audit.k8s.io/v1 Policy. */
export interface AuditPolicy {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly rules: readonly AuditRule[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditRule {
  readonly level: AuditLevel;
  readonly users?: readonly string[];
  readonly userGroups?: readonly string[];
  readonly verbs?: readonly string[];
  readonly resources?: readonly AuditResources[];
  readonly namespaces?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly omitStages?: readonly AuditStage[];
  readonly omitManagedFields?: boolean;
}

export interface AuditResources {
  readonly group?: string;
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
}

/** How much of one request is written down. */
export interface AuditDecision {
  readonly level: AuditLevel;
  readonly omitStages: readonly AuditStage[];
  readonly omitManagedFields: boolean;
}

/**
 * What is written when the operator gives no policy: who changed what, without bodies. Reads are left out, and so are the heartbeats of a cluster
 * (leases, events, token and access reviews), which would drown the rest.
 */
export const defaultAuditPolicy: AuditPolicy = {
  apiVersion: 'audit.k8s.io/v1',
  kind: 'Policy',
  omitStages: ['RequestReceived'],
  rules: [
    { level: 'None', verbs: ['get', 'list', 'watch'] },
    { level: 'None', nonResourceURLs: ['*'] },
    {
      level: 'None',
      resources: [
        { group: 'coordination.k8s.io', resources: ['leases'] },
        { group: '', resources: ['events'] },
        { group: 'events.k8s.io', resources: ['events'] },
        { group: 'authentication.k8s.io' },
        { group: 'authorization.k8s.io' },
      ],
    },
    { level: 'Metadata' },
  ],
};

/** The first rule that matches decides; without one nothing is written. */
export function auditDecision(policy: AuditPolicy, user: UserInfo | undefined, attributes: AccessAttributes): AuditDecision {
  const rule = policy.rules.find(candidate => ruleMatches(candidate, user, attributes));
  return {
    level: capped(rule?.level ?? 'None', attributes),
    omitStages: [...new Set([...(policy.omitStages ?? []), ...(rule?.omitStages ?? [])])],
    omitManagedFields: rule?.omitManagedFields ?? policy.omitManagedFields ?? false,
  };
}

/**
 * Bodies that hold secrets are never written, whatever the policy says. The real server would; an audit log is read by more people than the
 * secrets are.
 */
function capped(level: AuditLevel, attributes: AccessAttributes): AuditLevel {
  return (level === 'Request' || level === 'RequestResponse') && holdsSecrets(attributes) ? 'Metadata' : level;
}

function holdsSecrets(attributes: AccessAttributes): boolean {
  if (!attributes.isResource) return false;
  const { group, resource, subresource } = attributes;
  if (group === '') return resource === 'secrets' || (resource === 'serviceaccounts' && subresource === 'token');
  return group === 'authentication.k8s.io' && resource === 'tokenreviews';
}

function ruleMatches(rule: AuditRule, user: UserInfo | undefined, attributes: AccessAttributes): boolean {
  if (isSet(rule.users) && !(user && rule.users.includes(user.name))) return false;
  if (isSet(rule.userGroups) && !user?.groups.some(group => rule.userGroups?.includes(group))) return false;
  if (isSet(rule.verbs) && !rule.verbs.includes(attributes.verb)) return false;
  if (isSet(rule.namespaces) || isSet(rule.resources)) return matchesResource(rule, attributes);
  if (isSet(rule.nonResourceURLs))
    return !attributes.isResource && rule.nonResourceURLs.some(pattern => matchesPath(pattern, attributes.path));
  return true;
}

function isSet<T>(list: readonly T[] | undefined): list is readonly T[] {
  return list !== undefined && list.length > 0;
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.replace(/\*+$/, '')));
}

function matchesResource({ namespaces, resources }: AuditRule, attributes: AccessAttributes): boolean {
  if (!attributes.isResource) return false;
  if (isSet(namespaces) && !namespaces.includes(attributes.namespace)) return false;
  if (!isSet(resources)) return true;
  const { group, resource, subresource, name } = attributes;
  const combined = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(wanted => {
    if ((wanted.group ?? '') !== group && wanted.group !== '*') return false;
    if (!isSet(wanted.resources)) return true;
    if (isSet(wanted.resourceNames) && !wanted.resourceNames.includes(name)) return false;
    return wanted.resources.some(
      r => r === combined || r === '*' || (subresource !== '' && r === `*/${subresource}`) || r === `${resource}/*`,
    );
  });
}

const levels = new Set<string>(['None', 'Metadata', 'Request', 'RequestResponse']);
const stages = new Set<string>(['RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic']);

/** Reads a policy that a person wrote. Throws an Error that names what is wrong. */
export function parseAuditPolicy(value: unknown): AuditPolicy {
  const policy = value as AuditPolicy | null;
  if (typeof policy !== 'object' || policy === null || policy.kind !== 'Policy' || policy.apiVersion !== 'audit.k8s.io/v1')
    throw new Error('audit policy must be of apiVersion "audit.k8s.io/v1" and kind "Policy"');
  if (!Array.isArray(policy.rules) || policy.rules.length === 0) throw new Error('audit policy has no rules');
  checkStages(policy.omitStages, 'omitStages');
  for (const [i, rule] of (policy.rules as AuditRule[]).entries()) {
    if (!levels.has(rule.level)) throw new Error(`audit policy: rules[${i}].level "${rule.level}" is unknown`);
    checkStages(rule.omitStages, `rules[${i}].omitStages`);
    if (isSet(rule.nonResourceURLs) && (isSet(rule.resources) || isSet(rule.namespaces)))
      throw new Error(`audit policy: rules[${i}] cannot apply to both regular resources and non-resource URLs`);
  }
  return policy;
}

function checkStages(list: readonly string[] | undefined, path: string): void {
  const unknown = list?.find(stage => !stages.has(stage));
  if (unknown !== undefined) throw new Error(`audit policy: ${path} holds unknown stage "${unknown}"`);
}
