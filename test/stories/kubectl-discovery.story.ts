import assert from 'node:assert/strict';
import path from 'node:path';
import { test } from 'node:test';
import { freePort } from '../helpers/free-port.ts';
import { tellWithEveryKubectl } from '../helpers/kubectl-story.ts';
import { Program } from '../helpers/program.ts';
import { rigProgramPath } from '../helpers/rig.ts';

const boats = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boats.sea.example.com }
spec:
  group: sea.example.com
  scope: Namespaced
  names: { plural: boats, singular: boat, kind: Boat, shortNames: [bo], categories: [all] }
  versions:
    - name: v1
      served: true
      storage: true
      subresources:
        status: {}
        scale: { specReplicasPath: .spec.oars, statusReplicasPath: .status.oars }
      additionalPrinterColumns: [{ name: Sails, type: integer, jsonPath: .spec.sails }]
      schema:
        openAPIV3Schema:
          type: object
          description: A boat.
          properties:
            spec:
              type: object
              required: [sails]
              properties:
                sails: { type: integer, minimum: 1, description: How many sails it has. }
                oars: { type: integer, default: 2 }
            status: { type: object, properties: { oars: { type: integer } } }
`;

tellWithEveryKubectl('I find out what the hub can do', 'kubectl', story => {
  const { file, program } = story;

  test('version, cluster-info, api-versions and api-resources answer', async () => {
    const { kubectl } = story;
    await kubectl.expect('version', { says: /Server Version: v1\.36/ });
    await kubectl.expect('cluster-info', { says: 'is running at' });
    await kubectl.expect('api-versions', { says: ['apps/v1\n', 'v1\n', 'rbac.authorization.k8s.io/v1\n', 'resource.k8s.io/v1\n'] });
    await kubectl.expect('api-resources', {
      says: [/^deployments +deploy +apps\/v1 +true +Deployment$/m, /^namespaces +ns +v1 +false +Namespace$/m],
    });
    await kubectl.expect('api-resources --namespaced=false --verbs=list -o name', {
      says: ['nodes\n', 'clusterroles.rbac.authorization.k8s.io\n'],
    });
    await kubectl.expect('api-resources --api-group=apps -o wide', {
      says: /statefulsets .*create,delete,deletecollection,get,list,patch,update,watch +all/,
    });
    await kubectl.expect(`get --raw '/readyz?verbose'`, { says: 'readyz check passed' });
    await kubectl.expect('get --raw /metrics', { says: 'apiserver_request_total' });
  });

  test('explain knows every field of a built-in kind', async () => {
    const { kubectl } = story;
    await kubectl.expect('explain pods', { says: [/^KIND: +Pod$/m, /^ +spec\t<PodSpec>$/m] });
    await kubectl.expect('explain deployment.spec.strategy.rollingUpdate', { says: [/^GROUP: +apps$/m, /maxSurge\t<IntOrString>/] });
    await kubectl.expect('explain pod.spec --recursive', { says: /requiredDuringSchedulingIgnoredDuringExecution/ });
    await kubectl.expect('explain hpa.spec --api-version=autoscaling/v1', { says: 'targetCPUUtilizationPercentage' });
    await kubectl.expect('explain cronjob -o plaintext-openapiv2', { says: /^KIND: +CronJob$/m });
    await kubectl.expect('explain pod.nonsense', { code: 1, says: 'field "nonsense" does not exist' });
  });

  test('a kind of my own is served, explained, printed, validated and scaled', async () => {
    const { kubectl } = story;
    await kubectl.expect(`apply -f ${file('boats.yaml', boats)}`, { says: 'boats.sea.example.com created' });
    await kubectl.expect('wait --for=condition=Established crd/boats.sea.example.com --timeout=20s', { says: 'condition met' });
    await kubectl.expect('explain boat.spec.sails', { says: ['How many sails it has.', /FIELD: sails <integer>/] });
    await kubectl.expect('explain boats --recursive', { says: [/sails\t<integer> -required-/, /oars\t<integer>/] });
    await kubectl.expect('api-resources --api-group=sea.example.com', { says: /boats +bo +sea\.example\.com\/v1 +true +Boat/ });

    const boat = (spec: string): string => `apiVersion: sea.example.com/v1\nkind: Boat\nmetadata: { name: argo }\nspec: ${spec}\n`;
    await kubectl.expect('apply -f -', {
      input: boat('{ sails: 0 }'),
      code: 1,
      says: 'spec.sails: Invalid value: 0: spec.sails in body should be greater than or equal to 1',
    });
    await kubectl.expect('apply -f -', { input: boat('{ sails: 1, motor: yes }'), code: 1, says: 'unknown field "spec.motor"' });
    await kubectl.expect('apply -f -', { input: boat('{ sails: 3 }'), says: 'boat.sea.example.com/argo created' });
    await kubectl.expect('apply --server-side --field-manager=x -f -', { input: boat('{ sails: 3 }'), says: 'serverside-applied' });
    assert.match(await kubectl.expect('get bo'), /^NAME +SAILS\nargo +3\n$/);
    await kubectl.expect('get all', { says: 'boat.sea.example.com/argo' });
    await kubectl.expect('scale boat argo --replicas=6', { says: 'boat.sea.example.com/argo scaled' });
    await kubectl.expect(`patch boat argo --subresource=status --type=merge -p '{"status":{"oars":6}}'`, { says: 'patched' });
    await kubectl.expect(`wait --for=jsonpath='{.status.oars}'=6 boat/argo --timeout=20s`, { says: 'condition met' });
    await kubectl.expect('describe boat argo', { says: [/Oars: +6/, /Sails: +3/] });
    await kubectl.expect('delete crd boats.sea.example.com --timeout=30s', { says: 'deleted' });
    await kubectl.expect('get boats.sea.example.com', {
      code: 1,
      says: /could not find the requested resource|doesn't have a resource type/,
    });
    await kubectl.expect('api-resources --api-group=sea.example.com --cached=false -o name', { says: /^$/ });
  });

  test('events are listed, oldest first', async () => {
    const { kubectl, hub } = story;
    const involvedObject = { kind: 'Pod', namespace: 'default', name: 'box', apiVersion: 'v1' };
    for (const [n, reason] of ['Scheduled', 'Started'].entries())
      await hub.request('POST', '/api/v1/namespaces/default/events', {
        metadata: { name: `box.${n}` },
        involvedObject,
        reason,
        type: 'Normal',
        message: `${reason} it`,
        firstTimestamp: `2026-01-01T00:00:0${n}Z`,
        lastTimestamp: `2026-01-01T00:00:0${n}Z`,
        count: 1,
      });
    await kubectl.expect('events', { says: /Scheduled it\n.*Started it/ });
    await kubectl.expect('events --for=pod/box --types=Normal', { says: /Pod\/box +Scheduled it/ });
    await kubectl.expect('get events --field-selector reason=Started', { says: /Normal +Started +pod\/box +Started it/ });
  });

  test('what is not there says so: top without metrics, logs and exec without a kubelet', async () => {
    const { kubectl } = story;
    await kubectl.expect('top pods', { code: 1, says: 'Metrics API not available' });
    await kubectl.expect('top nodes', { code: 1, says: 'Metrics API not available' });
    await kubectl.expect('run alone --image=busybox', { says: 'created' });
    await kubectl.expect('logs alone', { says: /^$/ });
    await kubectl.expect('exec alone -- true', { code: 1, says: 'pod alone does not have a host assigned' });
    await kubectl.expect('delete pod alone --force --grace-period=0', { says: /force deleted/ });
  });

  test('proxy passes the API on without credentials', async () => {
    const { hub, dir } = story;
    const port = await freePort();
    await using proxy = new Program({
      name: 'kubectl proxy',
      command: rigProgramPath(program),
      args: ['proxy', `--port=${port}`, '--kubeconfig', hub.kubeconfig],
      logFile: path.join(dir, 'proxy.log'),
    });
    await proxy.waitUntil(async () => (await fetch(`http://127.0.0.1:${port}/readyz`)).ok);
    const list = await fetch(`http://127.0.0.1:${port}/api/v1/namespaces`);
    assert.equal(((await list.json()) as { kind: string }).kind, 'NamespaceList');
  });

  test('config shows the kubeconfig without its secrets', async () => {
    const { kubectl, hub } = story;
    await kubectl.expect('config view', { says: [hub.server, 'DATA+OMITTED'] });
    assert.equal(await kubectl.expect('config current-context'), 'drover\n');
    await kubectl.expect('config get-contexts', { says: /\* +drover +drover +admin/ });
  });
});
