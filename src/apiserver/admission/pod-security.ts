import { invalid, type FieldError } from '../../api/field-error.ts';
import type { Container, Pod, PodSpec, PodTemplateSpec } from '../../api/kubernetes.ts';
import type { KubeObject, ObjectMeta } from '../../api/object.ts';
import { forbiddenError, internalServerError, invalidObject } from '../../api/status.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { concerns, isPod } from './admission-errors.ts';
import { podViolations, type Violation } from './pod-security-checks.ts';

const prefix = 'pod-security.kubernetes.io/';
const levels = ['privileged', 'baseline', 'restricted'];
/** Newest minor version of the standards. */
const latestMinor = 36;
const maxPodsToCheck = 3000;
const ignoredSubresources = new Set(['exec', 'attach', 'binding', 'eviction', 'log', 'portforward', 'proxy', 'status']);
const controllers = new Set([
  '/replicationcontrollers',
  '/podtemplates',
  'apps/replicasets',
  'apps/deployments',
  'apps/statefulsets',
  'apps/daemonsets',
  'batch/jobs',
  'batch/cronjobs',
]);

interface LevelVersion {
  readonly level: string;
  readonly version: string;
}

interface Policy {
  readonly enforce: LevelVersion;
  readonly audit: LevelVersion;
  readonly warn: LevelVersion;
  readonly errors: readonly FieldError[];
}

const print = ({ level, version }: LevelVersion) => `${level}:${version}`;
const isPrivileged = ({ level }: LevelVersion) => level === 'privileged';

/** Holds pods to the security standard that their namespace's labels name. */
export function podSecurity(): AdmissionPlugin {
  return {
    name: 'PodSecurity',
    handles: request => {
      const { operation, resource, subresource, object } = request;
      if (!object || (operation !== 'CREATE' && operation !== 'UPDATE')) return false;
      if (isPod(request)) return !ignoredSubresources.has(subresource) && hasLabels(request);
      if (subresource !== '') return false;
      return concerns(request, '', 'namespaces') || (controllers.has(`${resource.group}/${resource.resource}`) && hasLabels(request));
    },
    validate: request => {
      if (concerns(request, '', 'namespaces')) validateNamespace(request);
      else validatePod(request);
    },
  };
}

function labelsOf(request: AdmissionRequest): Record<string, string> {
  const ns = request.api.peek({ group: '', resource: 'namespaces' }, '', request.namespace);
  if (!ns) throw internalServerError(`failed to lookup namespace ${JSON.stringify(request.namespace)}`);
  return ns.metadata.labels ?? {};
}

function hasLabels(request: AdmissionRequest): boolean {
  for (const label in labelsOf(request)) if (label.startsWith(prefix)) return true;
  return false;
}

function readPolicy(labels: Readonly<Record<string, string>>): Policy {
  const errors: FieldError[] = [];
  const levelOf = (mode: string, fallback: string) => {
    const label = labels[`${prefix}${mode}`];
    if (label === undefined) return 'privileged';
    if (levels.includes(label)) return label;
    errors.push(invalid(`metadata.labels[${prefix}${mode}]`, label, `must be one of ${levels.join(', ')}`));
    return fallback;
  };
  const versionOf = (mode: string) => {
    const label = labels[`${prefix}${mode}-version`];
    if (label === undefined || label === 'latest' || /^v1\.([0-9]|[1-9][0-9]*)$/.test(label)) return label ?? 'latest';
    errors.push(invalid(`metadata.labels[${prefix}${mode}-version]`, label, 'must be "latest" or "v1.x"'));
    return 'latest';
  };
  const enforce = { level: levelOf('enforce', 'restricted'), version: versionOf('enforce') };
  const audit = { level: levelOf('audit', 'privileged'), version: versionOf('audit') };
  const warn = { level: levelOf('warn', 'privileged'), version: versionOf('warn') };
  const isEnforced = levels.includes(labels[`${prefix}enforce`] ?? '');
  if (labels[`${prefix}warn`] !== undefined || !isEnforced || isPrivileged(enforce)) return { enforce, audit, warn, errors };
  const version = labels[`${prefix}warn-version`] === undefined ? enforce.version : warn.version;
  return { enforce, audit, warn: { level: enforce.level, version }, errors };
}

function violationsOf({ level, version }: LevelVersion, meta: ObjectMeta, spec: PodSpec): Violation[] {
  const minor = version === 'latest' ? latestMinor : Math.min(Number(version.slice(3)), latestMinor);
  return podViolations(level, minor, meta, spec);
}

const details = (violations: readonly Violation[]) =>
  violations.map(({ reason, detail }) => (detail === '' ? reason : `${reason} (${detail})`)).join(', ');

function validatePod(request: AdmissionRequest): void {
  const policy = readPolicy(labelsOf(request));
  const isEnforced = isPod(request);
  if (policy.errors.length === 0 && [policy.audit, policy.warn, ...(isEnforced ? [policy.enforce] : [])].every(isPrivileged)) return;
  if (isEnforced && request.operation === 'UPDATE' && !changesImages(request)) return;
  const template = isEnforced ? (request.object as unknown as Pod) : templateOf(request.object!);
  if (!template?.spec) return;
  evaluate(request, policy, { meta: (template.metadata ?? {}) as ObjectMeta, spec: template.spec, isEnforced });
}

