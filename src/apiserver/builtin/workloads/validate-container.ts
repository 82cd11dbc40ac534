import type { FieldError } from '../../../api/field-error.ts';
import { at, duplicate, forbidden, invalid, notSupported, required, tooMany } from '../../../api/field-error.ts';
import type { Container, ContainerPort, ContainerResizePolicy, EphemeralContainer, PodSpec, Volume } from '../../../api/kubernetes.ts';
import { isDns1123Label, isValidPortName, isValidPortNum } from '../../../api/names.ts';
import { pushInvalid } from './invalid-value.ts';
import { isSidecar, validateContainerResources } from './pod-resources.ts';
import type { PodValidationOptions } from './pod-validation-options.ts';
import { validateSecurityContext } from './validate-container-security.ts';
import { validateEnv, validateEnvFrom } from './validate-env.ts';
import { validateLifecycle, validateProbes } from './validate-handlers.ts';
import { validateVolumeDevices, validateVolumeMounts } from './validate-mounts.ts';
import { validatePullPolicy } from './validate-volumes.ts';

/** What containers are checked against. */
export interface ContainerScope {
  readonly spec: PodSpec;
  readonly volumes: ReadonlyMap<string, Volume>;
  readonly claimNames: ReadonlySet<string>;
  readonly opts: PodValidationOptions;
}

export function validateContainers(scope: ContainerScope, path: string): FieldError[] {
  const { spec } = scope;
  const containers = spec.containers ?? [];
  if (containers.length === 0) return [required(path)];
  const errors: FieldError[] = [];
  const names = new Set<string>();
  containers.forEach((container, i) => {
    const own = at.index(path, i);
    validateCommon(container, scope, own, errors);
    if (names.has(container.name)) errors.push(duplicate(at.child(own, 'name'), container.name));
    names.add(container.name);
    validateHooks(container, spec, own, errors);
    validateRestartPolicy(container, own, errors);
  });
  validateHostPorts(containers, path, errors);
  return errors;
}

function validateHooks(container: Container, spec: PodSpec, path: string, errors: FieldError[]): void {
  const gracePeriod = spec.terminationGracePeriodSeconds;
  if (container.lifecycle) validateLifecycle(container.lifecycle, gracePeriod, at.child(path, 'lifecycle'), errors);
  validateProbes(container, gracePeriod, path, errors);
}

export function validateInitContainers(scope: ContainerScope, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const names = new Set((scope.spec.containers ?? []).map(c => c.name));
  (scope.spec.initContainers ?? []).forEach((container, i) => {
    const own = at.index(path, i);
    validateCommon(container, scope, own, errors);
    if (container.restartPolicy !== undefined) validateRestartPolicy(container, own, errors);
    else if (container.restartPolicyRules?.length) errors.push(required(at.child(own, 'restartPolicy'), rulesNeedPolicy));
    if (names.has(container.name)) errors.push(duplicate(at.child(own, 'name'), container.name));
    else if (container.name) names.add(container.name);
    // The path of the conflict names the first init container, whichever it is about, as the real server does.
    validateHostPorts([container], path, errors);
    if (isSidecar(container)) validateHooks(container, scope.spec, own, errors);
    else forbidHooks(container, own, errors);
    if (isSidecar(container) || scope.opts.allowInitContainerRestartOnResize) return;
    (container.resizePolicy ?? []).forEach(({ restartPolicy }, j) => {
      if (restartPolicy !== 'RestartContainer') return;
      const policyPath = at.child(at.index(at.child(own, 'resizePolicy'), j), 'restartPolicy');
      errors.push(invalid(policyPath, restartPolicy, "must not be set to 'RestartContainer' for non-sidecar initContainers"));
    });
  });
  return errors;
}

function forbidHooks(container: Container, path: string, errors: FieldError[]): void {
  for (const name of ['lifecycle', 'livenessProbe', 'readinessProbe', 'startupProbe'] as const)
    if (container[name]) errors.push(forbidden(at.child(path, name), 'may not be set for init containers without restartPolicy=Always'));
}

