import type { MutatingAdmissionPolicyBindingSpec, MutatingAdmissionPolicySpec } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import { isJsonObject, jsonEqual, type Json } from '../../util/json.ts';
import { mergeTyped } from '../apply/typed-merge.ts';
import type { CelBudget } from '../../cel/cel.ts';
import { applyJsonPatch } from '../patch/json-patch.ts';
import type { Resource } from '../resource.ts';
import type { MergeType } from '../schema/merge-type.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { forbid } from './admission-errors.ts';
import {
  admissionVariables,
  compileExpression,
  evaluate,
  failedCondition,
  policyBudget,
  type CompiledExpression,
} from './cel-environment.ts';
import { inVersion, isExempt, matchRequest, type Invocation } from './match-rules.ts';
import {
  bindingMatches,
  lazyVariables,
  namespaceObject,
  paramsFor,
  policySource,
  type Binding,
  type Environment,
  type PolicyDeps,
  type PolicyWithBindings,
} from './policy-source.ts';
import { ensureReinvocation, roundsOf } from './reinvocation.ts';

interface Mutation {
  readonly patchType: string;
  readonly expression: CompiledExpression;
}

type Policy = PolicyWithBindings<MutatingAdmissionPolicySpec, MutatingAdmissionPolicyBindingSpec, readonly Mutation[]>;

interface Task {
  readonly policy: Policy['policy'];
  readonly binding: Binding<MutatingAdmissionPolicyBindingSpec>;
  readonly invocation: Invocation;
  readonly param: KubeObject | undefined;
}

const pluginName = 'MutatingAdmissionPolicy';

/** Changes objects as MutatingAdmissionPolicies say. */
export function mutatingPolicy({ lists, authorizer }: PolicyDeps): AdmissionPlugin {
  const policies: () => readonly Policy[] = policySource(
    lists,
    { policies: 'mutatingadmissionpolicies', bindings: 'mutatingadmissionpolicybindings' },
    compileMutations,
  );
  return {
    name: pluginName,
    handles: request => policies().length > 0 && !isExempt(request),
    mutate,
  };

  async function mutate(request: AdmissionRequest): Promise<void> {
    const errors: { message: string; reason: string }[] = [];
    const tasks = policies().flatMap(entry => plan(entry, request, errors));
    const rounds = roundsOf(request, pluginName);
    const reinvocation = ensureReinvocation(request);
    if (reinvocation.isSecondRound) rounds.startSecondRound(request.object);
    for (const task of tasks) {
      const id = `${task.policy.name}/${task.binding.name}/${task.param?.metadata.namespace ?? ''}/${task.param?.metadata.name ?? ''}`;
      if (reinvocation.isSecondRound && !rounds.mustRepeat(id)) continue;
      if (await run(task, request, errors)) {
        rounds.noteChange();
        reinvocation.isNeeded = true;
      }
      if (task.policy.spec.reinvocationPolicy === 'IfNeeded') rounds.noteInvoked(id);
    }
    if (!reinvocation.isSecondRound) rounds.noteOutput(request.object);
    if (errors.length > 0) throw refusal(request, errors);
  }

  async function run(task: Task, request: AdmissionRequest, errors: { message: string; reason: string }[]): Promise<boolean> {
    const { policy, binding, invocation, param } = task;
    const seen = await inVersion(request.object, request.resource, invocation.convertTo);
    if (!seen) return false;
    const oldObject = await inVersion(request.oldObject, request.resource, invocation.convertTo);
    const resource = invocation.convertTo ?? request.resource;
    let object = seen;
    const isStrict = policy.spec.failurePolicy !== 'Ignore';
    const note = (error: unknown) => {
      if (error instanceof StatusError) throw error;
      const message = `policy '${policy.name}' with binding '${binding.name}' denied request: ${(error as Error).message}`;
      if (isStrict) errors.push({ message, reason: 'Invalid' });
    };
    for (const [i, mutation] of policy.compiled.entries()) {
      const budget: CelBudget = { remaining: policyBudget };
      const scope: Record<string, unknown> = {
        ...admissionVariables({ request, invocation, object, oldObject, authorizer }),
        namespaceObject: namespaceObject(request),
        params: param ?? null,
      };
      try {
        if (i === 0 && failedCondition(policy.conditions, scope) !== undefined) return false;
        scope['variables'] = lazyVariables(policy, scope, budget);
        object = mutateOnce(mutation, scope, budget, object, resource);
      } catch (error) {
        note(error);
      }
    }
    if (jsonEqual(object, seen)) return false;
    request.object = await inVersion(object, resource, invocation.convertTo && request.resource);
    return true;
  }
}

