import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { connect, type TLSSocket } from 'node:tls';
import { after, before, describe, test } from 'node:test';
import { droverFor } from '../helpers/drover.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { CommandLine, kubectlFor } from '../helpers/kubectl.ts';
import { printKubeconfig, scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, rigProgramPath } from '../helpers/rig.ts';

const skip = missingRig('helm', 'kubectl') ?? false;

describe("a member's API through the hub", { skip, timeout: 240_000 }, () => {
  const scratch = scratchDir('proxy');
  let hub: Hub;
  let onHub: CommandLine;
  let kubectl: CommandLine;
  let helm: CommandLine;

  before(async () => {
    hub = await startHub();
    await droverFor({ hub: hub.kubeconfig, dir: scratch.dir }).expect('sandbox create east --wait', { timeoutMs: 60_000 });
    const kubeconfig = configFor('admin', {});
    onHub = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    kubectl = kubectlFor('kubectl', { kubeconfig, dir: scratch.dir });
    const home = path.join(scratch.dir, 'helm-home');
    const env = { KUBECONFIG: kubeconfig, HOME: home, HELM_CACHE_HOME: home, HELM_CONFIG_HOME: home, HELM_DATA_HOME: home };
    helm = new CommandLine(rigProgramPath('helm'), { env, cwd: scratch.dir, timeoutMs: 120_000 });
  });
  after(async () => {
    await hub?.[Symbol.asyncDispose]();
    scratch[Symbol.dispose]();
  });

  /** A kubeconfig for "east" through the hub: the administrator's, or with a token. */
  function configFor(name: string, { token }: { token?: string }): string {
    const { ca = '', certificate = '', key = '' } = hub.target.credentials;
    const file = path.join(scratch.dir, `${name}.kubeconfig`);
    const server = `${hub.server}/k8s/clusters/east`;
    writeFileSync(file, printKubeconfig({ server, ca, ...(token === undefined ? { certificate, key } : { token }) }));
    return file;
  }

  test('workloads are made, rolled out, listed and followed', async () => {
    await kubectl.expect('create deployment web --image=web:1 --replicas=2', { says: 'deployment.apps/web created' });
    await kubectl.expect('rollout status deployment web --timeout=60s', { says: 'successfully rolled out', timeoutMs: 70_000 });
    await kubectl.expect('get pods -l app=web', { says: /web-\S+ +1\/1 +Running/ });
    await kubectl.expect('wait pods -l app=web --for=condition=Ready --timeout=30s', { says: 'condition met' });
    await kubectl.expect('logs deployment/web --tail=1');
    await kubectl.expect('explain deployment.spec.replicas', { says: 'FIELD: replicas' });
    await kubectl.expect('api-resources --api-group=apps', { says: 'deployments' });
    await kubectl.expect('delete deployment web --wait', { says: 'deleted' });
  });

  test('helm installs, waits and uninstalls', async () => {
    await helm.expect('create shop', { says: 'Creating shop' });
    await helm.expect('install web shop -n sales --create-namespace --wait --timeout 60s', { says: 'STATUS: deployed' });
    await helm.expect('list -n sales', { says: 'shop-0.1.0' });
    await helm.expect('uninstall web -n sales --wait', { says: 'uninstalled' });
  });

  test('what the hub has and what the member has are two things', async () => {
    await kubectl.expect('create namespace only-east');
    await onHub.expect('get namespace only-east', { code: 1, says: 'not found' });
  });

  test('a cluster that is not there is said in words', async () => {
    const { code, text } = await hub.request('GET', '/k8s/clusters/west/api/v1/pods');
    assert.equal(code, 404, text);
    await onHub.expect('get --raw /k8s/clusters/west/api', {
      code: 1,
      says: 'Error from server (NotFound): clusters.drover.io "west" not found',
    });
  });

  const rawRequest = (lines: readonly string[], body = ''): Promise<string> => {
    const { ca, certificate, key } = hub.target.credentials;
    const { hostname, port } = new URL(hub.server);
    const socket: TLSSocket = connect({ host: hostname, port: Number(port), ca: ca!, cert: certificate!, key: key! });
    socket.write([...lines, 'Host: hub', `Content-Length: ${body.length}`, 'Connection: close', '', body].join('\r\n'));
    return new Promise((resolve, reject) => {
      let text = '';
      socket.on('data', chunk => (text += String(chunk)));
      socket.on('end', () => resolve(text));
      socket.on('error', reject);
    });
  };

  test('paths that lead elsewhere are refused', async () => {
    for (const target of [
      '/k8s/clusters/east/../../api/v1/secrets',
      '/k8s/clusters/east/..%2f..%2fapi',
      '/k8s/clusters/east/%2e%2e/west/api',
      '/k8s/clusters/east//api',
      '/k8s/clusters/east/%252e%252e/api',
    ])
      assert.match(await rawRequest([`GET ${target} HTTP/1.1`]), /^HTTP\/1.1 400 /, target);
    for (const target of ['//k8s/clusters/east/api/v1/secrets', '/k8s/./clusters/east/api', '/K8S/clusters/east/api'])
      assert.match(await rawRequest([`GET ${target} HTTP/1.1`]), /^HTTP\/1.1 4/, target);
  });

  test('nobody is believed who he says he is', async () => {
    const review = '{"apiVersion":"authentication.k8s.io/v1","kind":"SelfSubjectReview"}';
    const whoAmI = ['POST /k8s/clusters/east/apis/authentication.k8s.io/v1/selfsubjectreviews HTTP/1.1', 'Content-Type: application/json'];
    for (const claim of [
      ['X-Remote-User: root', 'x-remote-group: system:masters'],
      ['Authorization: Bearer root', 'AUTHORIZATION: Bearer admin'],
      ['Cookie: R_SESS=root', 'X-Forwarded-User: root', 'Connection: Impersonate-Group, X-Custom'],
    ]) {
      const answer = await rawRequest([...whoAmI, ...claim], review);
      assert.match(answer, /^HTTP\/1.1 201 [^]*"username":"kubernetes-admin"/, claim.join());
      assert.doesNotMatch(answer, /root/);
    }
    const impersonated = await rawRequest([...whoAmI, 'Impersonate-User: jane', 'Impersonate-User: root'], review);
    assert.match(impersonated, /^HTTP\/1.1 400 /);
  });

  test('a right that is taken away ends what is open', async () => {
    await onHub.expect('create serviceaccount reader');
    await onHub.expect('create clusterrole clusters-reader --verb=get --resource=clusters.drover.io');
    await onHub.expect('create clusterrolebinding reader --clusterrole=clusters-reader --serviceaccount=default:reader');
    await kubectl.expect('create clusterrolebinding reader --clusterrole=view --user=hub:system:serviceaccount:default:reader');
    const token = (await onHub.expect('create token reader')).trim();
    const reader = kubectlFor('kubectl', { kubeconfig: configFor('reader', { token }), dir: scratch.dir });
    await eventually(
      () => reader.run('get configmaps'),
      ({ code }) => code === 0,
    );
    await reader.expect('auth whoami', { says: 'hub:system:serviceaccount:default:reader' });
    const watching = await hub.target.stream('/k8s/clusters/east/api/v1/configmaps?watch=true', { authorization: `Bearer ${token}` });
    await eventually(() => watching.lines.length > 0);
    await onHub.expect('delete clusterrolebinding reader');
    await watching.ended;
    await reader.expect('get configmaps', { code: 1, says: 'cannot get resource "clusters" in API group "drover.io"' });
  });

  test('a local port leads to nothing that is not there, and kubectl says why', async () => {
    await kubectl.expect('run lonely --image=lonely:1');
    await kubectl.expect('wait pod lonely --for=condition=Ready --timeout=30s');
    const answered = await kubectl.run(`port-forward pod/lonely ${await freePort()}:80`, { timeoutMs: 30_000 });
    assert.notEqual(answered.code, 0);
    assert.match(answered.stderr, /error/i);
    await kubectl.expect('exec lonely -- true', { code: 1, says: /error/i });
    assert.doesNotMatch(readFileSync(hub.program.logFile, 'utf8'), /request failed/);
  });
});