const ephemeralForbidden = [
  'ports',
  'resources',
  'resizePolicy',
  'restartPolicy',
  'restartPolicyRules',
  'livenessProbe',
  'readinessProbe',
  'startupProbe',
  'lifecycle',
] as const;

export function validateEphemeralContainers(scope: ContainerScope, path: string): FieldError[] {
  const errors: FieldError[] = [];
  const others = new Set([...(scope.spec.containers ?? []), ...(scope.spec.initContainers ?? [])].map(c => c.name));
  const names = new Set(others);
  (scope.spec.ephemeralContainers ?? []).forEach((container, i) => {
    const own = at.index(path, i);
    validateCommon(container, scope, own, errors);
    validateImageWhitespace(container, own, errors);
    if (names.has(container.name)) errors.push(duplicate(at.child(own, 'name'), container.name));
    names.add(container.name);
    const target = container.targetContainerName;
    if (target && !others.has(target))
      errors.push({
        type: 'FieldValueNotFound',
        field: at.child(own, 'targetContainerName'),
        message: `Not found: ${JSON.stringify(target)}`,
      });
    for (const name of ephemeralForbidden)
      if (isGiven(container, name)) errors.push(forbidden(at.child(own, name), 'cannot be set for an Ephemeral Container'));
    (container.volumeMounts ?? []).forEach((mount, j) => {
      const mountPath = at.index(at.child(own, 'volumeMounts'), j);
      if (mount.subPath) errors.push(forbidden(at.child(mountPath, 'subPath'), 'cannot be set for an Ephemeral Container'));
      if (mount.subPathExpr) errors.push(forbidden(at.child(mountPath, 'subPathExpr'), 'cannot be set for an Ephemeral Container'));
    });
  });
  return errors;
}

function isGiven(container: EphemeralContainer, name: (typeof ephemeralForbidden)[number]): boolean {
  const value = container[name];
  if (name === 'resources') return Object.keys(value ?? {}).length > 0;
  return value !== undefined && !(Array.isArray(value) && value.length === 0);
}

export function validateImageWhitespace({ image = '' }: { image?: string }, path: string, errors: FieldError[]): void {
  if (image !== image.trim()) errors.push(invalid(at.child(path, 'image'), image, 'must not have leading or trailing whitespace'));
}

const messagePolicies = ['File', 'FallbackToLogsOnError'];

