import type {
  Container,
  LifecycleHandler,
  PodSecurityContext,
  PodSpec,
  Probe,
  SecurityContext,
  SELinuxOptions,
  Volume,
} from '../../api/kubernetes.ts';
import type { ObjectMeta } from '../../api/object.ts';

/** Why a pod violates a standard: a word for lists, and the particulars. */
export interface Violation {
  readonly reason: string;
  readonly detail: string;
}

interface PodView {
  readonly meta: ObjectMeta;
  readonly spec: PodSpec;
  /** Init, plain and ephemeral ones, in this order. */
  readonly containers: readonly Container[];
  /** Minor version of the standard. */
  readonly minor: number;
}

interface Check {
  readonly id: string;
  readonly since: number;
  /** The baseline check that a restricted one stands in for. */
  readonly overrides?: string;
  run(pod: PodView): Violation | undefined;
}

const quoted = (items: readonly string[]) => `"${items.join('", "')}"`;
const plural = (one: string, many: string, count: number) => (count === 1 ? one : many);
const sorted = (items: Iterable<string>) => [...new Set(items)].sort();
const named = (containers: readonly Container[]) =>
  `${plural('container', 'containers', containers.length)} ${quoted(containers.map(c => c.name))}`;
const contextOf = (c: Container): SecurityContext => c.securityContext ?? {};
const isWindows = ({ spec, minor }: PodView) => minor >= 25 && spec.os?.name === 'windows';
const hasUserNamespace = ({ spec, minor }: PodView) => minor >= 35 && spec.hostUsers === false;

/** `pod and container "a"`: everybody who says something that must not be said. */
function setters(pod: PodView, isBad: (context: SecurityContext & PodSecurityContext) => boolean): string | undefined {
  const bad = pod.containers.filter(c => isBad(contextOf(c)));
  const parts = [...(isBad(pod.spec.securityContext ?? {}) ? ['pod'] : []), ...(bad.length > 0 ? [named(bad)] : [])];
  return parts.length === 0 ? undefined : parts.join(' and ');
}

const contexts = (pod: PodView): (SecurityContext & PodSecurityContext)[] => [
  pod.spec.securityContext ?? {},
  ...pod.containers.map(contextOf),
];

const allowedCapabilities = new Set(
  'AUDIT_WRITE CHOWN DAC_OVERRIDE FOWNER FSETID KILL MKNOD NET_BIND_SERVICE SETFCAP SETGID SETPCAP SETUID SYS_CHROOT'.split(' '),
);
const sysctlsSince: readonly [number, string][] = [
  [0, 'kernel.shm_rmid_forced'],
  [0, 'net.ipv4.ip_local_port_range'],
  [0, 'net.ipv4.tcp_syncookies'],
  [0, 'net.ipv4.ping_group_range'],
  [0, 'net.ipv4.ip_unprivileged_port_start'],
  [27, 'net.ipv4.ip_local_reserved_ports'],
  [29, 'net.ipv4.tcp_keepalive_time'],
  [29, 'net.ipv4.tcp_fin_timeout'],
  [29, 'net.ipv4.tcp_keepalive_intvl'],
  [29, 'net.ipv4.tcp_keepalive_probes'],
  [32, 'net.ipv4.tcp_rmem'],
  [32, 'net.ipv4.tcp_wmem'],
];
const appArmorPrefix = 'container.apparmor.security.beta.kubernetes.io/';

