import type { ValidatingAdmissionPolicyBindingSpec, ValidatingAdmissionPolicySpec, Validation } from '../../api/kubernetes.ts';
import { StatusError } from '../../api/status.ts';
import { printJson } from '../../util/json.ts';
import type { CelBudget } from '../../cel/cel.ts';
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
  policyProblem,
  policySource,
  type Binding,
  type Environment,
  type PolicyDeps,
  type PolicyWithBindings,
} from './policy-source.ts';

interface Rules {
  readonly validations: readonly { validation: Validation; expression: CompiledExpression; message: CompiledExpression | undefined }[];
  readonly auditAnnotations: readonly { key: string; valueExpression: string; expression: CompiledExpression }[];
}

type Policy = PolicyWithBindings<ValidatingAdmissionPolicySpec, ValidatingAdmissionPolicyBindingSpec, Rules>;

interface Denial {
  readonly index: number;
  readonly message: string;
  readonly reason: string;
}

interface Verdict {
  readonly denials: readonly Denial[];
  /** Denials that no binding can turn into warnings. */
  readonly errors: readonly string[];
  readonly annotations: readonly [string, string][];
}

const codes: Readonly<Record<string, number>> = { Unauthorized: 401, Forbidden: 403, RequestEntityTooLarge: 413, Invalid: 422 };
const maxMessageLength = 5 * 1024;
const maxAnnotationLength = 10 * 1024;

/** Judges requests by ValidatingAdmissionPolicies and their bindings. */
export function validatingPolicy({ lists, authorizer }: PolicyDeps): AdmissionPlugin {
  const policies: () => readonly Policy[] = policySource(
    lists,
    { policies: 'validatingadmissionpolicies', bindings: 'validatingadmissionpolicybindings' },
    compileRules,
  );
  return {
    name: 'ValidatingAdmissionPolicy',
    handles: request => policies().length > 0 && !isExempt(request),
    validate,
  };

  async function validate(request: AdmissionRequest): Promise<void> {
    const denied: { message: string; reason: string }[] = [];
    for (const entry of policies()) {
      const invocation = matchRequest(entry.policy.matching, request);
      if (!invocation) continue;
      const problem = policyProblem(entry.policy.spec, request);
      if (problem !== undefined) {
        const message = `ValidatingAdmissionPolicy '${entry.policy.name}' denied request: failed to configure policy: ${problem}`;
        if (entry.policy.spec.failurePolicy !== 'Ignore') denied.push({ message, reason: '' });
        continue;
      }
      const annotations = new Map<string, string[]>();
      for (const binding of entry.bindings) {
        if (!bindingMatches(binding, request)) continue;
        const prefix = `ValidatingAdmissionPolicy '${entry.policy.name}' with binding '${binding.name}' denied request: `;
        for (const denial of await judge(entry, binding, invocation, request, annotations))
          denied.push({ message: `${prefix}${denial.message}`, reason: denial.reason });
      }
      for (const [key, values] of annotations) request.auditAnnotation(`${entry.policy.name}/${key}`, values.join(', '));
    }
    const first = denied[0];
    if (first) throw refusal(request, first.message, first.reason);
  }

  async function judge(
    { policy }: Policy,
    binding: Binding<ValidatingAdmissionPolicyBindingSpec>,
    invocation: Invocation,
    request: AdmissionRequest,
    annotations: Map<string, string[]>,
  ): Promise<{ message: string; reason: string }[]> {
    const denied: { message: string; reason: string }[] = [];
    let params;
    try {
      params = paramsFor(policy.spec.paramKind, binding.spec.paramRef, request);
    } catch (error) {
      if (policy.spec.failurePolicy === 'Ignore') return [];
      return [{ message: `failed to configure binding: ${(error as Error).message}`, reason: '' }];
    }
    const object = await inVersion(request.object, request.resource, invocation.convertTo);
    const oldObject = await inVersion(request.oldObject, request.resource, invocation.convertTo);
    for (const param of params) {
      const scope: Record<string, unknown> = {
        ...admissionVariables({ request, invocation, object, oldObject, authorizer }),
        namespaceObject: namespaceObject(request),
        params: param ?? null,
      };
      const verdict = decide(policy, scope);
      for (const denial of verdict.denials) denied.push(...act(denial, policy.name, binding, request));
      for (const message of verdict.errors) denied.push({ message, reason: '' });
      for (const [key, value] of verdict.annotations) {
        const values = annotations.get(key) ?? [];
        if (!values.includes(value)) annotations.set(key, [...values, value]);
      }
    }
    return denied;
  }
}