function evaluate(request: AdmissionRequest, policy: Policy, pod: { meta: ObjectMeta; spec: PodSpec; isEnforced: boolean }): void {
  const { meta, spec, isEnforced } = pod;
  if (policy.errors.length > 0)
    request.auditAnnotation(`${prefix}error`, `Failed to parse policy: ${policy.errors.map(e => `${e.field}: ${e.message}`).join(', ')}`);
  if (isEnforced) request.auditAnnotation(`${prefix}enforce-policy`, print(policy.enforce));
  const audited = violationsOf(policy.audit, meta, spec);
  if (audited.length > 0)
    request.auditAnnotation(
      `${prefix}audit-violations`,
      `would violate PodSecurity ${JSON.stringify(print(policy.audit))}: ${details(audited)}`,
    );
  const enforced = isEnforced ? violationsOf(policy.enforce, meta, spec) : [];
  if (enforced.length > 0) {
    const why = `violates PodSecurity ${JSON.stringify(print(policy.enforce))}: ${details(enforced)}`;
    throw forbiddenError({ group: '', resource: request.resource.resource }, request.name, why);
  }
  const warned = violationsOf(policy.warn, meta, spec);
  if (warned.length > 0) request.warn(`would violate PodSecurity ${JSON.stringify(print(policy.warn))}: ${details(warned)}`);
}

function templateOf(obj: KubeObject): PodTemplateSpec | undefined {
  if (obj.kind === 'PodTemplate') return obj['template'] as PodTemplateSpec;
  const spec = obj['spec'] as { template?: PodTemplateSpec; jobTemplate?: { spec?: { template?: PodTemplateSpec } } } | undefined;
  return spec?.template ?? spec?.jobTemplate?.spec?.template;
}

function changesImages({ object, oldObject }: AdmissionRequest): boolean {
  const [spec, old] = [(object as unknown as Pod).spec, (oldObject as unknown as Pod).spec];
  const differ = (a: readonly Container[] = [], b: readonly Container[] = []) =>
    a.length !== b.length || a.some((container, i) => container.image !== b[i]?.image);
  if (differ(spec?.containers, old?.containers) || differ(spec?.initContainers, old?.initContainers)) return true;
  return (spec?.ephemeralContainers ?? []).some(c => old?.ephemeralContainers?.find(o => o.name === c.name)?.image !== c.image);
}

function validateNamespace(request: AdmissionRequest): void {
  const { object, oldObject, operation, name } = request;
  const policy = readPolicy(object!.metadata.labels ?? {});
  const old = operation === 'UPDATE' ? readPolicy(oldObject?.metadata.labels ?? {}) : undefined;
  const isNews = JSON.stringify(policy.errors) !== JSON.stringify(old?.errors);
  if (policy.errors.length > 0 && isNews) throw invalidObject({ group: '', kind: 'Namespace' }, name, policy.errors);
  if (!old || isPrivileged(policy.enforce) || print(policy.enforce) === print(old.enforce)) return;
  const isLooser = levels.indexOf(policy.enforce.level) <= levels.indexOf(old.enforce.level);
  if (policy.enforce.version === old.enforce.version && isLooser) return;
  warnAboutPods(request, policy.enforce);
}

function warnAboutPods(request: AdmissionRequest, enforce: LevelVersion): void {
  const namespace = request.object?.metadata.name ?? '';
  const pods = byController(request.api.peekAll({ group: '', resource: 'pods' }, namespace));
  const found = new Map<string, string[]>();
  for (const pod of pods.slice(0, maxPodsToCheck)) {
    const reasons = violationsOf(enforce, pod.metadata, (pod as unknown as Pod).spec ?? { containers: [] }).map(v => v.reason);
    if (reasons.length === 0) continue;
    const key = reasons.join(', ');
    found.set(key, [...(found.get(key) ?? []), pod.metadata.name ?? '']);
  }
  if (pods.length > maxPodsToCheck)
    request.warn(`new PodSecurity enforce level only checked against the first ${maxPodsToCheck} of ${pods.length} existing pods`);
  if (found.size === 0) return;
  const shown = JSON.stringify(print(enforce));
  request.warn(`existing pods in namespace ${JSON.stringify(namespace)} violate the new PodSecurity enforce level ${shown}`);
  const lines = [...found].map(([reason, names]) => {
    const others = names.length - 1;
    const more = others === 0 ? '' : others === 1 ? ' (and 1 other pod)' : ` (and ${others} other pods)`;
    return `${names.sort()[0]}${more}: ${reason}`;
  });
  for (const line of lines.sort()) request.warn(line);
}

// One pod of each controller first: the others are most likely alike.
function byController(pods: readonly KubeObject[]): KubeObject[] {
  const seen = new Set<string>();
  const [first, rest]: [KubeObject[], KubeObject[]] = [[], []];
  for (const pod of pods) {
    const controller = pod.metadata.ownerReferences?.find(ref => ref.controller)?.uid;
    if (controller !== undefined && seen.has(controller)) rest.push(pod);
    else first.push(pod);
    if (controller !== undefined) seen.add(controller);
  }
  return [...first, ...rest];
}