const baseline: readonly Check[] = [
  { id: 'appArmorProfile', since: 0, run: appArmor },
  {
    id: 'capabilities_baseline',
    since: 0,
    run: pod => {
      const added = (c: Container) => (contextOf(c).capabilities?.add ?? []).filter(name => !allowedCapabilities.has(name));
      const bad = pod.containers.filter(c => added(c).length > 0);
      if (bad.length === 0) return undefined;
      return {
        reason: 'non-default capabilities',
        detail: `${named(bad)} must not include ${quoted(sorted(bad.flatMap(added)))} in securityContext.capabilities.add`,
      };
    },
  },
  {
    id: 'hostNamespaces',
    since: 0,
    run: ({ spec }) => {
      const shared = (['hostNetwork', 'hostPID', 'hostIPC'] as const).filter(field => spec[field]);
      return shared.length === 0 ? undefined : { reason: 'host namespaces', detail: shared.map(field => `${field}=true`).join(', ') };
    },
  },
  {
    id: 'hostPathVolumes',
    since: 0,
    run: ({ spec }) => {
      const bad = (spec.volumes ?? []).filter(volume => volume.hostPath);
      if (bad.length === 0) return undefined;
      return { reason: 'hostPath volumes', detail: `${plural('volume', 'volumes', bad.length)} ${quoted(bad.map(v => v.name))}` };
    },
  },
  {
    id: 'hostPorts',
    since: 0,
    run: pod => {
      const used = (c: Container) => (c.ports ?? []).filter(port => port.hostPort).map(port => String(port.hostPort));
      const bad = pod.containers.filter(c => used(c).length > 0);
      if (bad.length === 0) return undefined;
      const ports = sorted(bad.flatMap(used));
      const detail = `${named(bad)} ${plural('uses', 'use', bad.length)} ${plural('hostPort', 'hostPorts', ports.length)} ${ports.join(', ')}`;
      return { reason: 'hostPort', detail };
    },
  },
  { id: 'hostProbesAndHostLifecycle', since: 34, run: probeHosts },
  {
    id: 'privileged',
    since: 0,
    run: pod => {
      const bad = pod.containers.filter(c => contextOf(c).privileged === true);
      return bad.length === 0 ? undefined : { reason: 'privileged', detail: `${named(bad)} must not set securityContext.privileged=true` };
    },
  },
  { id: 'procMount', since: 0, run: pod => (hasUserNamespace(pod) ? undefined : procMount(pod)) },
  { id: 'seLinuxOptions', since: 0, run: seLinux },
  { id: 'seccompProfile_baseline', since: 0, run: pod => (pod.minor < 19 ? seccompAnnotations(pod) : badSeccomp(pod)) },
  {
    id: 'sysctls',
    since: 0,
    run: ({ spec, minor }) => {
      const allowed = sysctlsSince.filter(([since]) => minor >= since).map(([, name]) => name);
      const bad = (spec.securityContext?.sysctls ?? []).map(s => s.name).filter(name => !allowed.includes(name));
      return bad.length === 0 ? undefined : { reason: 'forbidden sysctls', detail: bad.join(', ') };
    },
  },
  {
    id: 'windowsHostProcess',
    since: 0,
    run: pod => {
      const who = setters(pod, context => context.windowsOptions?.hostProcess === true);
      return who === undefined
        ? undefined
        : { reason: 'hostProcess', detail: `${who} must not set securityContext.windowsOptions.hostProcess=true` };
    },
  },
];

const restricted: readonly Check[] = [
  {
    id: 'allowPrivilegeEscalation',
    since: 8,
    run: pod => {
      const bad = isWindows(pod) ? [] : pod.containers.filter(c => contextOf(c).allowPrivilegeEscalation !== false);
      if (bad.length === 0) return undefined;
      return {
        reason: 'allowPrivilegeEscalation != false',
        detail: `${named(bad)} must set securityContext.allowPrivilegeEscalation=false`,
      };
    },
  },
  { id: 'capabilities_restricted', since: 22, overrides: 'capabilities_baseline', run: droppedCapabilities },
  { id: 'procMount_restricted', since: 35, overrides: 'procMount', run: procMount },
  { id: 'restrictedVolumes', since: 0, overrides: 'hostPathVolumes', run: restrictedVolumes },
  { id: 'runAsNonRoot', since: 0, run: pod => (hasUserNamespace(pod) ? undefined : runAsNonRoot(pod)) },
  {
    id: 'runAsUser',
    since: 23,
    run: pod => {
      const who = hasUserNamespace(pod) ? undefined : setters(pod, context => context.runAsUser === 0);
      return who === undefined ? undefined : { reason: 'runAsUser=0', detail: `${who} must not set runAsUser=0` };
    },
  },
  { id: 'seccompProfile_restricted', since: 19, overrides: 'seccompProfile_baseline', run: restrictedSeccomp },
];

