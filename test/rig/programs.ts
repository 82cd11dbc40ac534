/** A real program that tests run: where it is pinned, and how it is built. */
export interface RigProgram {
  readonly name: string;
  readonly version: string;
  /** Folder under test/rig whose go.mod pins the program. */
  readonly module: string;
  readonly package: string;
  /** Built with `go test -c`. */
  readonly isTest?: boolean;
  /** Go variables set by the linker. Clients parse the version, so it must be true. */
  readonly linkerVariables?: Readonly<Record<string, string>>;
}

const kubernetesVersion = 'v1.36.3';
const olderKubernetesVersion = 'v1.32.13';
const karmadaVersion = 'v1.16.0';

export const rigPrograms: readonly RigProgram[] = [
  { name: 'etcd', version: 'v3.6.8', module: 'etcd', package: 'go.etcd.io/etcd/server/v3' },
  ...['kube-apiserver', 'kubectl', 'kube-controller-manager', 'kube-scheduler', 'kubelet'].map(name => kubernetes(name)),
  { ...kubernetes('e2e.test'), package: 'k8s.io/kubernetes/test/e2e', isTest: true },
  { name: 'kwok', version: 'v0.8.0', module: 'kwok', package: 'sigs.k8s.io/kwok/cmd/kwok' },
  {
    name: 'helm',
    version: 'v4.3.1',
    module: 'helm',
    package: 'helm.sh/helm/v4/cmd/helm',
    linkerVariables: { 'helm.sh/helm/v4/internal/version.version': 'v4.3.1' },
  },
  {
    name: 'helm-oracle',
    version: 'v4.3.1',
    module: 'helm',
    package: 'drover.io/rig/helm/oracle',
    linkerVariables: { 'helm.sh/helm/v4/internal/version.version': 'v4.3.1' },
  },
  { name: 'kustomize', version: 'v5.8.2', module: 'kustomize', package: 'sigs.k8s.io/kustomize/kustomize/v5' },
  {
    name: 'karmadactl',
    version: karmadaVersion,
    module: 'karmada',
    package: 'github.com/karmada-io/karmada/cmd/karmadactl',
    linkerVariables: { 'github.com/karmada-io/karmada/pkg/version.gitVersion': karmadaVersion },
  },
  {
    name: 'kubectl-1.32',
    version: olderKubernetesVersion,
    module: 'kubectl-1.32',
    package: 'k8s.io/kubernetes/cmd/kubectl',
    linkerVariables: kubernetesVersionVariables(olderKubernetesVersion),
  },
  { name: 'informer', version: 'v0.37.0', module: 'clients', package: 'drover.io/rig/clients/informer' },
  { name: 'manager', version: 'v0.25.2', module: 'clients', package: 'drover.io/rig/clients/manager' },
];

function kubernetes(name: string): RigProgram {
  return {
    name,
    version: kubernetesVersion,
    module: 'kubernetes',
    package: `k8s.io/kubernetes/cmd/${name}`,
    linkerVariables: kubernetesVersionVariables(kubernetesVersion),
  };
}

function kubernetesVersionVariables(version: string): Record<string, string> {
  const [, major = '', minor = ''] = /^v(\d+)\.(\d+)/.exec(version) ?? [];
  const facts = {
    gitVersion: version,
    gitMajor: major,
    gitMinor: minor,
    gitCommit: '0'.repeat(40),
    gitTreeState: 'clean',
    buildDate: '2026-01-01T00:00:00Z',
  };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  return Object.fromEntries(packages.flatMap(pkg => Object.entries(facts).map(([key, value]) => [`${pkg}.${key}`, value])));
}
