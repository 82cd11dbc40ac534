import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { eventually } from '../helpers/eventually.ts';
import { tellWithEveryKubectl } from '../helpers/kubectl-story.ts';
import { Program } from '../helpers/program.ts';
import { rigProgramPath } from '../helpers/rig.ts';

tellWithEveryKubectl('I keep objects in the hub', 'kubectl', story => {
  const { program, file } = story;

  test('create makes every everyday kind', async () => {
    const { kubectl } = story;
    await kubectl.expect('create namespace shop', { says: 'namespace/shop created' });
    await kubectl.expect('create namespace shop', {
      code: 1,
      says: 'Error from server (AlreadyExists): namespaces "shop" already exists',
    });
    await kubectl.expect('config set-context --current --namespace=shop', { says: 'modified' });
    await kubectl.expect('create configmap settings --from-literal=color=blue --from-literal=size=1', {
      says: 'configmap/settings created',
    });
    await kubectl.expect('create secret generic key --from-literal=password=hunter2', { says: 'secret/key created' });
    await kubectl.expect('create serviceaccount robot', { says: 'serviceaccount/robot created' });
    await kubectl.expect('create deployment web --image=registry.example/web:1 --replicas=2 --port=80', {
      says: 'deployment.apps/web created',
    });
    await kubectl.expect('create job once --image=busybox -- true', { says: 'job.batch/once created' });
    await kubectl.expect(`create cronjob often --image=busybox --schedule='*/5 * * * *' -- date`, {
      says: 'cronjob.batch/often created',
    });
    await kubectl.expect('create job from-often --from=cronjob/often', { says: 'job.batch/from-often created' });
    await kubectl.expect(`create ingress front --rule='shop.example/*=web:80'`, { says: 'ingress.networking.k8s.io/front created' });
    await kubectl.expect('create quota limit --hard=configmaps=10', { says: 'resourcequota/limit created' });
    await kubectl.expect('create poddisruptionbudget web --selector=app=web --min-available=1', {
      says: 'poddisruptionbudget.policy/web created',
    });
    await kubectl.expect('create priorityclass high --value=1000', { says: 'priorityclass.scheduling.k8s.io/high created' });
    await kubectl.expect('expose deployment web --port=80 --target-port=8080', { says: 'service/web exposed' });
    await kubectl.expect(`autoscale deployment web --min=1 --max=5 ${program === 'kubectl' ? '--cpu=80%' : '--cpu-percent=80'}`, {
      says: 'horizontalpodautoscaler.autoscaling/web autoscaled',
    });
    await kubectl.expect('run box --image=busybox --restart=Never --labels=tier=tool --env=A=1', { says: 'pod/box created' });
  });

  test('get prints tables, wide tables, names, YAML, JSON, JSONPath, templates and columns', async () => {
    const { kubectl } = story;
    await kubectl.expect('get deployments', { says: /^NAME +READY +UP-TO-DATE +AVAILABLE +AGE\nweb +0\/2 / });
    await kubectl.expect('get deploy web -o wide', { says: [/CONTAINERS +IMAGES +SELECTOR/, 'registry.example/web:1', 'app=web'] });
    assert.equal(
      await kubectl.expect('get cm,secret,svc -o name'),
      'configmap/kube-root-ca.crt\nconfigmap/settings\nsecret/key\nservice/web\n',
    );
    assert.match(
      await kubectl.expect('get cm settings -o yaml'),
      /^apiVersion: v1\ndata:\n {2}color: blue\n {2}size: "1"\nkind: ConfigMap\n/,
    );
    assert.equal(JSON.parse(await kubectl.expect('get cm settings -o json')).data.color, 'blue');
    assert.equal(await kubectl.expect(`get svc web -o jsonpath='{.spec.ports[0].targetPort}'`), '8080');
    assert.equal(await kubectl.expect(`get cm settings -o go-template='{{.data.size}}'`), '1');
    assert.equal(
      await kubectl.expect('get cm settings -o custom-columns=NAME:.metadata.name,COLOR:.data.color'),
      'NAME       COLOR\nsettings   blue\n',
    );
    await kubectl.expect('get all', { says: ['pod/box', 'service/web', 'deployment.apps/web', 'job.batch/once', 'cronjob.batch/often'] });
    await kubectl.expect('get pods --show-labels', { says: 'tier=tool' });
    await kubectl.expect('get pods -L tier', { says: /TIER\nbox .*tool\n/ });
    assert.equal(await kubectl.expect('get pods -l tier=tool -o name'), 'pod/box\n');
    assert.equal(await kubectl.expect(`get pods -l 'tier notin (tool)' -o name`), '');
    assert.equal(await kubectl.expect('get pods --field-selector status.phase=Pending -o name'), 'pod/box\n');
    const namespaces = (await kubectl.expect('get ns --sort-by=.metadata.name -o name --chunk-size=2')).trim().split('\n');
    assert.deepEqual(namespaces, namespaces.toSorted());
    const everywhere = ['default', 'kube-node-lease', 'kube-public', 'kube-system', 'shop'];
    assert.deepEqual(
      namespaces.filter(one => everywhere.includes(one.replace('namespace/', ''))),
      everywhere.map(one => `namespace/${one}`),
    );
    await kubectl.expect('get pods -A', { says: /^NAMESPACE +NAME/ });
    await kubectl.expect('get pod nobody', { code: 1, says: 'Error from server (NotFound): pods "nobody" not found' });
    await kubectl.expect('get nonsense', { code: 1, says: `error: the server doesn't have a resource type "nonsense"` });
    assert.equal(await kubectl.expect('get pod nobody --ignore-not-found'), '');
    await kubectl.expect('get --raw /api/v1/namespaces/shop/configmaps/settings', { says: '"color":"blue"' });
  });

  test('describe tells about every kind', async () => {
    const { kubectl } = story;
    await kubectl.expect('describe deployment web', { says: [/Replicas: +2 desired/, /StrategyType: +RollingUpdate/] });
    await kubectl.expect('describe pod box', { says: [/Status: +Pending/, /QoS Class: +BestEffort/, /A: +1/] });
    await kubectl.expect('describe svc web', { says: [/TargetPort: +8080\/TCP/] });
    await kubectl.expect('describe cm settings', { says: ['color:', 'blue'] });
    await kubectl.expect('describe secret key', { says: /password: +7 bytes/ });
    await kubectl.expect('describe ns shop', { says: [/Status: +Active/, /limit/] });
    await kubectl.expect('describe hpa web', { says: /Reference: +Deployment\/web/ });
    await kubectl.expect('describe ingress front', { says: 'shop.example' });
    await kubectl.expect('describe cronjob often', { says: /Schedule: +\*\/5/ });
    await kubectl.expect('describe sa robot', { says: /Name: +robot/ });
  });

  test('label, annotate, scale, set and every kind of patch change what they say', async () => {
    const { kubectl } = story;
    await kubectl.expect('label cm settings team=sea', { says: 'configmap/settings labeled' });
    await kubectl.expect('label cm settings team=land', {
      code: 1,
      says: `error: 'team' already has a value (sea), and --overwrite is false`,
    });
    await kubectl.expect('label cm settings team=land --overwrite', { says: 'labeled' });
    await kubectl.expect('label cm settings team-', { says: 'unlabeled' });
    await kubectl.expect('annotate cm settings note="a b"', { says: 'annotated' });
    await kubectl.expect('scale deploy web --replicas=3 --current-replicas=2', { says: 'deployment.apps/web scaled' });
    await kubectl.expect('scale deploy web --replicas=4 --current-replicas=2', { code: 1, says: 'Expected replicas to be 2, was 3' });
    await kubectl.expect('set image deploy/web web=registry.example/web:2', { says: 'image updated' });
    await kubectl.expect('set env deploy/web MODE=fast', { says: 'env updated' });
    await kubectl.expect('set resources deploy/web --requests=cpu=100m', { says: 'resource requirements updated' });
    await kubectl.expect('set serviceaccount deploy/web robot', { says: 'serviceaccount updated' });
    await kubectl.expect('set selector svc web app=web,tier=front', { says: 'selector updated' });
    await kubectl.expect(`patch deploy web -p '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"s"}]}}}}'`, {
      says: 'patched',
    });
    await kubectl.expect(`patch cm settings --type=merge -p '{"data":{"size":null,"shape":"round"}}'`, { says: 'patched' });
    await kubectl.expect(
      `patch cm settings --type=json -p '[{"op":"test","path":"/data/shape","value":"round"},{"op":"add","path":"/data/x","value":"y"}]'`,
      { says: 'patched' },
    );
    await kubectl.expect(`patch cm settings --type=merge -p '{"data":{"x":"y"}}'`, { says: 'patched (no change)' });
    await kubectl.expect(`patch deploy web --subresource=scale --type=merge -p '{"spec":{"replicas":1}}'`, { says: 'patched' });
    await kubectl.expect(`patch deploy web --subresource=status --type=merge -p '{"status":{"replicas":1}}'`, { says: 'patched' });
    await kubectl.expect(`patch deploy web --type=merge -p '{"spec":{"replicas":-1}}'`, {
      code: 1,
      says: 'spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    });

    assert.deepEqual(JSON.parse(await kubectl.expect('get cm settings -o json')).data, { color: 'blue', shape: 'round', x: 'y' });
    const web = JSON.parse(await kubectl.expect('get deploy web -o json'));
    assert.deepEqual(
      web.spec.template.spec.containers.map((c: { name: string }) => c.name),
      ['side', 'web'],
    );
    assert.equal(web.spec.replicas, 1);
    assert.equal(web.status.replicas, 1);
    assert.equal(web.spec.template.spec.serviceAccountName, 'robot');
  });

  test('edit opens an editor and sends what it leaves', async () => {
    const { kubectl } = story;
    const editor = (script: string): { env: Record<string, string> } => ({ env: { KUBE_EDITOR: `sed -i ${script}` } });
    await kubectl.expect('edit cm settings', { ...editor('s/round/square/'), says: 'configmap/settings edited' });
    await kubectl.expect('edit cm settings', { ...editor('s/nothing/else/'), says: 'Edit cancelled, no changes made' });
    await kubectl.expect('edit deploy web --output-patch', { ...editor('s/web:2/web:3/'), says: ['Patch: {"spec":', 'edited'] });
    assert.equal(await kubectl.expect(`get cm settings -o jsonpath='{.data.shape}'`), 'square');
  });

  test('replace needs a present object, and --force makes a new one', async () => {
    const { kubectl } = story;
    const manifest = file('cm.yaml', 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: turned}\ndata: {a: "1"}\n');
    await kubectl.expect(`replace -f ${manifest}`, { code: 1, says: 'configmaps "turned" not found' });
    await kubectl.expect(`create -f ${manifest} --save-config`, { says: 'created' });
    const uid = await kubectl.expect(`get cm turned -o jsonpath='{.metadata.uid}'`);
    await kubectl.expect(`replace -f ${manifest}`, { says: 'configmap/turned replaced' });
    await kubectl.expect(`replace --force -f ${manifest}`, { says: ['deleted', 'replaced'] });
    assert.notEqual(await kubectl.expect(`get cm turned -o jsonpath='{.metadata.uid}'`), uid);
  });

  test('get -w shows what happens while it happens', async () => {
    const { kubectl } = story;
    const watcher = new Program({
      name: 'kubectl get -w',
      command: rigProgramPath(program),
      args: ['get', 'cm', '-n', 'shop', '--watch-only', '--output-watch-events', '--kubeconfig', story.hub.kubeconfig],
      logFile: path.join(story.dir, `watch-${program}.log`),
    });
    await using _stopped = watcher;
    // The first line may take a moment: the watch begins where the list before it ended.
    let tries = 0;
    await eventually(
      async () => {
        const { kubectl } = story;
        await kubectl.expect(`create cm seen-${tries++}`);
        return watcher.logTail(1000);
      },
      text => /ADDED +seen-\d/.test(text),
      { timeoutMs: 20_000, what: 'the watch' },
    );
    await kubectl.expect('label cm settings seen=yes');
    await kubectl.expect('delete cm seen-0');
    await eventually(
      () => watcher.logTail(1000),
      text => /MODIFIED +settings/.test(text) && /DELETED +seen-0/.test(text),
      { timeoutMs: 20_000 },
    );
  });

  test('delete waits, keeps to its words, and wait sees it', async () => {
    const { kubectl } = story;
    await kubectl.expect(`patch cm turned --type=merge -p '{"metadata":{"finalizers":["example.com/hold"]}}'`);
    await kubectl.expect('delete cm turned --timeout=1s', { code: 1, says: 'timed out waiting for the condition' });
    await kubectl.expect(`patch cm turned --type=merge -p '{"metadata":{"finalizers":null}}'`);
    await kubectl.expect('wait --for=delete cm/turned --timeout=20s');
    await kubectl.expect(`wait --for=jsonpath='{.data.shape}'=square cm/settings --timeout=20s`, { says: 'condition met' });
    await kubectl.expect('delete pod box --now', { says: /pod "box" deleted/ });
    await kubectl.expect('delete deploy,svc,ingress,hpa,pdb --all --cascade=orphan', {
      says: [/deployment.apps "web" deleted/, /service "web" deleted/],
    });
    await kubectl.expect('delete cronjob often --cascade=foreground', { says: 'deleted' });
    await kubectl.expect('delete job --all --cascade=background', { says: 'deleted' });
    await kubectl.expect('delete cm settings --dry-run=server', { says: /deleted.*\(server dry run\)/ });
    await kubectl.expect('get cm settings -o name', { says: 'configmap/settings' });
    await kubectl.expect('delete namespace shop --timeout=60s', { says: 'namespace "shop" deleted' });
    await kubectl.expect('get ns shop', { code: 1, says: 'namespaces "shop" not found' });
  });
});
