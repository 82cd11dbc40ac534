import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { readYaml } from '../../../yaml/read-yaml.ts';
import { printRancherKubeconfig } from './cluster-kubeconfig.ts';

const way = { clusterId: 'c-m-ab12cd34', base: 'https://hub.example.com', authorities: 'PEM' };

test('a kubeconfig has one cluster and one user, whatever the cluster is called', () => {
  const anyName = fc.oneof(
    fc.string({ unit: 'binary', minLength: 1 }).filter(text => text.isWellFormed()),
    fc.constantFrom(
      'a\nusers: []',
      '$(id)',
      '`id`',
      '"',
      "'",
      '- x',
      '{{ .x }}',
      '*a',
      '&a',
      '!!js',
      'null',
      '1e3',
      'a: b #c',
      '\u2028',
      '~',
    ),
  );
  fc.assert(
    fc.property(anyName, name => {
      const { value } = readYaml(printRancherKubeconfig({ ...way, name }, { token: 'kubeconfig-u-x:key' }));
      assert.deepEqual(value, {
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          {
            name,
            cluster: {
              server: 'https://hub.example.com/k8s/clusters/c-m-ab12cd34',
              'certificate-authority-data': Buffer.from('PEM').toString('base64'),
            },
          },
        ],
        users: [{ name, user: { token: 'kubeconfig-u-x:key' } }],
        contexts: [{ name, context: { user: name, cluster: name } }],
        'current-context': name,
      });
    }),
  );
});
