import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { buildUi } from '../../scripts/build-ui.ts';
import { startBrowser } from '../helpers/browser.ts';
import { droverFor } from '../helpers/drover.ts';
import { startFaultyLink, type FaultyLink } from '../helpers/faulty-link.ts';
import { eventually } from '../helpers/eventually.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { firstPassword, signIn } from '../helpers/page-rig.ts';
import { scratchDir, startControllerManager, startEtcd, startRealApiServer, startScheduler } from '../helpers/real-cluster.ts';
import { kubectlImage, missingContainers, startRealNode, writeKubectlImage } from '../helpers/real-node.ts';
import { missingRig } from '../helpers/rig.ts';

const isGate = process.env['DROVER_GATE'] === 'true' ? 'skipped: too slow for the gate' : undefined;
const missing =
  isGate ?? missingRig('etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler', 'kubelet', 'kubectl') ?? missingContainers();

describe('a kubectl shell on a cluster with a real node', { skip: missing ?? false, timeout: 280_000 }, () => {
  const running = new AsyncDisposableStack();
  const scratch = running.use(scratchDir('kubectl-shell'));
  let hub: Hub;
  let kubectl: CommandLine;
  let onMember: CommandLine;
  let link: FaultyLink;

  before(async () => {
    await buildUi();
    const etcd = running.use(await startEtcd());
    const member = running.use(
      await startRealApiServer({ etcd, extraArgs: ['--bind-address=0.0.0.0', '--kubelet-preferred-address-types=InternalIP'] }),
    );
    await Promise.all([startControllerManager(member), startScheduler(member)]);
    const node = running.use(await startRealNode(member));
    node.importImage(writeKubectlImage());
    hub = running.use(await startHub({ host: node.hostAddress }));
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    onMember = kubectlFor('kubectl', { kubeconfig: member.kubeconfig, dir: member.dir });
    await onMember.expect('create namespace tools');
    await onMember.expect('label namespace tools pod-security.kubernetes.io/enforce=restricted');
    link = running.use(await startFaultyLink(Number(new URL(member.server).port)));
    const throughLink = path.join(scratch.dir, 'through-link.kubeconfig');
    writeFileSync(throughLink, readFileSync(member.kubeconfig, 'utf8').replace(member.server, `https://127.0.0.1:${link.port}`), {
      mode: 0o600,
    });
    await droverFor({ hub: hub.kubeconfig, dir: scratch.dir }).expect(`join edge --kubeconfig ${throughLink}`);
    await kubectl.expect('wait clusters.drover.io edge --for=condition=Ready --timeout=60s', { timeoutMs: 70_000 });
    await kubectl.expect(`patch settings.management.cattle.io shell-image --type=merge -p '{"value":"${kubectlImage}"}'`);
  });
  after(() => running.disposeAsync());

  const shellPods = () => onMember.run('-n tools get pods -l app.kubernetes.io/name=drover-shell -o name');
  const shellTokens = async () => {
    const { stdout } = await kubectl.run('get tokens.management.cattle.io -o jsonpath={.items[*].description}');
    return stdout.split('Kubectl shell').length - 1;
  };
  const nothingLeft = async () => {
    await eventually(shellPods, ({ code, stdout }) => code === 0 && stdout === '');
    await eventually(shellTokens, count => count === 0);
  };

  test('a kubectl shell in the page works as the person who opened it, and leaves nothing', async () => {
    await using browser = await startBrowser(hub.server);
    await using window = await browser.open();
    const { page } = window;
    const open = page.getByRole('button', { name: 'Open the shell' });
    const screen = page.locator('.xterm-rows');
    const type = async (line: string, wanted: RegExp) => {
      await page.keyboard.type(`${line}\n`);
      await eventually(
        () => screen.innerText(),
        text => wanted.test(text),
      );
    };

    await signIn(page, hub.server, { username: 'admin', password: firstPassword(hub) });
    await page.goto(`${hub.server}/ui/clusters?ns=tools`);
    await page.getByRole('button', { name: 'Actions for edge' }).click();
    await page.getByRole('menuitem', { name: 'Kubectl shell' }).click();
    await open.waitFor();
    assert.equal(await page.getByLabel('Namespace').inputValue(), 'tools');
    await eventually(
      () => page.getByLabel('Image').inputValue(),
      image => image === kubectlImage,
    );
    await page.getByText('The pod, and how to make it').click();
    await page.getByText('activeDeadlineSeconds').waitFor();
    await window.picture('kubectl-shell-form');
    assert.deepEqual(await window.barriers(), []);
    assert.equal((await shellPods()).stdout, '');

    await page.getByLabel('Image').fill('drover.test/none:1');
    await open.click();
    await page.getByText('The node cannot pull the image drover.test/none:1').waitFor({ timeout: 60_000 });
    assert.equal(await shellTokens(), 0);
    await window.picture('kubectl-shell-stuck');
    assert.deepEqual(await window.barriers(), []);
    await page.getByRole('button', { name: 'Close' }).click();
    await nothingLeft();

    await page.getByLabel('Image').fill(kubectlImage);
    await open.click();
    await page.locator('.xterm-helper-textarea').waitFor({ timeout: 60_000 });
    await eventually(
      () => screen.innerText(),
      text => text.includes('$'),
    );
    await type('kubectl get namespaces', /tools\s+Active/);
    const admin = await kubectl.expect('get users.management.cattle.io -o jsonpath={.items[0].metadata.name}');
    await type('kubectl auth whoami', new RegExp(`Username\\s+${admin}`));
    const [pod] = (await shellPods()).stdout.trim().split('\n');
    assert.doesNotMatch(await onMember.expect(`-n tools get ${pod} -o json`), /kubeconfig|token-|Bearer/);
    await page.getByRole('link', { name: 'Events', exact: true }).click();
    await page.getByRole('link', { name: 'Shell', exact: true }).click();
    await page.locator('.xterm-helper-textarea').focus();
    await type('ls -l .kube/config', /-rw-------/);
    await window.picture('kubectl-shell');
    assert.deepEqual(await window.barriers(), []);
    await page.getByRole('button', { name: 'Close the shell' }).click();
    await open.waitFor();
    await nothingLeft();

    await open.click();
    await page.locator('.xterm-helper-textarea').waitFor({ timeout: 60_000 });
    assert.equal(await shellTokens(), 1);
    await page.goto('about:blank');
    await nothingLeft();
    assert.deepEqual(window.faults, []);
  });

  test('a cluster that is lost while the shell opens is said to be away, and the shell opens when it is back', async () => {
    await using browser = await startBrowser(hub.server);
    await using window = await browser.open();
    const { page } = window;
    const open = page.getByRole('button', { name: 'Open the shell' });
    await signIn(page, hub.server, { username: 'admin', password: firstPassword(hub) });
    await page.goto(`${hub.server}/ui/clusters/edge/shell?ns=tools`);
    await eventually(
      () => page.getByLabel('Image').inputValue(),
      image => image === kubectlImage,
    );

    // Before there is a pod.
    link.cut();
    await open.click();
    await page.getByRole('alert').waitFor({ timeout: 60_000 });
    await window.picture('kubectl-shell-no-cluster');
    assert.deepEqual(await window.barriers(), []);
    link.heal();
    await page.getByRole('button', { name: 'Close' }).click();
    await kubectl.expect('wait clusters.drover.io edge --for=condition=Ready --timeout=60s', { timeoutMs: 70_000 });

    // With a pod, and a token on its way there.
    let cuts = 0;
    await page.route('**/v3/tokens', async route => {
      if (route.request().method() === 'POST' && cuts++ === 0) link.cut();
      await route.continue();
    });
    await open.click();
    await page.getByText('edge does not answer').or(page.getByRole('alert')).first().waitFor({ timeout: 60_000 });
    await window.picture('kubectl-shell-lost');
    assert.deepEqual(await window.barriers(), []);
    await eventually(shellTokens, count => count === 0, { timeoutMs: 30_000 });
    link.heal();
    await page.locator('.xterm-helper-textarea').waitFor({ timeout: 60_000 });
    await page.keyboard.type('kubectl get namespaces\n');
    await eventually(
      () => page.locator('.xterm-rows').innerText(),
      text => /tools\s+Active/.test(text),
    );
    assert.ok(cuts > 1, 'another token was made');
    await page.getByRole('button', { name: 'Close the shell' }).click();
    await nothingLeft();
    // Whether the pod was made before the cluster was lost nobody knows: it is removed in any case, and may not be found.
    assert.deepEqual(
      window.faults.filter(fault => !/status of (404|50[0-4])|WebSocket connection/.test(fault)),
      [],
    );
  });

  test('a member of a project has the kubectl shell in its namespace, and whoever may only read has none', async () => {
    const login = { username: 'admin', password: firstPassword(hub) };
    const signed = await hub.request('POST', '/v3-public/localProviders/local?action=login', login, {}, { anonymous: true });
    const headers = { authorization: `Bearer ${signed.json<{ token: string }>().token}` };
    const ask = async (method: string, place: string, body?: object) => {
      const answer = await hub.request(method, place, body, headers, { anonymous: true });
      assert.ok(answer.code < 300, `${place}: ${answer.text}`);
      return answer.json<{ id: string; data?: { id: string; name: string }[] }>();
    };
    const [cluster] = (await ask('GET', '/v3/clusters?name=edge')).data!;
    const { id: projectId } = await ask('POST', '/v3/projects', { name: 'Tools', clusterId: cluster!.id });
    await onMember.expect(`annotate namespace tools field.cattle.io/projectId=${projectId}`);
    const password = 'a password of twelve or more';
    for (const [username, roleTemplateId] of [
      ['pia', 'project-member'],
      ['rita', 'read-only'],
    ]) {
      const { id: userId } = await ask('POST', '/v3/users', { username, password, name: username, enabled: true });
      await ask('POST', '/v3/globalrolebindings', { globalRoleId: 'user', userId });
      await ask('POST', '/v3/projectroletemplatebindings', { projectId, roleTemplateId, userId });
    }
    await using browser = await startBrowser(hub.server);
    const pods = '/ui/explore/core/v1/pods?cluster=edge';
    const visit = async (page: Page, username: string) => {
      await signIn(page, hub.server, { username, password });
      // Rights come to a member with the first who goes there.
      await eventually(
        async () => {
          await page.goto(`${hub.server}${pods}`);
          await page.getByText('No Pods', { exact: false }).or(page.getByRole('table')).first().waitFor({ timeout: 10_000 });
          return true;
        },
        Boolean,
        { timeoutMs: 60_000, everyMs: 1000 },
      );
    };
    await using window = await browser.open();
    const { page } = window;
    await visit(page, 'pia');
    const tab = page.getByRole('link', { name: 'Shell', exact: true });
    await eventually(
      async () => {
        await page.goto(`${hub.server}/ui/clusters/edge/shell`);
        await page.getByLabel('Namespace').waitFor({ timeout: 10_000 });
        await eventually(
          () => page.getByLabel('Namespace').inputValue(),
          one => one === 'tools',
          { timeoutMs: 3000 },
        );
        return tab.isVisible();
      },
      Boolean,
      { timeoutMs: 60_000, everyMs: 1000 },
    );
    await page.getByRole('button', { name: 'Open the shell' }).click();
    await page.locator('.xterm-helper-textarea').waitFor({ timeout: 60_000 });
    const screen = page.locator('.xterm-rows');
    await page.keyboard.type('kubectl get pods; kubectl get nodes\n');
    await eventually(
      () => screen.innerText(),
      text => /drover-shell-\w+\s+1\/1/.test(text) && text.includes('forbidden'),
      { timeoutMs: 20_000 },
    );
    assert.equal(await shellTokens(), 1);
    await window.picture('kubectl-shell-member');
    await page.getByRole('button', { name: 'pia' }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await nothingLeft();

    await using other = await browser.open();
    await visit(other.page, 'rita');
    await other.page.goto(`${hub.server}/ui/clusters/edge`);
    await other.page.getByRole('link', { name: 'Workloads' }).waitFor();
    await eventually(
      () => other.page.getByRole('link', { name: 'Shell', exact: true }).count(),
      count => count === 0,
    );
    await other.page.getByRole('button', { name: 'Actions', exact: true }).click();
    await other.page.getByRole('menuitem', { name: 'Kubeconfig' }).waitFor();
    assert.equal(await other.page.getByRole('menuitem', { name: 'Kubectl shell' }).count(), 0);
    assert.deepEqual(await other.barriers(), []);
    assert.deepEqual(other.faults, []);
  });
});