function compileMutations(spec: MutatingAdmissionPolicySpec, environment: Environment): readonly Mutation[] {
  return (spec.mutations ?? []).map(({ patchType, applyConfiguration, jsonPatch }) => ({
    patchType,
    expression: compileExpression(applyConfiguration?.expression ?? jsonPatch?.expression ?? '', environment, true),
  }));
}

function plan({ policy, bindings }: Policy, request: AdmissionRequest, errors: { message: string; reason: string }[]): Task[] {
  const invocation = matchRequest(policy.matching, request);
  if (!invocation) return [];
  return bindings
    .filter(binding => bindingMatches(binding, request))
    .flatMap(binding => {
      try {
        return paramsFor(policy.spec.paramKind, binding.spec.paramRef, request).map(param => ({ policy, binding, invocation, param }));
      } catch (error) {
        const why = `failed to configure binding: ${(error as Error).message}`;
        const message = `policy '${policy.name}' with binding '${binding.name}' denied request: ${why}`;
        if (policy.spec.failurePolicy !== 'Ignore') errors.push({ message, reason: '' });
        return [];
      }
    });
}

function mutateOnce(
  mutation: Mutation,
  scope: Record<string, unknown>,
  budget: CelBudget,
  obj: KubeObject,
  resource: Resource,
): KubeObject {
  const value = evaluate(mutation.expression, scope, budget) as Json;
  const patched = mutation.patchType === 'JSONPatch' ? patchObject(obj, value) : applyObject(obj, value, resource);
  if (patched === obj) return obj;
  const shaped = resource.codec.shape(patched, []);
  resource.codec.setDefaults(shaped);
  return shaped;
}

function patchObject(obj: KubeObject, value: Json): KubeObject {
  if (!Array.isArray(value)) throw new Error('type mismatch: JSONPatchType.expression should evaluate to array');
  try {
    return applyJsonPatch(obj as unknown as Json, value) as unknown as KubeObject;
  } catch (error) {
    const { cause = error } = error as { cause?: unknown };
    const why = cause instanceof Error ? cause.message : String(cause);
    // A `test` that fails is a way to say: not this one.
    if (/^testing .*failed/.test(why)) return obj;
    throw new Error(`JSON Patch: ${why}`, { cause: error });
  }
}

function applyObject(obj: KubeObject, value: Json, resource: Resource): KubeObject {
  if (!isJsonObject(value)) throw new Error('unsupported return type from ApplyConfiguration expression');
  const patch = { ...value, apiVersion: obj.apiVersion, kind: obj.kind };
  const atomics = atomicPaths(resource.mergeType, patch, '');
  if (atomics.length > 0)
    throw new Error(
      `error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: ${atomics.join(', ')}`,
    );
  return mergeTyped(resource.mergeType, obj as unknown as Json, patch) as unknown as KubeObject;
}

function atomicPaths(type: MergeType | undefined, value: Json, path: string): string[] {
  if (!type || typeof value !== 'object' || value === null) return [];
  if (type.type === 'object' && isJsonObject(value)) {
    const inner = Object.entries(value).flatMap(([key, v]) => atomicPaths(type.field(key), v, `${path}.${key}`));
    return type.atomic ? [path, ...inner] : inner;
  }
  if (type.type !== 'list' || !Array.isArray(value)) return [];
  if (type.listType === 'atomic') return [path];
  return value.flatMap((item, i) => atomicPaths(type.element, item, `${path}[${i}]`));
}

function refusal(request: AdmissionRequest, errors: readonly { message: string; reason: string }[]): StatusError {
  const forbidden = forbid(
    request,
    'admission request denied by policy',
    errors.map(({ message }) => ({ message })),
  );
  return new StatusError(403, errors[0]!.reason || 'Forbidden', errors[0]!.message, forbidden.details);
}
