import type { KubeObject } from '../../api/object.ts';
import type { Authorizer, UserInfo } from '../../auth/user.ts';
import { CelError, type CelBudget, type CelProgram } from '../../cel/cel.ts';
import { authorizerType, CelAuthorizer, resourceCheckType, type AccessQuestion } from '../../cel/authorizer-library.ts';
import { celTypes, type CelType } from '../../cel/cel-type.ts';
import { compileCel } from '../../cel/compile-cel.ts';
import type { AdmissionRequest } from './admission.ts';
import { namespaceOf, type Invocation } from './match-rules.ts';

const { dyn, string, bool, list, map, object } = celTypes;
const gvk = object('kubernetes.GroupVersionKind', { group: string, version: string, kind: string });
const gvr = object('kubernetes.GroupVersionResource', { group: string, version: string, resource: string });
const userInfo = object('kubernetes.UserInfo', { username: string, uid: string, groups: list(string), extra: map(string, list(string)) });
const requestType = object('kubernetes.AdmissionRequest', {
  kind: gvk,
  resource: gvr,
  subResource: string,
  requestKind: gvk,
  requestResource: gvr,
  requestSubResource: string,
  name: string,
  namespace: string,
  operation: string,
  userInfo,
  dryRun: bool,
  options: dyn,
});

/** The variables that every admission expression may use. */
export const admissionTypes: Readonly<Record<string, CelType>> = {
  object: dyn,
  oldObject: dyn,
  request: requestType,
  authorizer: authorizerType,
  'authorizer.requestResource': resourceCheckType,
};

/** Evaluation of the rules of one policy may cost this much in all. */
export const policyBudget = 10_000_000;
/** Evaluation of match conditions may cost a quarter of that. */
const matchConditionBudget = 2_500_000;

export interface CompiledExpression {
  readonly program?: CelProgram;
  readonly error?: string;
}

/** Compiles; an expression that does not compile fails when it is evaluated, as policies keep such expressions. */
export function compileExpression(
  expression: string,
  variables: Readonly<Record<string, CelType>>,
  allowObjects = false,
): CompiledExpression {
  try {
    return { program: compileCel(expression, { variables, allowObjects }) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

export function evaluate({ program, error }: CompiledExpression, variables: Readonly<Record<string, unknown>>, budget: CelBudget): unknown {
  if (!program) throw new CelError(`compilation error: ${error}`);
  try {
    return program.evaluate(variables, budget);
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new CelError(`expression '${program.expression}' resulted in error: ${reason}`, { cause });
  }
}

export interface CelInput {
  readonly request: AdmissionRequest;
  readonly invocation: Invocation;
  readonly object: KubeObject | undefined;
  readonly oldObject: KubeObject | undefined;
  readonly authorizer: Authorizer | undefined;
}

export function admissionVariables({ request, invocation, object: obj, oldObject, authorizer }: CelInput): Record<string, unknown> {
  const { resource, kind, user } = request;
  const requestKind = { group: kind.group, version: kind.version, kind: kind.kind };
  return {
    object: obj ?? null,
    oldObject: oldObject ?? null,
    request: {
      kind: invocation.kind,
      resource: invocation.resource,
      subResource: request.subresource,
      requestKind,
      requestResource: { group: resource.group, version: resource.version, resource: resource.resource },
      requestSubResource: request.subresource,
      name: request.name,
      namespace: namespaceOf(request),
      operation: request.operation,
      userInfo: { username: user.name, uid: user.uid ?? '', groups: user.groups, extra: user.extra ?? {} },
      dryRun: request.dryRun,
      options: request.options ?? null,
    },
    ...(authorizer && authorizerVariables(request, authorizer)),
  };
}

function authorizerVariables(request: AdmissionRequest, authorizer: Authorizer): Record<string, unknown> {
  const { resource, subresource, name } = request;
  const root = new CelAuthorizer(question => answer(request.user, question, authorizer));
  const check = { group: resource.group, resource: resource.resource, subresource, namespace: namespaceOf(request), name };
  return { authorizer: root, 'authorizer.requestResource': root.with(check, 'ResourceCheck') };
}

function answer(requester: UserInfo, question: AccessQuestion, authorizer: Authorizer): { allowed: boolean; reason: string } {
  const { serviceAccount, verb, path } = question;
  const user = serviceAccount ? serviceAccountUser(serviceAccount.namespace, serviceAccount.name) : requester;
  if (path !== undefined) return authorizer.authorize(user, { isResource: false, verb, path });
  const { group = '', resource = '', subresource = '', namespace = '', name = '' } = question;
  return authorizer.authorize(user, { isResource: true, verb, group, version: '*', resource, subresource, namespace, name });
}

function serviceAccountUser(namespace: string, name: string): UserInfo {
  const groups = ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'];
  return { name: `system:serviceaccount:${namespace}:${name}`, groups };
}

/** Undefined when every condition holds; the name of the first that does not; throws what failed when nothing was false. */
export function failedCondition(
  conditions: readonly { name: string; expression: CompiledExpression }[],
  variables: Readonly<Record<string, unknown>>,
): string | undefined {
  const budget: CelBudget = { remaining: matchConditionBudget };
  const errors: string[] = [];
  for (const { name, expression } of conditions) {
    try {
      if (evaluate(expression, variables, budget) === false) return name;
    } catch (error) {
      errors.push(error instanceof Error ? error.message : String(error));
    }
  }
  if (errors.length > 0) throw new CelError(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
  return undefined;
}