function validateCommon(container: Container, scope: ContainerScope, path: string, errors: FieldError[]): void {
  const { volumes, claimNames, opts, spec } = scope;
  if (!container.name) errors.push(required(at.child(path, 'name')));
  else pushInvalid(errors, at.child(path, 'name'), container.name, isDns1123Label(container.name));
  if (!container.image) errors.push(required(at.child(path, 'image')));
  const policy = container.terminationMessagePolicy ?? '';
  const policyPath = at.child(path, 'terminationMessagePolicy');
  if (policy === '') errors.push(required(policyPath));
  else if (!messagePolicies.includes(policy)) errors.push(notSupported(policyPath, policy, messagePolicies));
  validatePorts(container.ports ?? [], at.child(path, 'ports'), errors);
  validateEnv(container.env ?? [], at.child(path, 'env'), errors);
  validateEnvFrom(container.envFrom ?? [], at.child(path, 'envFrom'), errors);
  validateVolumeMounts(container, volumes, at.child(path, 'volumeMounts'), errors);
  validateVolumeDevices(container, volumes, at.child(path, 'volumeDevices'), errors);
  errors.push(...validatePullPolicy(container.imagePullPolicy, at.child(path, 'imagePullPolicy')));
  errors.push(...validateContainerResources(container.resources, claimNames, at.child(path, 'resources'), opts));
  validateResizePolicy(container.resizePolicy ?? [], at.child(path, 'resizePolicy'), spec.restartPolicy, errors);
  errors.push(...validateSecurityContext(container.securityContext, at.child(path, 'securityContext'), spec.hostUsers !== false));
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function validatePorts(ports: ContainerPort[], path: string, errors: FieldError[]): void {
  const names = new Set<string>();
  ports.forEach((port, i) => {
    const own = at.index(path, i);
    if (port.name) {
      const messages = isValidPortName(port.name);
      pushInvalid(errors, at.child(own, 'name'), port.name, messages);
      if (messages.length === 0 && names.has(port.name)) errors.push(duplicate(at.child(own, 'name'), port.name));
      if (messages.length === 0) names.add(port.name);
    }
    if (!port.containerPort) errors.push(required(at.child(own, 'containerPort')));
    else
      for (const message of isValidPortNum(port.containerPort))
        errors.push(invalid(at.child(own, 'containerPort'), port.containerPort, message));
    if (port.hostPort)
      for (const message of isValidPortNum(port.hostPort)) errors.push(invalid(at.child(own, 'hostPort'), port.hostPort, message));
    if (!port.protocol) errors.push(required(at.child(own, 'protocol')));
    else if (!protocols.includes(port.protocol)) errors.push(notSupported(at.child(own, 'protocol'), port.protocol, protocols));
  });
}

function validateHostPorts(containers: readonly Container[], path: string, errors: FieldError[]): void {
  const taken = new Set<string>();
  containers.forEach((container, i) =>
    (container.ports ?? []).forEach((port, j) => {
      if (!port.hostPort) return;
      const key = `${port.protocol ?? ''}/${port.hostIP ?? ''}/${port.hostPort}`;
      if (taken.has(key)) errors.push(duplicate(at.child(at.index(at.child(at.index(path, i), 'ports'), j), 'hostPort'), key));
      taken.add(key);
    }),
  );
}

const resizeResources = ['cpu', 'memory'];
const resizePolicies = ['NotRequired', 'RestartContainer'];

function validateResizePolicy(policies: ContainerResizePolicy[], path: string, podPolicy: string | undefined, errors: FieldError[]): void {
  const seen = new Set<string>();
  policies.forEach(({ resourceName, restartPolicy }, i) => {
    if (seen.has(resourceName)) errors.push(duplicate(at.index(path, i), resourceName));
    seen.add(resourceName);
    if (!resourceName) errors.push(required(path));
    else if (!resizeResources.includes(resourceName)) errors.push(notSupported(path, resourceName, resizeResources));
    if (!restartPolicy) errors.push(required(path));
    else if (!resizePolicies.includes(restartPolicy)) errors.push(notSupported(path, restartPolicy, resizePolicies));
    if (podPolicy === 'Never' && restartPolicy !== 'NotRequired')
      errors.push(invalid(path, restartPolicy, "must be 'NotRequired' when pod `restartPolicy` is 'Never'"));
  });
}

const restartPolicies = ['Always', 'Never', 'OnFailure'];
const restartActions = ['Restart', 'RestartAllContainers'];
const exitCodeOperators = ['In', 'NotIn'];
const rulesNeedPolicy = 'must specify restartPolicy when restart rules are used';

function validateRestartPolicy(container: Container, path: string, errors: FieldError[]): void {
  const { restartPolicy, restartPolicyRules: rules = [] } = container;
  const policyPath = at.child(path, 'restartPolicy');
  if (restartPolicy === undefined) {
    if (rules.length === 0) return;
    errors.push(required(policyPath, rulesNeedPolicy));
  } else if (!restartPolicies.includes(restartPolicy)) errors.push(notSupported(policyPath, restartPolicy, restartPolicies));
  const rulesPath = at.child(path, 'restartPolicyRules');
  if (rules.length > 20) errors.push(tooMany(rulesPath, rules.length, 20));
  rules.forEach((rule, i) => {
    const own = at.index(rulesPath, i);
    if (!restartActions.includes(rule.action)) errors.push(notSupported(at.child(own, 'action'), rule.action, restartActions));
    const { exitCodes } = rule;
    const codesPath = at.child(own, 'exitCodes');
    if (!exitCodes) return void errors.push(required(codesPath, 'must be specified'));
    if (!exitCodeOperators.includes(exitCodes.operator))
      errors.push(notSupported(at.child(codesPath, 'operator'), exitCodes.operator, exitCodeOperators));
    if ((exitCodes.values ?? []).length > 255) errors.push(tooMany(at.child(codesPath, 'values'), exitCodes.values!.length, 255));
  });
}