/** What of a pod violates a standard, as the given minor version of Kubernetes defines it. */
export function podViolations(level: string, minor: number, meta: ObjectMeta, spec: PodSpec): Violation[] {
  if (level === 'privileged') return [];
  const containers = [...(spec.initContainers ?? []), ...(spec.containers ?? []), ...((spec.ephemeralContainers ?? []) as Container[])];
  const extra = level === 'restricted' ? restricted.filter(check => minor >= check.since) : [];
  const overridden = new Set(extra.map(check => check.overrides));
  const checks = [...baseline.filter(check => minor >= check.since && !overridden.has(check.id)), ...extra];
  return checks.map(check => check.run({ meta, spec, containers, minor })).filter(violation => violation !== undefined);
}

function appArmor(pod: PodView): Violation | undefined {
  const isBad = (type: string | undefined) => type !== undefined && type !== 'RuntimeDefault' && type !== 'Localhost';
  const who = setters(pod, context => isBad(context.appArmorProfile?.type));
  const types = sorted(contexts(pod).flatMap(c => (isBad(c.appArmorProfile?.type) ? [c.appArmorProfile!.type] : [])));
  const annotations = Object.entries(pod.meta.annotations ?? {})
    .filter(([key, v]) => key.startsWith(appArmorPrefix) && v !== '' && v !== 'runtime/default' && !v.startsWith('localhost/'))
    .map(([key, v]) => `${key}=${JSON.stringify(v)}`)
    .sort();
  const parts = [
    ...(who === undefined ? [] : [who]),
    ...(annotations.length > 0 ? [plural('annotation', 'annotations', annotations.length)] : []),
  ];
  if (parts.length === 0) return undefined;
  const values = [...types, ...annotations];
  return {
    reason: plural('forbidden AppArmor profile', 'forbidden AppArmor profiles', values.length),
    detail: `${parts.join(' and ')} must not set AppArmor profile type to ${quoted(values)}`,
  };
}

function probeHosts(pod: PodView): Violation | undefined {
  const hostsOf = (handler: Probe | LifecycleHandler | undefined) => [handler?.httpGet?.host, handler?.tcpSocket?.host];
  const hosts = (c: Container) =>
    [c.livenessProbe, c.readinessProbe, c.startupProbe, c.lifecycle?.postStart, c.lifecycle?.preStop]
      .flatMap(hostsOf)
      .filter(host => host) as string[];
  const bad = sorted(pod.containers.filter(c => hosts(c).length > 0).map(c => c.name));
  if (bad.length === 0) return undefined;
  const used = sorted(pod.containers.flatMap(hosts));
  const word = plural('probe or lifecycle host', 'probe or lifecycle hosts', used.length);
  return {
    reason: 'probe or lifecycle host',
    detail: `${plural('container', 'containers', bad.length)} ${quoted(bad)} ${plural('uses', 'use', bad.length)} ${word} ${quoted(used)}`,
  };
}

function procMount(pod: PodView): Violation | undefined {
  const bad = pod.containers.filter(c => (contextOf(c).procMount ?? 'Default') !== 'Default');
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(c => contextOf(c).procMount ?? ''));
  return { reason: 'procMount', detail: `${named(bad)} must not set securityContext.procMount to ${quoted(types)}` };
}

function seLinux(pod: PodView): Violation | undefined {
  const allowed = ['', 'container_t', 'container_init_t', 'container_kvm_t', ...(pod.minor >= 31 ? ['container_engine_t'] : [])];
  const isBadType = (options: SELinuxOptions) => !allowed.includes(options.type ?? '');
  const who = setters(pod, ({ seLinuxOptions: o }) => o !== undefined && (isBadType(o) || !!o.user || !!o.role));
  if (who === undefined) return undefined;
  const options = contexts(pod).flatMap(c => (c.seLinuxOptions ? [c.seLinuxOptions] : []));
  const types = sorted(options.filter(isBadType).map(o => o.type ?? ''));
  const data = [
    ...(types.length > 0 ? [`${plural('type', 'types', types.length)} ${quoted(types)}`] : []),
    ...(options.some(o => o.user) ? ['user may not be set'] : []),
    ...(options.some(o => o.role) ? ['role may not be set'] : []),
  ];
  return { reason: 'seLinuxOptions', detail: `${who} set forbidden securityContext.seLinuxOptions: ${data.join('; ')}` };
}

const isValidSeccomp = (type: string | undefined) => type === 'RuntimeDefault' || type === 'Localhost';

