import assert from 'node:assert/strict';
import { X509Certificate, createPublicKey } from 'node:crypto';
import { test } from 'node:test';
import { parse as parseYaml } from 'yaml';
import { tellWithEveryKubectl } from '../helpers/kubectl-story.ts';
import { runCommand } from '../helpers/run-command.ts';

const team = `
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: reader, namespace: default }
rules: [{ apiGroups: [""], resources: [pods, configmaps], verbs: [get, list] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: reader, namespace: default }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: reader }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: jane }]
`;

tellWithEveryKubectl('I decide who may do what', 'kubectl-1.32', story => {
  const { file } = story;

  test('whoami and can-i tell about me', async () => {
    const { kubectl } = story;
    await kubectl.expect('auth whoami', { says: [/Username +kubernetes-admin/, 'system:masters'] });
    assert.equal(await kubectl.expect('auth can-i create deployments'), 'yes\n');
    assert.equal(await kubectl.expect('auth can-i get pods --as=jane', { code: 1 }), 'no\n');
    await kubectl.expect('auth can-i --list', { says: /\*\.\* +\[\] +\[\] +\[\*\]/ });
  });

  test('auth reconcile gives rights, and taking them away works too', async () => {
    const { kubectl } = story;
    await kubectl.expect(`auth reconcile -f ${file('team.yaml', team)}`, {
      says: ['role.rbac.authorization.k8s.io/reader reconciled', 'rolebinding.rbac.authorization.k8s.io/reader reconciled'],
    });
    assert.equal(await kubectl.expect('auth can-i get pods --as=jane'), 'yes\n');
    assert.equal(await kubectl.expect('auth can-i get pods --subresource=log --as=jane', { code: 1 }), 'no\n');
    await kubectl.expect('get pods --as=jane', { says: 'No resources found' });
    await kubectl.expect('get secrets --as=jane', {
      code: 1,
      says: 'Error from server (Forbidden): secrets is forbidden: User "jane" cannot list resource "secrets" in API group "" in the namespace "default"',
    });
    await kubectl.expect('auth can-i --list --as=jane', { says: /configmaps +\[\] +\[\] +\[get list\]/ });
    file('team.yaml', team.replace('[get, list]', '[get]'));
    await kubectl.expect('auth reconcile -f team.yaml --remove-extra-permissions', { says: 'reconciled' });
    assert.equal(await kubectl.expect('auth can-i list pods --as=jane', { code: 1 }), 'no\n');
  });

  test('create makes roles and bindings, and nobody gives more than he has', async () => {
    const { kubectl } = story;
    await kubectl.expect(
      'create clusterrole binder --verb=create,get,list --resource=roles.rbac.authorization.k8s.io,rolebindings.rbac.authorization.k8s.io',
      { says: 'created' },
    );
    await kubectl.expect('create clusterrolebinding binder --clusterrole=binder --user=joe --group=binders', { says: 'created' });
    await kubectl.expect('create role writer --verb=update --resource=pods --as=joe', {
      code: 1,
      says: 'is attempting to grant RBAC permissions not currently held',
    });
    await kubectl.expect('create role writer --verb=get --resource=roles --as=joe', { says: 'created' });
    await kubectl.expect('create rolebinding view --clusterrole=view --serviceaccount=default:default', { says: 'created' });
    assert.equal(await kubectl.expect('auth can-i list services --as=system:serviceaccount:default:default'), 'yes\n');
    assert.equal(await kubectl.expect('auth can-i list secrets --as=system:serviceaccount:default:default', { code: 1 }), 'no\n');
    await kubectl.expect('describe clusterrole view', { says: /configmaps +\[\] +\[\] +\[get list watch\]/ });
  });

  test('a service account works with its token, until it is gone', async () => {
    const { kubectl, hub, dir } = story;
    await kubectl.expect('create serviceaccount robot');
    const token = (await kubectl.expect('create token robot --duration=15m')).trim();
    assert.equal(token.split('.').length, 3);
    const { clusters } = parseYaml(await kubectl.expect('config view --raw')) as { clusters: object[] };
    file(
      'robot.kubeconfig',
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters,
        users: [{ name: 'robot', user: { token } }],
        contexts: [{ name: 'robot', context: { cluster: 'drover', user: 'robot' } }],
        'current-context': 'robot',
      }),
    );
    const env = { KUBECONFIG: `${dir}/robot.kubeconfig` };
    await kubectl.expect('auth whoami', { env, says: [/Username +system:serviceaccount:default:robot/, 'system:serviceaccounts:default'] });
    await kubectl.expect('get pods', { env, code: 1, says: 'Forbidden' });
    await kubectl.expect('create rolebinding robot --clusterrole=edit --serviceaccount=default:robot');
    await kubectl.expect('create configmap by-robot', { env, says: 'created' });
    await kubectl.expect('delete serviceaccount robot');
    await kubectl.expect('get pods', { env, code: 1, says: /Unauthorized|must be logged in/ });
    assert.ok(hub.program.isRunning);
  });

  test('a certificate is asked for, approved, issued and lets its owner in', async () => {
    const { kubectl, dir } = story;
    const made = await runCommand(
      'openssl',
      [
        'req',
        '-new',
        '-newkey',
        'ec',
        '-pkeyopt',
        'ec_paramgen_curve:P-256',
        '-nodes',
        '-keyout',
        'jill.key',
        '-subj',
        '/O=binders/CN=jill',
      ],
      { cwd: dir },
    );
    assert.equal(made.code, 0, made.stderr);
    file(
      'csr.yaml',
      `
apiVersion: certificates.k8s.io/v1
kind: CertificateSigningRequest
metadata: { name: jill }
spec:
  request: ${Buffer.from(made.stdout).toString('base64')}
  signerName: kubernetes.io/kube-apiserver-client
  expirationSeconds: 3600
  usages: [client auth, digital signature]
`,
    );
    await kubectl.expect('apply -f csr.yaml', { says: 'certificatesigningrequest.certificates.k8s.io/jill created' });
    await kubectl.expect('get csr', { says: /jill +\S+ +kubernetes.io\/kube-apiserver-client +kubernetes-admin +60m +Pending/ });
    await kubectl.expect('certificate approve jill', { says: 'approved' });
    await kubectl.expect(`wait --for=jsonpath='{.status.certificate}' csr/jill --timeout=20s`, { says: 'condition met' });
    await kubectl.expect('get csr jill', { says: 'Approved,Issued' });
    const pem = Buffer.from(await kubectl.expect(`get csr jill -o jsonpath='{.status.certificate}'`), 'base64').toString('utf8');
    const certificate = new X509Certificate(pem);
    assert.match(certificate.subject, /CN=jill/);
    assert.equal(certificate.publicKey.type, createPublicKey(pem).type);
    file('jill.crt', pem);
    await kubectl.expect('config set-credentials jill --client-certificate=jill.crt --client-key=jill.key', { says: 'set' });
    await kubectl.expect('auth whoami --user=jill', { says: [/Username +jill/, 'binders'] });
    await kubectl.expect('get rolebindings --user=jill', { says: 'reader' });
    await kubectl.expect('certificate deny jill', { code: 1 });
  });
});
