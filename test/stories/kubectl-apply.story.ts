import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellWithEveryKubectl } from '../helpers/kubectl-story.ts';

const deployment = ({ image = 'web:1', extra = '' } = {}): string => `
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, labels: { app: web } }
spec:
  replicas: 2
  selector: { matchLabels: { app: web } }
  template:
    metadata: { labels: { app: web } }
    spec:
      containers:
        - name: web
          image: ${image}
          ports: [{ containerPort: 80 }]
${extra}`;

const configMap = (name: string, value: string): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: { name: ${name}, labels: { set: pruned } }\ndata: { value: "${value}" }\n`;

tellWithEveryKubectl('I apply manifests to the hub', 'kubectl-1.32', story => {
  const { file } = story;

  test('apply creates, configures and leaves alone', async () => {
    const { kubectl } = story;
    await kubectl.expect(`diff -f ${file('web.yaml', deployment())}`, { code: 1, says: '+  name: web' });
    await kubectl.expect('apply -f web.yaml', { says: 'deployment.apps/web created' });
    await kubectl.expect('apply -f web.yaml', { says: 'deployment.apps/web unchanged' });
    await kubectl.expect('diff -f web.yaml');
    file('web.yaml', deployment({ image: 'web:2' }));
    await kubectl.expect('diff -f web.yaml', { code: 1, says: ['-      - image: web:1', '+      - image: web:2'] });
    await kubectl.expect('apply -f web.yaml', { says: 'deployment.apps/web configured' });
    await kubectl.expect('apply view-last-applied deploy/web', { says: 'image: web:2' });
    await kubectl.expect('scale deploy/web --replicas=5');
    file('web.yaml', deployment({ image: 'web:2' }).replace(/ +replicas: 2\n/, ''));
    await kubectl.expect('apply -f web.yaml', { says: 'configured' });
    assert.equal(
      await kubectl.expect(`get deploy web -o jsonpath='{.spec.replicas} {.spec.template.spec.containers[*].image}'`),
      '1 web:2',
    );
  });

  test('apply --server-side owns fields, and two owners conflict', async () => {
    const { kubectl } = story;
    file('side.yaml', configMap('side', '1'));
    await kubectl.expect('apply --server-side -f side.yaml', { says: 'configmap/side serverside-applied' });
    await kubectl.expect(`patch cm side --type=merge -p '{"data":{"value":"mine"}}' --field-manager=somebody`, { says: 'patched' });
    await kubectl.expect('apply --server-side -f side.yaml', {
      code: 1,
      says: 'Apply failed with 1 conflict: conflict with "somebody" using v1: .data.value',
    });
    await kubectl.expect('apply --server-side --force-conflicts -f side.yaml', { says: 'serverside-applied' });
    await kubectl.expect('diff --server-side -f side.yaml');
    await kubectl.expect('apply --server-side --field-manager=third -f side.yaml', { says: 'serverside-applied' });
    const { metadata } = JSON.parse(await kubectl.expect('get cm side -o json --show-managed-fields'));
    assert.deepEqual(metadata.managedFields.map((m: { manager: string; operation: string }) => `${m.manager} ${m.operation}`).toSorted(), [
      'kubectl Apply',
      'third Apply',
    ]);
  });

  test('apply --server-side takes over what client-side apply left', async () => {
    const { kubectl } = story;
    file('moved.yaml', configMap('moved', '1'));
    await kubectl.expect('apply -f moved.yaml', { says: 'created' });
    await kubectl.expect('apply --server-side -f moved.yaml', { says: 'serverside-applied' });
    file('moved.yaml', configMap('moved', '1').replace('value:', 'other:'));
    await kubectl.expect('apply --server-side -f moved.yaml', { says: 'serverside-applied' });
    assert.equal(await kubectl.expect(`get cm moved -o jsonpath='{.data}'`), '{"other":"1"}');
  });

  test('a dry run changes nothing, whoever runs it', async () => {
    const { kubectl } = story;
    file('dry.yaml', configMap('dry', '1'));
    await kubectl.expect('apply -f dry.yaml --dry-run=server', { says: 'configmap/dry created (server dry run)' });
    await kubectl.expect('apply -f dry.yaml --dry-run=client', { says: 'configmap/dry created (dry run)' });
    await kubectl.expect('apply --server-side -f dry.yaml --dry-run=server', { says: 'serverside-applied (server dry run)' });
    const made = await kubectl.expect('create deployment dry --image=x --dry-run=server -o yaml');
    assert.match(made, /progressDeadlineSeconds: 600/);
    assert.doesNotMatch(await kubectl.expect('create deployment dry --image=x --dry-run=client -o yaml'), /progressDeadlineSeconds/);
    await kubectl.expect('get deploy,cm dry', { code: 1, says: 'NotFound' });
  });

  test('unknown fields are refused, warned about or dropped, as asked', async () => {
    const { kubectl } = story;
    file('typo.yaml', deployment({ extra: '          imagePullPolice: Always\n' }).replaceAll('name: web,', 'name: typo,'));
    const unknown = 'unknown field "spec.template.spec.containers[0].imagePullPolice"';
    await kubectl.expect('create -f typo.yaml', { code: 1, says: ['strict decoding error', unknown] });
    await kubectl.expect('create -f typo.yaml --validate=strict', { code: 1, says: unknown });
    await kubectl.expect('create -f typo.yaml --validate=warn', { says: [`Warning: ${unknown}`, 'created'] });
    await kubectl.expect('apply -f typo.yaml --validate=ignore', { says: 'configured' });
    file('wrong.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: { name: wrong }\ndata: { a: 1 }\n');
    await kubectl.expect('create -f wrong.yaml', {
      code: 1,
      says: 'cannot unmarshal number into Go struct field ConfigMap.data of type string',
    });
    await kubectl.expect('create -f -', {
      input: 'kind: Nonsense\napiVersion: example.com/v1\nmetadata: {name: a}\n',
      code: 1,
      says: 'no matches for kind "Nonsense"',
    });
  });

  test('a kustomization is built and applied', async () => {
    const { kubectl } = story;
    file('kust/cm.yaml', configMap('kust', '1'));
    file(
      'kust/kustomization.yaml',
      'namePrefix: my-\nnamespace: default\nresources: [cm.yaml]\nconfigMapGenerator: [{ name: made, literals: [a=1] }]\n',
    );
    await kubectl.expect('kustomize kust', { says: 'name: my-kust' });
    await kubectl.expect('apply -k kust', { says: ['configmap/my-kust created', /configmap\/my-made-\w+ created/] });
    await kubectl.expect('diff -k kust');
    await kubectl.expect('delete -k kust', { says: '"my-kust" deleted' });
  });

  test('apply --prune removes what left the folder', async () => {
    const { kubectl } = story;
    file('set/a.yaml', configMap('prune-a', '1'));
    file('set/b.yaml', configMap('prune-b', '1'));
    const prune = 'apply -f set --prune -l set=pruned --prune-allowlist=core/v1/ConfigMap';
    await kubectl.expect(prune, { says: ['configmap/prune-a created', 'configmap/prune-b created'] });
    file('set/b.yaml', '');
    await kubectl.expect(prune, { says: ['configmap/prune-a unchanged', 'configmap/prune-b pruned'] });
    await kubectl.expect('get cm prune-b', { code: 1, says: 'not found' });
  });

  test('an apply set remembers its members', async () => {
    const { kubectl } = story;
    const env = { KUBECTL_APPLYSET: 'true' };
    file('members/a.yaml', configMap('member-a', '1'));
    file('members/b.yaml', configMap('member-b', '1'));
    const apply = 'apply -n default -f members --prune --applyset=crew';
    await kubectl.expect(apply, { env, says: ['configmap/member-a created', 'configmap/member-b created'] });
    file('members/b.yaml', '');
    await kubectl.expect(apply, { env, says: ['configmap/member-a unchanged', 'configmap/member-b pruned'] });
  });

  test('many documents from standard input arrive in order', async () => {
    const { kubectl } = story;
    const input = [
      'apiVersion: v1\nkind: Namespace\nmetadata: { name: many }\n',
      ...['many-a', 'many-b', 'many-c'].map(n => configMap(n, n)),
    ].join('---\n');
    await kubectl.expect('apply -n many -f -', {
      input,
      says: /namespace\/many created\nconfigmap\/many-a created\nconfigmap\/many-b created\nconfigmap\/many-c created/,
    });
    await kubectl.expect('delete -n many -f - --ignore-not-found', { input, says: 'namespace "many" deleted' });
  });
});
