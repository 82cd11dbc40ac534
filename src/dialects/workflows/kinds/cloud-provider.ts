import { conditions, notSeenYet } from '../../../api/conditions.ts';
import { defineKind, type ObjectFor } from '../../../api/define-kind.ts';
import { duration } from '../../../api/rollout.ts';
import { flag, integer, list, object, oneOf, optional, text, type TypeOf } from '../../../api/schema.ts';
import { ageColumn, delivery, messageColumn, readyColumn } from './group.ts';

const secret = {
  namespace: text('The namespace of the Secret.', { minLength: 1 }),
  name: text('The name of the Secret.', { minLength: 1 }),
};

const rancher = object('The Rancher server.', {
  url: text('Its address, such as https://rancher.example.', { pattern: '^https?://[^/]+' }),
  auth: object(
    'How to sign in. Exactly one way.',
    {
      bearerTokenSecretRef: optional(object('A token.', { ...secret, key: text('The key that holds the token.') })),
      accessKeySecretRef: optional(
        object('An API key.', {
          ...secret,
          accessKey: optional(text('The key that holds the access key.', { default: 'accessKey' })),
          secretKey: optional(text('The key that holds the secret key.', { default: 'secretKey' })),
        }),
      ),
      basicSecretRef: optional(
        object('A local user.', {
          ...secret,
          usernameKey: optional(text('The key that holds the name.', { default: 'username' })),
          passwordKey: optional(text('The key that holds the password.', { default: 'password' })),
        }),
      ),
    },
    {
      rules: [
        {
          rule: '[has(self.bearerTokenSecretRef), has(self.accessKeySecretRef), has(self.basicSecretRef)].filter(given, given).size() == 1',
          message: 'exactly one of bearerTokenSecretRef, accessKeySecretRef and basicSecretRef is needed',
        },
      ],
    },
  ),
  caBundle: optional(text('The authorities that vouch for the server, PEM in base64. Those of the system when absent.')),
  insecureSkipTLSVerify: optional(flag('Whether to believe any certificate of the server.')),
  requestTimeout: duration('How long an answer may take.', { default: '10s' }),
  resyncInterval: duration('How often the list of clusters is read again.', { default: '5m' }),
  access: optional(
    oneOf(
      ['GeneratedKubeconfig', 'Proxy'],
      'How clusters are reached: with the kubeconfig that the server makes, or through the proxy of the server.',
      { default: 'GeneratedKubeconfig' },
    ),
  ),
});
export type RancherSource = TypeOf<typeof rancher>;

export const CloudProvider = defineKind({
  ...delivery,
  kind: 'CloudProvider',
  plural: 'cloudproviders',
  shortNames: ['cprov'],
  scope: 'Cluster',
  description: 'Where clusters come from: a Rancher server, or the clusters of this hub.',
  spec: object(
    'Where clusters come from, and who may use them.',
    {
      type: oneOf(['Rancher', 'Drover'], 'Rancher: a Rancher server. Drover: the clusters of this hub.'),
      rancher: optional(rancher),
      usageRestrictions: optional(
        object('Who may use the clusters. Everybody when absent.', {
          namespaces: optional(list('The namespaces that may. All when empty.', text('A namespace.'))),
          environmentTypes: optional(
            list('The environments for which they may be used. All when empty.', oneOf(['Prod', 'NonProd'], 'A type of environment.')),
          ),
        }),
      ),
    },
    {
      rules: [
        { rule: 'self.type == oldSelf.type', message: 'type cannot be changed' },
        { rule: "(self.type == 'Rancher') == has(self.rancher)", message: 'rancher goes with type Rancher' },
      ],
    },
  ),
  status: object(
    'What the provider was last seen to be.',
    {
      clusters: optional(integer('How many clusters it has.')),
      serverVersion: optional(text('The version of the server.')),
      tested: optional(text('The value of the annotation delivery.drover.io/test-requested that was last answered.')),
      lastSync: optional(text('When the list of clusters was last read.')),
      ...conditions,
    },
    notSeenYet,
  ),
  columns: [
    { name: 'Type', type: 'string', path: '.spec.type' },
    { name: 'URL', type: 'string', path: '.spec.rancher.url', priority: 1 },
    readyColumn,
    { name: 'Clusters', type: 'integer', path: '.status.clusters' },
    { name: 'Version', type: 'string', path: '.status.serverVersion' },
    messageColumn('Ready'),
    ageColumn,
  ],
});
export type CloudProvider = ObjectFor<typeof CloudProvider>;
