import type {
  LabelSelector,
  MatchCondition,
  MatchResources,
  NamedRuleWithOperations,
  ParamKind,
  ParamRef,
  Variable,
} from '../../api/kubernetes.ts';
import { parseApiVersion, type KubeObject } from '../../api/object.ts';
import type { Authorizer } from '../../auth/user.ts';
import { CelError, type CelBudget } from '../../cel/cel.ts';
import { celTypes, type CelType } from '../../cel/cel-type.ts';
import { selectorMatches } from '../validation/label-selector.ts';
import type { AdmissionRequest } from './admission.ts';
import { admissionTypes, compileExpression, type CompiledExpression } from './cel-environment.ts';
import { matchRequest, namespaceOf, type Matching, type Rule } from './match-rules.ts';
import type { WatchedLists } from './watched-lists.ts';

/** What validating and mutating policies have in common. */
export interface PolicySpec {
  failurePolicy?: string;
  matchConditions?: MatchCondition[];
  matchConstraints?: MatchResources;
  paramKind?: ParamKind;
  variables?: Variable[];
}

export interface BindingSpec {
  matchResources?: MatchResources;
  paramRef?: ParamRef;
  policyName?: string;
}

export interface CompiledPolicy<S extends PolicySpec, C> {
  readonly name: string;
  readonly spec: S;
  readonly matching: Matching;
  readonly variables: readonly { name: string; expression: CompiledExpression }[];
  readonly conditions: readonly { name: string; expression: CompiledExpression }[];
  /** What is particular to the kind of policy. */
  readonly compiled: C;
}

export interface Binding<B extends BindingSpec> {
  readonly name: string;
  readonly spec: B;
  readonly matching: Matching | undefined;
}

export interface PolicyWithBindings<S extends PolicySpec, B extends BindingSpec, C> {
  readonly policy: CompiledPolicy<S, C>;
  readonly bindings: readonly Binding<B>[];
}

/** Variables of expressions, by what a policy declares. */
export type Environment = Readonly<Record<string, CelType>>;

/** Policies that have bindings, each with its own, by name. */
export function policySource<S extends PolicySpec, B extends BindingSpec, C>(
  lists: WatchedLists,
  resources: { policies: string; bindings: string },
  compile: (spec: S, environment: Environment) => C,
): () => readonly PolicyWithBindings<S, B, C>[] {
  const group = 'admissionregistration.k8s.io';
  const policies = lists.list({ group, resource: resources.policies }, obj => readPolicy<S, C>(obj, compile));
  const bindings = lists.list({ group, resource: resources.bindings }, obj => readBinding<B>(obj));
  let seen: readonly unknown[] = [];
  let joined: readonly PolicyWithBindings<S, B, C>[] = [];
  return () => {
    const [present, bound] = [policies.all(), bindings.all()];
    if (seen[0] === present && seen[1] === bound) return joined;
    seen = [present, bound];
    joined = present
      .map(policy => ({ policy, bindings: bound.filter(binding => binding.spec.policyName === policy.name) }))
      .filter(entry => entry.bindings.length > 0);
    return joined;
  };
}

function readPolicy<S extends PolicySpec, C>(obj: KubeObject, compile: (spec: S, environment: Environment) => C): CompiledPolicy<S, C> {
  const spec = (obj['spec'] ?? {}) as S;
  const base: Environment = { ...admissionTypes, namespaceObject: celTypes.dyn, ...(spec.paramKind && { params: celTypes.dyn }) };
  const { variables, environment } = compileVariables(spec.variables ?? [], base);
  return {
    name: obj.metadata.name ?? '',
    spec,
    matching: matchingOf(spec.matchConstraints ?? {}),
    variables,
    conditions: (spec.matchConditions ?? []).map(({ name, expression }) => ({ name, expression: compileExpression(expression, base) })),
    compiled: compile(spec, environment),
  };
}

// A variable may use those before it.
function compileVariables(declared: readonly Variable[], base: Environment) {
  const types: Record<string, CelType> = {};
  const variables: { name: string; expression: CompiledExpression }[] = [];
  const environment = () => ({ ...base, variables: celTypes.object('kubernetes.variables', { ...types }) });
  for (const { name, expression } of declared) {
    const compiled = compileExpression(expression, environment());
    variables.push({ name, expression: compiled });
    types[name] = compiled.program?.resultType ?? celTypes.dyn;
  }
  return { variables, environment: environment() };
}

function readBinding<B extends BindingSpec>(obj: KubeObject): Binding<B> {
  const spec = (obj['spec'] ?? {}) as B;
  return { name: obj.metadata.name ?? '', spec, matching: spec.matchResources && matchingOf(spec.matchResources) };
}

