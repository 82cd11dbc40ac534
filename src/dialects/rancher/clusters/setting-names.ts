/** What the hub knows about itself when it starts. */
export interface HubFacts {
  /** Where people and members find the gateway. */
  readonly serverUrl: string;
  /** The authorities that vouch for it, PEM. */
  readonly authorities: string;
  readonly version: string;
  readonly agentImage: string;
}

/** Namespaces that belong to the system of a cluster: those that Rancher knows, and Harvester's. */
const systemNamespaces = [
  'kube-system',
  'kube-public',
  'kube-node-lease',
  'cattle-system',
  'cattle-impersonation-system',
  'cattle-global-data',
  'cattle-global-nt',
  'cattle-local-user-passwords',
  'cattle-tokens',
  'cattle-oidc-codes',
  'cattle-oidc-client-secrets',
  'cattle-fleet-system',
  'cattle-fleet-local-system',
  'cattle-alerting',
  'cattle-logging',
  'cattle-prometheus',
  'cattle-istio',
  'cattle-csp-adapter-system',
  'cattle-elemental-system',
  'cattle-scc-system',
  'cattle-telemetry-system',
  'cattle-turtles-system',
  'cattle-capi-system',
  'rancher-operator-system',
  'security-scan',
  'ingress-nginx',
  'cert-manager',
  'calico-system',
  'calico-apiserver',
  'tigera-operator',
  'harvester-system',
  'longhorn-system',
];

/** Every setting that there is, with its default. */
export function settingDefaults({ serverUrl, authorities, version, agentImage }: HubFacts): Readonly<Record<string, string>> {
  return {
    'server-url': serverUrl,
    cacerts: authorities,
    'internal-server-url': '',
    'internal-cacerts': '',
    'server-version': version,
    // The uid of the object stands in for it: made once, and never twice.
    'install-uuid': '',
    'agent-tls-mode': 'strict',
    'agent-image': agentImage,
    'shell-image': 'rancher/shell:v0.5.0',
    'system-default-registry': '',
    'first-login': 'true',
    'hide-local-cluster': 'false',
    'system-namespaces': systemNamespaces.join(','),
    'kubeconfig-generate-token': 'true',
    'kubeconfig-default-token-ttl-minutes': '43200',
    'kubeconfig-max-token-ttl-minutes': '129600',
    'auth-user-session-ttl-minutes': '960',
    'auth-user-session-idle-ttl-minutes': '960',
    'auth-token-max-ttl-minutes': '129600',
    'auth-token-default-ttl-minutes': '129600',
    'auth-user-info-max-age-seconds': '3600',
    'password-min-length': '12',
    'crt-default-ttl-minutes': '43200',
    'crt-default-grace-period-minutes': '180',
    'public-api-body-limit': '1Mi',
    'ui-banners': '{}',
    'ui-issues': '',
    'ui-pl': 'drover',
    'ui-brand': '',
    'ui-default-landing': '',
  };
}

/** The variable in the environment of the hub that decides about a setting: `CATTLE_SERVER_URL` about "server-url". */
export const settingVariable = (name: string): string => `CATTLE_${name.toUpperCase().replaceAll('-', '_')}`;