function badSeccomp(pod: PodView): Violation | undefined {
  const who = setters(pod, context => context.seccompProfile !== undefined && !isValidSeccomp(context.seccompProfile.type));
  if (who === undefined) return undefined;
  const types = contexts(pod).flatMap(c => (c.seccompProfile && !isValidSeccomp(c.seccompProfile.type) ? [c.seccompProfile.type] : []));
  return { reason: 'seccompProfile', detail: `${who} must not set securityContext.seccompProfile.type to ${quoted(sorted(types))}` };
}

function seccompAnnotations({ meta, containers }: PodView): Violation | undefined {
  const keys = [
    'seccomp.security.alpha.kubernetes.io/pod',
    ...containers.map(c => `container.seccomp.security.alpha.kubernetes.io/${c.name}`),
  ];
  const isValid = (v: string) => v === 'runtime/default' || v === 'docker/default' || v.startsWith('localhost/');
  const bad = sorted(
    keys.flatMap(key => {
      const value = meta.annotations?.[key];
      return value === undefined || isValid(value) ? [] : [`${key}=${JSON.stringify(value)}`];
    }),
  );
  if (bad.length === 0) return undefined;
  return { reason: 'seccompProfile', detail: `forbidden ${plural('annotation', 'annotations', bad.length)} ${bad.join(', ')}` };
}

function restrictedSeccomp(pod: PodView): Violation | undefined {
  if (isWindows(pod)) return undefined;
  const explicit = badSeccomp(pod);
  if (explicit || pod.spec.securityContext?.seccompProfile) return explicit;
  const bad = pod.containers.filter(c => !contextOf(c).seccompProfile);
  if (bad.length === 0) return undefined;
  return {
    reason: 'seccompProfile',
    detail: `pod or ${named(bad)} must set securityContext.seccompProfile.type to "RuntimeDefault" or "Localhost"`,
  };
}

function droppedCapabilities(pod: PodView): Violation | undefined {
  if (isWindows(pod)) return undefined;
  const keeping = pod.containers.filter(c => !contextOf(c).capabilities?.drop?.includes('ALL'));
  const added = (c: Container) => (contextOf(c).capabilities?.add ?? []).filter(name => name !== 'NET_BIND_SERVICE');
  const adding = pod.containers.filter(c => added(c).length > 0);
  const details = [
    ...(keeping.length > 0 ? [`${named(keeping)} must set securityContext.capabilities.drop=["ALL"]`] : []),
    ...(adding.length > 0
      ? [`${named(adding)} must not include ${quoted(sorted(adding.flatMap(added)))} in securityContext.capabilities.add`]
      : []),
  ];
  return details.length === 0 ? undefined : { reason: 'unrestricted capabilities', detail: details.join('; ') };
}

const safeVolumes = ['configMap', 'csi', 'downwardAPI', 'emptyDir', 'ephemeral', 'image', 'persistentVolumeClaim', 'projected', 'secret'];

function restrictedVolumes({ spec }: PodView): Violation | undefined {
  const typeOf = (volume: Volume) => Object.keys(volume).find(key => key !== 'name') ?? 'unknown';
  const bad = (spec.volumes ?? []).filter(volume => !safeVolumes.some(type => type in volume));
  if (bad.length === 0) return undefined;
  const types = sorted(bad.map(typeOf));
  const names = `${plural('volume', 'volumes', bad.length)} ${quoted(bad.map(v => v.name))}`;
  const word = plural('restricted volume type', 'restricted volume types', types.length);
  return { reason: 'restricted volume types', detail: `${names} ${plural('uses', 'use', bad.length)} ${word} ${quoted(types)}` };
}

function runAsNonRoot(pod: PodView): Violation | undefined {
  const reason = 'runAsNonRoot != true';
  const who = setters(pod, context => context.runAsNonRoot === false);
  if (who !== undefined) return { reason, detail: `${who} must not set securityContext.runAsNonRoot=false` };
  if (pod.spec.securityContext?.runAsNonRoot === true) return undefined;
  const bad = pod.containers.filter(c => contextOf(c).runAsNonRoot === undefined);
  return bad.length === 0 ? undefined : { reason, detail: `pod or ${named(bad)} must set securityContext.runAsNonRoot=true` };
}