function compileRules(spec: ValidatingAdmissionPolicySpec, environment: Environment): Rules {
  const { authorizer: _a, 'authorizer.requestResource': _r, ...withoutAuthorizer } = environment;
  return {
    validations: (spec.validations ?? []).map(validation => ({
      validation,
      expression: compileExpression(validation.expression, environment),
      message: validation.messageExpression ? compileExpression(validation.messageExpression, withoutAuthorizer) : undefined,
    })),
    auditAnnotations: (spec.auditAnnotations ?? []).map(({ key, valueExpression }) => ({
      key,
      valueExpression,
      expression: compileExpression(valueExpression, withoutAuthorizer),
    })),
  };
}

function decide(policy: Policy['policy'], scope: Record<string, unknown>): Verdict {
  const isLenient = policy.spec.failurePolicy === 'Ignore';
  const budget: CelBudget = { remaining: policyBudget };
  try {
    if (failedCondition(policy.conditions, scope) !== undefined) return { denials: [], errors: [], annotations: [] };
  } catch (error) {
    return { denials: isLenient ? [] : [{ index: 0, message: (error as Error).message, reason: '' }], errors: [], annotations: [] };
  }
  scope['variables'] = lazyVariables(policy, scope, budget);

  const denials: Denial[] = [];
  for (const [index, rule] of policy.compiled.validations.entries()) {
    try {
      if (evaluate(rule.expression, scope, budget) !== true)
        denials.push({ index, message: messageOf(rule, scope, budget), reason: rule.validation.reason ?? 'Invalid' });
    } catch (error) {
      if (!isLenient) denials.push({ index, message: (error as Error).message, reason: '' });
    }
  }
  return { denials, ...annotate(policy, scope, isLenient) };
}

function messageOf({ validation, message }: Rules['validations'][number], scope: Record<string, unknown>, budget: CelBudget): string {
  let text = '';
  if (message) {
    try {
      const value = evaluate(message, scope, budget);
      if (typeof value === 'string') text = value.trim();
    } catch {
      // The fixed message stands in for one that cannot be computed.
      text = '';
    }
    if (text.length > maxMessageLength || text.includes('\n')) text = '';
  }
  return text || validation.message?.trim() || `failed expression: ${validation.expression.trim()}`;
}

function annotate(policy: Policy['policy'], scope: Record<string, unknown>, isLenient: boolean): Pick<Verdict, 'errors' | 'annotations'> {
  const errors: string[] = [];
  const annotations: [string, string][] = [];
  const budget: CelBudget = { remaining: policyBudget };
  for (const { key, valueExpression, expression } of policy.compiled.auditAnnotations) {
    try {
      const value = evaluate(expression, scope, budget);
      if (typeof value === 'string') {
        if (value.trim() !== '') annotations.push([key, value.trim().slice(0, maxAnnotationLength)]);
      } else if (value !== null)
        errors.push(
          `valueExpression '${valueExpression}' resulted in unsupported return type: ${typeof value}. Return type must be either string or null.`,
        );
    } catch (error) {
      if (!isLenient) errors.push((error as Error).message);
    }
  }
  return { errors, annotations };
}

function act(
  denial: Denial,
  policy: string,
  { name, spec }: Binding<ValidatingAdmissionPolicyBindingSpec>,
  request: AdmissionRequest,
): { message: string; reason: string }[] {
  const denied: { message: string; reason: string }[] = [];
  for (const action of spec.validationActions ?? []) {
    if (action === 'Deny') denied.push(denial);
    if (action === 'Warn')
      request.warn(`Validation failed for ValidatingAdmissionPolicy '${policy}' with binding '${name}': ${denial.message}`);
    if (action === 'Audit')
      request.auditAnnotation(
        'validation.policy.admission.k8s.io/validation_failure',
        printJson([
          { message: denial.message, policy, binding: name, expressionIndex: denial.index, validationActions: spec.validationActions },
        ]),
      );
  }
  return denied;
}

function refusal(request: AdmissionRequest, message: string, reason: string): StatusError {
  const forbidden = forbid(request, message, [{ message }]);
  const shown = reason === '' ? 'Invalid' : reason;
  return new StatusError(codes[shown] ?? 422, shown, forbidden.message, forbidden.details);
}