function matchingOf({ resourceRules, excludeResourceRules, matchPolicy, namespaceSelector, objectSelector }: MatchResources): Matching {
  const asRules = (rules: NamedRuleWithOperations[] | undefined) => (rules ?? []) as Rule[];
  return {
    rules: resourceRules?.length ? asRules(resourceRules) : [everything],
    excludeRules: asRules(excludeResourceRules),
    matchPolicy: matchPolicy ?? 'Equivalent',
    namespaceSelector,
    objectSelector,
  };
}

const everything: Rule = { operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*', '*/*'] };

export function bindingMatches<B extends BindingSpec>({ matching }: Binding<B>, request: AdmissionRequest): boolean {
  return matching === undefined || matchRequest(matching, request) !== undefined;
}

/** Says what is wrong with a policy as a whole, or nothing. */
export function policyProblem({ paramKind }: PolicySpec, request: AdmissionRequest): string | undefined {
  if (!paramKind) return undefined;
  const { apiVersion = '', kind = '' } = paramKind;
  return request.api.catalog.findKind({ ...parseApiVersion(apiVersion), kind }) ? undefined : unknownParamKind(paramKind);
}

const unknownParamKind = ({ apiVersion = '', kind = '' }: ParamKind) =>
  `failed to find resource referenced by paramKind: '${apiVersion}, Kind=${kind}'`;

/** The objects a binding runs its policy with; one undefined when it takes none. Throws an Error that says what is wrong with the binding. */
export function paramsFor(
  paramKind: ParamKind | undefined,
  ref: ParamRef | undefined,
  request: AdmissionRequest,
): (KubeObject | undefined)[] {
  if (!paramKind || !ref) return [undefined];
  const { apiVersion = '', kind = '' } = paramKind;
  const resource = request.api.catalog.findKind({ ...parseApiVersion(apiVersion), kind });
  if (!resource) throw new Error(unknownParamKind(paramKind));
  if (ref.namespace && !resource.namespaced) throw new Error('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  const namespace = resource.namespaced ? ref.namespace || namespaceOf(request) : '';
  if (resource.namespaced && namespace === '')
    throw new Error('cannot use namespaced paramRef in policy binding that matches cluster-scoped resources');
  const found = findParams(
    ref,
    name => request.api.peek(resource, namespace, name),
    () => request.api.peekAll(resource, resource.namespaced ? namespace : undefined),
  );
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new Error('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function findParams(ref: ParamRef, get: (name: string) => KubeObject | undefined, list: () => KubeObject[]): KubeObject[] {
  if (ref.name) {
    if (ref.selector) throw new Error('paramRef.name and paramRef.selector are mutually exclusive');
    const param = get(ref.name);
    return param ? [param] : [];
  }
  if (!ref.selector) throw new Error('one of name or selector must be provided');
  return list().filter(obj => selectorMatches(ref.selector as LabelSelector as never, obj.metadata.labels ?? {}));
}

/** `variables.x`: evaluated when first asked for, and once. */
export function lazyVariables(
  policy: CompiledPolicy<PolicySpec, unknown>,
  scope: Record<string, unknown>,
  budget: CelBudget,
): Record<string, unknown> {
  const variables: Record<string, unknown> = {};
  for (const { name, expression } of policy.variables) {
    let value: { is: unknown } | undefined;
    Object.defineProperty(variables, name, {
      enumerable: true,
      get: () => (value ??= { is: evaluateVariable(name, expression, scope, budget) }).is,
    });
  }
  return variables;
}

function evaluateVariable(
  name: string,
  { program, error }: CompiledExpression,
  scope: Record<string, unknown>,
  budget: CelBudget,
): unknown {
  if (!program) throw new CelError(`composited variable ${JSON.stringify(name)} fails to compile: ${error}`);
  try {
    return program.evaluateValue(scope, budget);
  } catch (cause) {
    throw new CelError(`composited variable ${JSON.stringify(name)} fails to evaluate: ${(cause as Error).message}`, { cause });
  }
}

export interface PolicyDeps {
  readonly lists: WatchedLists;
  readonly authorizer?: Authorizer;
}

/** The namespace as expressions see it: what admission may read of it. */
export function namespaceObject(request: AdmissionRequest): KubeObject | null {
  if (request.kind.kind === 'Namespace' && request.kind.group === '') return null;
  const namespace = namespaceOf(request);
  const found = namespace === '' ? undefined : request.api.peek({ group: '', resource: 'namespaces' }, '', namespace);
  if (!found) return null;
  const { managedFields: _ignored, ...metadata } = found.metadata;
  return { ...found, metadata };
}
