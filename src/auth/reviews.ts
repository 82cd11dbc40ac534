import type { SelfSubjectRulesReview, SubjectAccessReviewSpec, TokenReview } from '../api/kubernetes.ts';
import type { KubeObject } from '../api/object.ts';
import { badRequest, invalidObject } from '../api/status.ts';
import type { Authenticator } from './authenticator.ts';
import { printErrors, printMissing, type RbacAuthorizer } from './rbac.ts';
import { selectorProblems, validateAccessReview } from './review-validation.ts';
import type { AccessAttributes, UserInfo } from './user.ts';
import { timestamp } from '../util/timestamp.ts';

export interface ReviewContext {
  readonly authorizer: RbacAuthorizer;
  readonly authenticator: Authenticator;
  /** What tokens for this server are made out to. */
  readonly audiences: readonly string[];
  /** Who asks. */
  readonly user: UserInfo;
  /** From the URL, '' for cluster-wide kinds. */
  readonly namespace: string;
  readonly now: Date;
}

export type Review = (obj: KubeObject, ctx: ReviewContext) => KubeObject;

/** By `group/resource`: POST asks a question, and the same object comes back with the answer in its status. Nothing is stored. */
export const reviews: Readonly<Record<string, Review>> = {
  'authorization.k8s.io/selfsubjectaccessreviews': (obj, ctx) => reviewAccess(obj, ctx, ctx.user),
  'authorization.k8s.io/subjectaccessreviews': (obj, ctx) => reviewAccess(obj, ctx, subjectOf(obj)),
  'authorization.k8s.io/localsubjectaccessreviews': (obj, ctx) => reviewAccess(obj, ctx, subjectOf(obj)),
  'authorization.k8s.io/selfsubjectrulesreviews': reviewRules,
  'authentication.k8s.io/selfsubjectreviews': reviewSelf,
  'authentication.k8s.io/tokenreviews': reviewToken,
};

function reviewAccess(obj: KubeObject, ctx: ReviewContext, user: UserInfo): KubeObject {
  const errors = validateAccessReview(obj);
  // The real server prints the kind of its internal type, which is empty.
  if (errors.length > 0) throw invalidObject({ group: 'authorization.k8s.io', kind: '' }, '', errors);
  if (obj.kind === 'LocalSubjectAccessReview' && ctx.namespace !== (obj.metadata.namespace ?? ''))
    throw badRequest(`spec.resourceAttributes.namespace must match namespace: ${ctx.namespace}`);

  const spec = specOf(obj);
  const { allowed, reason } = ctx.authorizer.authorize(user, attributesOf(spec));
  const problems = selectorProblems(spec.resourceAttributes);
  return {
    ...obj,
    status: { allowed, ...(reason !== '' && { reason }), ...(problems.length > 0 && { evaluationError: problems.join('; ') }) },
  };
}

function specOf(obj: KubeObject): SubjectAccessReviewSpec {
  return (obj['spec'] ?? {}) as SubjectAccessReviewSpec;
}

function subjectOf(obj: KubeObject): UserInfo {
  const { user = '', uid, groups, extra } = specOf(obj);
  return { name: user, groups: groups ?? [], ...(uid !== undefined && { uid }), ...(extra && { extra }) };
}

function attributesOf({ resourceAttributes: wanted, nonResourceAttributes }: SubjectAccessReviewSpec): AccessAttributes {
  if (!wanted) return { isResource: false, verb: nonResourceAttributes?.verb ?? '', path: nonResourceAttributes?.path ?? '' };
  return {
    isResource: true,
    verb: wanted.verb ?? '',
    group: wanted.group ?? '',
    version: wanted.version === undefined || wanted.version === '' ? '*' : wanted.version,
    resource: wanted.resource ?? '',
    subresource: wanted.subresource ?? '',
    namespace: wanted.namespace ?? '',
    name: wanted.name ?? '',
  };
}

function reviewRules(obj: KubeObject, ctx: ReviewContext): KubeObject {
  const namespace = (obj as unknown as SelfSubjectRulesReview).spec?.namespace ?? '';
  if (namespace === '') throw badRequest('no namespace on request');
  const { rules, missing } = ctx.authorizer.rulesFor(ctx.user, namespace);
  const resourceRules = rules
    .filter(rule => (rule.resources?.length ?? 0) > 0)
    .map(({ verbs, apiGroups, resources, resourceNames }) => ({
      verbs,
      ...(apiGroups && { apiGroups }),
      ...(resources && { resources }),
      ...(resourceNames && { resourceNames }),
    }));
  const nonResourceRules = rules
    .filter(rule => (rule.nonResourceURLs?.length ?? 0) > 0)
    .map(({ verbs, nonResourceURLs }) => ({ verbs, nonResourceURLs }));
  return {
    apiVersion: obj.apiVersion,
    kind: obj.kind,
    metadata: {},
    spec: {},
    status: {
      resourceRules,
      nonResourceRules,
      incomplete: false,
      ...(missing.length > 0 && { evaluationError: printErrors(missing.map(printMissing)) }),
    },
  };
}

function reviewSelf(obj: KubeObject, ctx: ReviewContext): KubeObject {
  const creationTimestamp = timestamp(ctx.now);
  return { apiVersion: obj.apiVersion, kind: obj.kind, metadata: { creationTimestamp }, status: { userInfo: printUser(ctx.user) } };
}

function reviewToken(obj: KubeObject, ctx: ReviewContext): KubeObject {
  if (ctx.namespace !== '') throw badRequest(`namespace is not allowed on this type: ${ctx.namespace}`);
  const { token = '', audiences = [] } = (obj as unknown as TokenReview).spec ?? {};
  if (token === '') throw badRequest('token is required for TokenReview in authentication');
  const found = ctx.authenticator.reviewToken(token, audiences.length > 0 ? audiences : ctx.audiences);
  if (!found) return { ...obj, status: { user: {} } };
  if ('error' in found) return { ...obj, status: { user: {}, error: found.error } };
  return { ...obj, status: { authenticated: true, user: printUser(found.user), audiences: found.audiences } };
}

/** A user as the authentication API prints it: what is empty is left out. */
export function printUser({ name, uid, groups, extra }: UserInfo) {
  return {
    ...(name !== '' && { username: name }),
    ...(uid !== undefined && uid !== '' && { uid }),
    ...(groups.length > 0 && { groups }),
    ...(extra && Object.keys(extra).length > 0 && { extra }),
  };
}
