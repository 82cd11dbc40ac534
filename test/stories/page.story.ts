import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import type { Page, WebSocketRoute } from 'playwright-core';
import { WebSocket } from 'ws';
import { askForToken } from '../../src/cli/login/ask-for-token.ts';
import { signInDesk } from '../../src/cli/login/sign-in-desk.ts';
import type { Terminal } from '../../src/cli/terminal.ts';
import { startHub } from '../../src/hub/hub.ts';
import { hubKindsByTime } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { startPageRig, type PageRig } from '../helpers/page-rig.ts';
import { replaceText, settled } from '../helpers/page-steps.ts';
import { askingProgram } from '../helpers/program-key.ts';
import { startEtcd } from '../helpers/real-cluster.ts';
import { tempDir } from '../helpers/temp-dir.ts';
import { missingRig } from '../helpers/rig.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kubectl');
const password = 'correct horse battery';
const isGate = process.env['DROVER_GATE'] === 'true';
const canary = 'canary-7f3a';
const away = {
  apiVersion: 'drover.io/v1alpha1',
  kind: 'Cluster',
  metadata: { name: 'away' },
  spec: { connection: { mode: 'Tunnel' } },
};

for (const kind of hubKindsByTime)
  describe(`the web page, hub: ${kind}`, { skip: missing ?? false, timeout: 480_000 }, () => {
    const running = new AsyncDisposableStack();
    let rig: PageRig;

    before(async () => {
      rig = running.use(await startPageRig(kind, running.use(await startEtcd())));
      const member = rig.on('sandbox-1');
      await eventually(
        () => member.run('get namespaces'),
        result => result.code === 0,
        { timeoutMs: 60_000 },
      );
      await member.expect('create deployment web --image=nginx --replicas=2');
      await member.expect(`create secret generic door --from-literal=key=${canary}`);
      await member.expect('create deployment yard --image=nginx --replicas=1');
      await eventually(
        () => rig.on('sandbox-2').run('create deployment yard --image=nginx --replicas=2'),
        result => result.code === 0,
        { timeoutMs: 60_000 },
      );
      await rig.kubectl.expect('label clusters.drover.io sandbox-1 env=prod');
    });
    after(() => running.disposeAsync());

    test('screens in high contrast, without barriers and without a complaint of the browser; light and dark are in the other story', async () => {
      await using window = await rig.open({ colors: 'contrast' });
      const { page } = window;
      const object = '/explore/apps/v1/deployments/sandbox-1/default/web';
      const cluster = '/clusters/sandbox-1';
      const parts = ['', '/nodes', '/workloads', '/works', '/events', '/access'].map(part => cluster + part);
      const all = ['/', ...parts, '/explore/apps/v1/deployments?rows=object&open=default/yard', object, `${object}/yaml`, `${object}/logs`];
      const tabPlaces = new Set<number | undefined>();
      for (const place of ['/clusters', ...(isGate ? [] : all)]) {
        await page.goto(rig.url(place));
        await settled(page);
        if (place.startsWith(cluster)) tabPlaces.add((await page.getByRole('link', { name: 'Access', exact: true }).boundingBox())?.x);
        await window.picture(`contrast${place.replace(/\?.*/, '').replaceAll('/', '-')}`);
        assert.deepEqual(await window.barriers(), [], place);
      }
      assert.ok(tabPlaces.size <= 1, 'a tab stays where it is, whichever is chosen');
      assert.deepEqual(window.faults, []);
    });

    test('a phone has room for every screen, home lists deliveries that fail or are not healthy, and an address that leads nowhere says so', async () => {
      const id = await rig.kubectl.expect('get clusters.drover.io sandbox-2 -o jsonpath={.status.id}');
      const work = {
        apiVersion: 'drover.io/v1alpha1',
        kind: 'Work',
        metadata: { name: 'lost', namespace: id },
        spec: { release: { name: 'lost', namespace: 'default' }, chart: { repository: 'hub', name: 'nowhere' } },
      };
      const ill = {
        ...work,
        metadata: { name: 'ill', namespace: id },
        spec: {
          release: { name: 'ill', namespace: 'default' },
          manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'ill', namespace: 'default' }, data: { color: 'green' } }],
          healthRules: [{ name: 'red', version: 'v1', kind: 'ConfigMap', healthy: 'obj.data.color == "red"' }],
        },
      };
      for (const one of [work, ill]) await rig.kubectl.expect('create -f -', { input: JSON.stringify(one) });
      await using window = await rig.open({ width: 390, height: 800 });
      const { page } = window;
      await page.getByRole('link', { name: 'Work lost on sandbox-2' }).waitFor({ timeout: 30_000 });
      await page.getByRole('listitem').filter({ hasText: 'Unhealthy' }).getByRole('link', { name: 'Work ill on sandbox-2' }).waitFor();
      for (const place of ['/', '/clusters', '/clusters/sandbox-1', '/explore/apps/v1/deployments/sandbox-1/default/web', '/audit']) {
        await page.goto(rig.url(place));
        await settled(page);
        await window.picture(`phone${place.replaceAll('/', '-')}`);
        assert.deepEqual(await window.barriers(), [], place);
        assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, `${place} is too wide`);
      }
      await rig.kubectl.expect(`delete works -n ${id} lost ill --wait=false`);
      const answer = Promise.withResolvers<void>();
      await page.route(/\/works\?/, route => answer.promise.then(() => route.continue()));
      await page.goto(rig.url('/'));
      await page.getByRole('heading', { name: 'Fleet by health' }).waitFor();
      assert.equal(await page.getByText('Everything that the hub looks after').count(), 0, 'what is not known yet is not called good');
      answer.resolve();
      await settled(page);
      await rig.kubectl.expect('create -f -', { input: JSON.stringify(away) });
      await page.goto(rig.url('/clusters/away/nodes'));
      await page.getByText('It could not be read, so nothing is shown').waitFor({ timeout: 30_000 });
      await rig.kubectl.expect('delete clusters.drover.io away');
      for (const [place, words] of Object.entries({
        '/nowhere': 'Nothing is at this address',
        '/clusters/nobody': 'There is no cluster nobody',
        '/clusters/sandbox-1/nothing': 'There is no such part',
        '/people/users/nobody': 'There is no such user',
        '/explore/nowhere.example/v1/things': 'No cluster here knows things.nowhere.example',
      })) {
        await page.goto(rig.url(place));
        await page.getByText(words).waitFor();
        assert.deepEqual(await window.barriers(), [], place);
      }
      assert.deepEqual(
        window.faults.filter(fault => !fault.includes('404')),
        [],
      );
    });

    test('the keyboard is enough', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      await keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keys' }).waitFor();
      await window.picture('keys');
      await keyboard.press('Escape');
      await keyboard.press('g');
      await keyboard.press('c');
      await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
      await row(page, 'sandbox-2').waitFor();
      await keyboard.press('/');
      await keyboard.type('sandbox-2');
      await eventually(() => page.getByText('1 of 2').isVisible());
      assert.match(page.url(), /q=sandbox-2/, 'what is filtered is in the address');
      await keyboard.press('Enter');
      await rowHasFocus(page);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'sandbox-2', level: 1 }).waitFor();
      await keyboard.press('Control+k');
      await keyboard.type('deployment');
      await page
        .getByRole('option', { name: /^Deployment/ })
        .first()
        .waitFor();
      await window.picture('palette');
      await keyboard.press('Enter');
      await page.getByRole('link', { name: 'web', exact: true }).waitFor();
      await keyboard.press('j');
      await rowHasFocus(page);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
      await keyboard.press('l');
      await page.getByRole('log').getByText('started').first().waitFor();
      // The same keys in a table are about the row that has the focus; after g they go elsewhere.
      await page.goto(rig.url('/explore/apps/v1/deployments?cluster=sandbox-1&ns=default'));
      for (const [key, part] of Object.entries({ l: 'logs', e: 'yaml' })) {
        await row(page, 'web').waitFor();
        await keyboard.press('j');
        await rowHasFocus(page);
        await keyboard.press(key);
        await page.waitForURL(url => url.pathname.endsWith(`/${part}`));
        await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
        await keyboard.press('Escape');
      }
      await row(page, 'web').waitFor();
      await keyboard.press('j');
      await rowHasFocus(page);
      for (const key of ['g', 'e']) await keyboard.press(key);
      await page.getByRole('heading', { name: 'Explore', level: 1 }).waitFor();
      await page.goto(rig.url('/explore'));
      await row(page, 'APIService').waitFor();
      for (const key of ['j', 'End', 'ArrowUp', 'PageUp', 'PageUp', 'ArrowDown']) {
        await keyboard.press(key);
        await rowHasFocus(page);
      }
      await eventually(
        () => rowIndexes(page),
        indexes => indexes.length > 20 && indexes.every((one, i) => i === 0 || one === indexes[i - 1]! + 1),
        { what: 'the order in which rows are read' },
      );
      assert.ok((await rowIndexes(page)).includes(await focusedIndex(page)), 'the row that has the focus is there');
      assert.deepEqual(window.faults, []);
    });

    test('parts of a screen stay as they were left, the scope goes along, and Escape goes back to the list', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      const list = '/explore/apps/v1/deployments?cluster=sandbox-1&ns=default&q=we&sort=-age&cols=name,age';
      await page.goto(rig.url(list));
      await row(page, 'web').waitFor();
      await keyboard.press('j');
      await rowHasFocus(page);
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'web', level: 1 }).waitFor();
      assert.equal(await page.evaluate('document.activeElement.id'), 'main', 'the focus is on the new screen');
      const asked: string[] = [];
      page.on('request', request => asked.push(request.url()));
      await keyboard.press('e');
      assert.match(page.url(), /web\/yaml\?cluster=sandbox-1&ns=default$/);
      await page.getByRole('button', { name: 'Edit' }).click();
      await replaceText(page, 'replicas: 2', 'replicas: 7');
      await page.getByRole('link', { name: 'Events', exact: true }).click();
      await page.getByLabel('Filter events').fill('nothing has this');
      await page.getByRole('link', { name: 'YAML', exact: true }).click();
      await eventually(async () => /replicas: 7/.test(await editorText(page)));
      await page.getByRole('link', { name: 'Events', exact: true }).click();
      assert.equal(await page.getByLabel('Filter events').inputValue(), 'nothing has this');
      assert.match(page.url(), /events\?q=nothing\+has\+this&cluster=sandbox-1&ns=default$/);
      const again = asked.filter(url => /deployments(\?|\/web$)/.test(url));
      assert.deepEqual(again, [], 'what is known is not asked for again');
      await page.getByRole('link', { name: 'YAML', exact: true }).click();
      await page.getByRole('button', { name: 'Discard' }).focus();
      await keyboard.press('Escape');
      await row(page, 'web').waitFor();
      assert.equal(page.url(), rig.url(list), 'with all that the list was asked for');
      await row(page, 'web').locator('time').hover();
      assert.match((await row(page, 'web').locator('time').getAttribute('title')) ?? '', /2\d{3}.*(UTC|GMT|[A-Z]{3,4})/, 'with its zone');
      await page.evaluate(`getSelection().selectAllChildren(document.querySelector('.rows'))`);
      await keyboard.press('Control+c');
      assert.match(await page.evaluate('navigator.clipboard.readText()'), /web\t2\d{3}-\d\d-\d\dT[\d:.]+Z$/, 'times are copied in full');
      for (const key of ['g', 'c']) await keyboard.press(key);
      await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
      assert.match(page.url(), /cluster=sandbox-1&ns=default/);
      await row(page, 'sandbox-1').waitFor();
      assert.equal(await row(page, 'sandbox-2').count(), 0, 'what is not looked at is left out');
      for (const key of ['g', 'h']) await keyboard.press(key);
      await page.getByRole('link', { name: 'Clusters 1', exact: true }).waitFor();
      for (const key of ['g', 'c']) await keyboard.press(key);
      await page.getByText('1 other is left out').waitFor();
      await page.getByRole('main').getByRole('button', { name: 'All clusters' }).click();
      await row(page, 'sandbox-2').waitFor();
      assert.deepEqual(window.faults, []);
    });

    test('keys are changed, what they meet is said, and they are the usual ones again', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      const keys = page.getByRole('dialog', { name: 'Keys' });
      const change = async (title: string, ...pressed: string[]) => {
        await keys.getByRole('button', { name: `Change: ${title}` }).click();
        for (const key of pressed) await keyboard.press(key);
      };
      await keyboard.press('?');
      await change('Go to clusters', 'g', 'h');
      await keys.getByText('also: Go to home').waitFor();
      await window.picture('keys-conflict');
      assert.deepEqual(await window.barriers(), []);
      for (const key of ['z', 'Enter']) await keyboard.press(key);
      await keys.getByRole('button', { name: 'Reset: Go to clusters' }).waitFor();
      await keys.getByRole('button', { name: 'Turn off: Go to audit' }).click();
      await keyboard.press('Escape');
      await keyboard.press('z');
      await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
      await page.reload();
      await page.getByRole('heading', { name: 'Clusters', level: 1 }).waitFor();
      for (const key of ['g', 'a', 'Escape', '?']) await keyboard.press(key);
      await keys.getByRole('button', { name: 'The usual keys for all' }).click();
      await keyboard.press('Escape');
      await page.getByRole('button', { name: 'Default Admin' }).click();
      await page.getByRole('menuitem', { name: 'Keys' }).click();
      assert.equal(await keys.getByRole('button', { name: /^(The usual keys|Reset)/ }).count(), 0);
      await keyboard.press('Escape');
      for (const key of ['g', 'h']) await keyboard.press(key);
      await page.getByRole('heading', { name: 'Home', level: 1 }).waitFor();
      assert.deepEqual(window.faults, []);
    });

    test('one object on many clusters is one row that says where it differs; servers are asked by labels', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/explore/apps/v1/deployments'));
      await page.getByRole('row').filter({ hasText: 'yard' }).nth(1).waitFor();
      await page.getByRole('button', { name: 'Grouped' }).click();
      const yard = page.getByRole('row').filter({ has: page.getByRole('button', { name: 'yard', exact: true }) });
      await yard.getByText(/2 of \d/).waitFor();
      await yard.getByText(/Ready is \d\/\d on sandbox-\d/).waitFor();
      await page.keyboard.press('/');
      await page.keyboard.type('name:yard');
      await page.keyboard.press('Enter');
      await rowHasFocus(page);
      await page.keyboard.press('Enter');
      await row(page, 'yard').nth(1).waitFor();
      assert.match(page.url(), /rows=object.*open=default/, 'all of it is in the address');
      await page.keyboard.press('d');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('replicas: 1').waitFor();
      await dialog.getByText('replicas: 2').waitFor();
      await window.picture('compare');
      assert.deepEqual(await window.barriers(), []);
      await page.keyboard.press('Escape');
      await rowHasFocus(page);
      await yard.getByRole('button', { name: 'Compare yard between clusters' }).waitFor();
      await page.goto(rig.url('/explore/apps/v1/deployments?labels=app%3Dweb'));
      await row(page, 'web').waitFor();
      await page.locator('.table-end').getByText('1 row', { exact: true }).waitFor();
      await page.getByLabel('Labels, asked of the servers').fill('app in (');
      await page.keyboard.press('Enter');
      await page.getByRole('alert').filter({ hasText: 'sandbox-1' }).waitFor();
      assert.deepEqual(
        window.faults.filter(fault => !fault.includes('400')),
        [],
      );
    });

    test('a node is drained: what goes is shown before, what a budget refuses is shown and asked again', async () => {
      const member = rig.on('sandbox-2');
      await member.expect('rollout status deployment yard --timeout=60s', { timeoutMs: 70_000 });
      await member.expect('create poddisruptionbudget yard --selector=app=yard --min-available=2');
      await eventually(
        () => member.run('get pdb yard -o jsonpath={.status.currentHealthy}'),
        result => result.stdout === '2',
      );
      const node = await member.expect('get pods -l app=yard -o jsonpath={.items[0].spec.nodeName}');
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/clusters/sandbox-2/nodes'));
      await choose(page, node, 'Cordon');
      await page.getByText(`drover kubectl sandbox-2 -- cordon ${node}`).waitFor();
      await page.getByRole('button', { name: 'Cordon', exact: true }).click();
      await row(page, node)
        .getByText(/scheduling ?disabled/i)
        .waitFor();
      await choose(page, node, 'Drain');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Refused for now').first().waitFor();
      await dialog
        .getByText(/disruption budget yard needs 2/i)
        .first()
        .waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await window.picture('drain');
      assert.deepEqual(await window.barriers(), []);
      await dialog.getByRole('button', { name: 'Drain' }).click();
      await dialog.getByText('Refused, asked again').first().waitFor();
      await member.expect('delete poddisruptionbudget yard');
      await dialog.getByText('The node is drained').waitFor({ timeout: 60_000 });
      await window.picture('drained');
      await dialog.getByRole('button', { name: 'Close' }).click();
      await choose(page, node, 'Uncordon');
      await page.getByRole('button', { name: 'Uncordon', exact: true }).click();
      await row(page, node)
        .getByText(/scheduling ?disabled/i)
        .waitFor({ state: 'detached' });
      assert.deepEqual(
        window.faults.filter(fault => !fault.includes('429')),
        [],
      );
    });

    test('a workload says what it is made of and how its pods are; it is scaled and restarted', async () => {
      const member = rig.on('sandbox-1');
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/explore/apps/v1/deployments/sandbox-1/default/yard'));
      await page.getByText('1 of 1 ready').waitFor();
      await page.getByRole('region', { name: 'Containers' }).getByText('nginx').first().waitFor();
      const deed = async (title: string) => {
        await page.getByRole('button', { name: 'Actions', exact: true }).click();
        await page.getByRole('menuitem', { name: title }).click();
      };
      await deed('Scale');
      await page.getByLabel('Replicas, now 1').fill('2');
      await page.getByText('scale deployment/yard --replicas=2').waitFor();
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('button', { name: 'Scale', exact: true }).click();
      await page.getByText('2 of 2 ready').waitFor();
      const pods = page.getByRole('region', { name: 'Pods' });
      await pods.getByText('1/1').nth(1).waitFor();
      await deed('Restart');
      await page.getByRole('button', { name: 'Restart', exact: true }).click();
      await member.expect('rollout status deployment yard --timeout=60s', { timeoutMs: 70_000 });
      assert.match(await member.expect('get deployment yard -o jsonpath={.spec.template.metadata.annotations}'), /restartedAt/);
      await eventually(
        () => pods.getByRole('link').count(),
        count => count === 2,
      );
      await window.picture('workload');
      await pods.getByRole('link').first().click();
      await page.getByRole('region', { name: 'Containers' }).getByText('Running').waitFor();
      await window.picture('pod');
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('link', { name: /^ReplicaSet yard-/ }).waitFor();
      await page.getByRole('definition').getByRole('link', { name: /node/ }).click();
      await pods.getByRole('link', { name: /yard-/ }).first().waitFor();
      await window.picture('node');
      assert.deepEqual(await window.barriers(), []);
      assert.deepEqual(window.faults, []);
    });

    test('drift is shown with both values and who changed the field', async () => {
      const id = await rig.kubectl.expect('get clusters.drover.io sandbox-1 -o jsonpath={.status.id}');
      const work = {
        apiVersion: 'drover.io/v1alpha1',
        kind: 'Work',
        metadata: { name: 'paint', namespace: id },
        spec: {
          release: { name: 'paint', namespace: 'default' },
          sync: 'DetectDrift',
          manifests: [{ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'paint', namespace: 'default' }, data: { color: 'green' } }],
        },
      };
      await rig.kubectl.expect('apply -f -', { input: JSON.stringify(work) });
      await rig.kubectl.expect(`wait work/paint -n ${id} --for=condition=Ready --timeout=60s`, { timeoutMs: 70_000 });
      const member = rig.on('sandbox-1');
      await member.expect(`patch configmap paint --field-manager=somebody -p '{"data":{"color":"red"}}'`);
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url(`/explore/drover.io/v1alpha1/works/local/${id}/paint`));
      const drift = page.getByRole('region', { name: 'Drift of ConfigMap default/paint' });
      for (const text of ['.data.color', 'green', 'red', 'somebody']) await drift.getByText(text, { exact: true }).waitFor();
      for (const key of ['e', 'd']) await page.keyboard.press(key);
      await eventually(() => page.evaluate('document.activeElement.id === "drift"'));
      assert.doesNotMatch(page.url(), /yaml/);
      await window.picture('drift');
      assert.deepEqual(await window.barriers(), []);
      assert.deepEqual(window.faults, []);
    });

    test('a cluster comes, gets labels and goes, and each dialog names its command', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/clusters'));
      await page.getByRole('button', { name: 'Add a cluster' }).click();
      await page.getByLabel('Name', { exact: true }).fill('meadow');
      await page.getByLabel('A sandbox inside the hub').check();
      await page.getByLabel('Labels, if any').fill('env=test');
      await page.getByText('drover sandbox create meadow --label env=test').waitFor();
      await page.getByRole('button', { name: 'Next' }).click();
      await page.getByRole('listitem').filter({ hasText: 'It is ready' }).getByText('Done').waitFor();
      assert.deepEqual(await window.barriers(), []);
      await window.picture('add-cluster');
      await page.getByRole('button', { name: 'Close' }).click();

      await choose(page, 'meadow', 'Labels');
      await page.getByLabel('One on each line').fill('env=prod\ntier=one');
      await page.getByText('kubectl label --overwrite clusters.drover.io meadow env=prod tier=one').waitFor();
      await page.getByRole('button', { name: 'Save' }).click();
      await row(page, 'meadow').getByText('tier=one').waitFor();

      await choose(page, 'meadow', 'Remove');
      const remove = page.getByRole('button', { name: 'Remove', exact: true });
      assert.ok(await remove.isDisabled(), 'the name has to be typed first');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await page.getByLabel('Type meadow to go on').fill('meadow');
      assert.deepEqual(await window.barriers(), []);
      await remove.click();
      await row(page, 'meadow').waitFor({ state: 'detached', timeout: 30_000 });

      // Who comes later sees what happened, as it happens.
      await page.goto(rig.url('/'));
      const changed = page.getByRole('region', { name: 'What changed in the last hour' });
      await changed
        .getByRole('listitem')
        .filter({ hasText: /Added|Ready again/ })
        .getByRole('link', { name: 'Cluster sandbox-1' })
        .waitFor();
      if (kind === 'embedded')
        await changed.getByRole('listitem').filter({ hasText: 'Removed' }).getByText('clusters meadow by admin').waitFor();
      await rig.kubectl.expect('create -f -', { input: JSON.stringify(away) });
      await changed.getByRole('listitem').filter({ hasText: 'Agent disconnected' }).getByRole('link', { name: 'Cluster away' }).waitFor();
      await window.picture('home-changed');
      assert.deepEqual(await window.barriers(), []);
      await rig.kubectl.expect('delete clusters.drover.io away');
      assert.deepEqual(window.faults, []);
    });

    test('the command to import a cluster is good', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/clusters'));
      await page.getByRole('button', { name: 'Add a cluster' }).click();
      await page.getByLabel('Name', { exact: true }).fill('far');
      await page.getByRole('button', { name: 'Next' }).click();
      const line = (await page.getByText(/^kubectl apply -f https/).textContent()) ?? '';
      await page.getByText('It is Harvester').click();
      await page.getByText(/^{"url":"https.*yaml","insecureSkipTLSVerify":false}$/).waitFor();
      await window.picture('import');
      assert.deepEqual(await window.barriers(), []);
      const manifest = await page.evaluate(url => fetch(url).then(res => res.text()), line.replace('kubectl apply -f ', ''));
      assert.match(manifest, /kind: Deployment/);
      await rig.kubectl.expect('delete clusters.drover.io far');
      assert.deepEqual(window.faults, []);
    });

    test('an object is edited: tried by the server, shown as a difference, merged when somebody else was quicker', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/explore/apps/v1/deployments/sandbox-1/default/web/yaml'));
      await page.getByRole('button', { name: 'Edit' }).click();
      await replaceText(page, 'replicas: 2', 'replicas: 3');
      await rig.on('sandbox-1').expect('annotate deployment web note=quick');
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByText('the object has been modified').waitFor();
      await page.getByRole('button', { name: 'Merge with what is there now' }).click();
      await eventually(async () => /note: quick/.test(await editorText(page)) && /replicas: 3/.test(await editorText(page)));
      await rig.on('sandbox-1').expect('annotate deployment web again=quick');
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByRole('button', { name: 'Merge with what is there now' }).click();
      await eventually(async () => /again: quick/.test(await editorText(page)));
      assert.match(await editorText(page), /replicas: 3/, 'what was written is there after a second conflict, too');
      await rig.on('sandbox-1').expect('scale deployment web --replicas=4');
      // What controllers report meanwhile would be a conflict, too.
      await rig.on('sandbox-1').expect('rollout status deployment web --timeout=60s', { timeoutMs: 70_000 });
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByRole('button', { name: 'Merge with what is there now' }).click();
      await eventually(async () => /replicas: 3\n.*what is there now\n.*replicas: 4/.test(await editorText(page)));
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page.getByText('remove the marks').waitFor();
      for (const mark of ['<<<<<<< yours', 'what is there now', 'replicas: 4', '>>>>>>>']) await replaceText(page, mark, '#');
      await page.getByRole('button', { name: 'Review changes' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('replicas: 4').waitFor();
      await dialog.getByText('replicas: 3').waitFor();
      await window.picture('diff');
      assert.deepEqual(await window.barriers(), []);
      await dialog.getByRole('button', { name: 'Save' }).click();
      await eventually(async () => (await rig.on('sandbox-1').expect('get deployment web -o jsonpath={.spec.replicas}')) === '3');
      await page.getByRole('button', { name: 'Edit' }).click();
      await replaceText(page, 'replicas: 3', 'replicsa: 3');
      await page.getByRole('button', { name: 'Review changes' }).click();
      await page
        .getByText(/unknown field "spec.replicsa"/)
        .first()
        .waitFor();
      await page.goto(rig.url('/explore/core/v1/configmaps?cluster=sandbox-1&ns=default'));
      await page.getByRole('button', { name: 'Create' }).click();
      await replaceText(page, 'name: example', 'name: by-hand');
      // The first one may close what the editor offers; the next leaves the editor, and what was written stays.
      await eventually(async () => {
        await page.keyboard.press('Escape');
        return (await page.evaluate('document.activeElement.textContent')) === 'Cancel';
      });
      await dialog.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'by-hand', level: 1 }).waitFor();
      assert.deepEqual(
        window.faults.filter(fault => !/409|400/.test(fault)),
        [],
      );
    });

    test('a tab has one connection: when it breaks, rows and lines stay, and all goes on where it was; logs outlive restarts and pods', async () => {
      const member = rig.on('sandbox-1');
      const log = 'INFO one\nWARN two\nERROR three';
      for (const [name, more] of [
        ['noisy-a', {}],
        ['noisy-b', {}],
        ['falls', { 'sandbox.drover.io/complete-after': '2s', 'sandbox.drover.io/exit-code': '1' }],
      ] as const)
        await member.expect('create -f -', {
          input: JSON.stringify({
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name, labels: { app: name.split('-')[0] }, annotations: { 'sandbox.drover.io/log': log, ...more } },
            spec: { containers: [{ name: 'c', image: 'busybox' }] },
          }),
        });
      const template = { metadata: { labels: { app: 'noisy' } }, spec: { containers: [{ name: 'c', image: 'busybox' }] } };
      const noisy = {
        apiVersion: 'apps/v1',
        kind: 'ReplicaSet',
        metadata: { name: 'noisy' },
        spec: { replicas: 2, selector: { matchLabels: { app: 'noisy' } }, template },
      };
      await member.expect('create -f -', { input: JSON.stringify(noisy) });
      await using window = await rig.open();
      const { page } = window;
      const sockets: WebSocketRoute[] = [];
      const open = new Set<WebSocketRoute>();
      await page.routeWebSocket(/\/ui\/streams$/, socket => {
        const server = socket.connectToServer();
        sockets.push(socket);
        open.add(socket);
        // On a busy machine one may fall silent, and another takes its place.
        const closeBoth = (code?: number) => {
          open.delete(socket);
          const why = code !== undefined && (code === 1000 || code >= 3000) ? { code } : {};
          void Promise.all([socket.close(why), server.close(why)]);
        };
        socket.onClose(closeBoth);
        server.onClose(closeBoth);
      });
      await page.goto(rig.url('/explore/apps/v1/replicasets/sandbox-1/default/noisy/logs?level=error'));
      const lines = page.getByRole('log');
      await lines.getByText('noisy-a ERROR three').waitFor();
      await lines.getByText('noisy-b ERROR three').waitFor();
      await page.getByText('2 of 8 lines').waitFor();
      await page.getByLabel('How bad').selectOption('');
      await page.getByLabel('Lines that have').fill('two');
      await lines.locator('mark').nth(1).waitFor();
      await window.picture('logs-of-two');
      assert.deepEqual(await window.barriers(), []);
      assert.match(page.url(), /logs\?q=two$/);
      const asked: string[] = [];
      page.on('request', request => asked.push(request.url()));
      assert.equal(open.size, 1, 'one connection, whatever is watched');
      const before = sockets.length;
      await sockets.at(-1)!.close();
      await eventually(() => sockets.length > before);
      await page.getByText('Live', { exact: true }).waitFor();
      await page.getByText('2 of 8 lines').waitFor();
      await page.getByRole('link', { name: 'Overview', exact: true }).click();
      await member.expect('label replicaset noisy seen=again');
      await page.getByText('seen=again').waitFor();
      assert.deepEqual(
        asked.filter(url => /replicasets\?/.test(url)),
        [],
        'what was heard is not asked for again',
      );
      await page.goto(rig.url('/explore/core/v1/pods/sandbox-1/default/falls/logs'));
      // The second start comes after ten seconds.
      if (!isGate) await lines.getByText('c was started again').first().waitFor({ timeout: 60_000 });
      await lines.getByText('ERROR three').first().waitFor();
      await member.expect('delete pod falls --now');
      await page.getByText('falls is gone from sandbox-1').waitFor();
      await lines.getByText('ERROR three').first().waitFor();
      await member.expect('delete replicaset noisy --cascade=background');
      assert.deepEqual(window.faults, []);
    });

    test('what a Secret holds is hidden until asked for, and nowhere else', async () => {
      await using window = await rig.open();
      const { page } = window;
      const place = '/explore/core/v1/secrets/sandbox-1/default/door';
      await page.goto(rig.url(place));
      await page.getByText('•••••• (11 bytes)').waitFor();
      assert.ok(!(await page.content()).includes(canary));
      await page.goto(rig.url(`${place}/yaml`));
      await page.getByText('Values are hidden here').waitFor();
      await eventually(async () => (await editorText(page)).includes('kind: Secret'));
      const encoded = Buffer.from(canary).toString('base64');
      for (const secret of [canary, encoded]) assert.ok(!(await page.content()).includes(secret));
      await page.goto(rig.url(place));
      await page.getByRole('button', { name: 'Show key' }).click();
      await page.getByText(canary).waitFor();
      await page.getByRole('button', { name: 'Hide key' }).click();
      assert.ok(!(await page.content()).includes(canary));
      await page.clock.install();
      await page.getByRole('button', { name: 'Show key' }).click();
      await page.getByText(canary).waitFor();
      await page.clock.fastForward(29_000);
      assert.ok((await page.content()).includes(canary));
      await page.clock.fastForward(1100);
      await page.getByText('•••••• (11 bytes)').waitFor();
      assert.ok(!(await page.content()).includes(canary), 'hidden again by itself');
      const stored = await page.evaluate('JSON.stringify([location.href, { ...localStorage }, { ...sessionStorage }, document.cookie])');
      for (const secret of [canary, encoded, rig.admin.password, 'R_SESS']) assert.ok(!String(stored).includes(secret));
      assert.deepEqual(window.faults, []);
    });

    test('text of others stays text, whatever it says', async () => {
      const nasty = '<img src=x onerror=alert(1)>‮cba🐄 javascript:alert(2)';
      await rig.kubectl.expect(`annotate clusters.drover.io sandbox-2 note=${JSON.stringify(nasty)}`);
      await rig.on('sandbox-1').expect(`create configmap markup --from-literal=page=${JSON.stringify(nasty)}`);
      await using window = await rig.open();
      const { page } = window;
      page.on('dialog', () => window.faults.push('a dialog was opened'));
      for (const place of [
        '/explore/drover.io/v1alpha1/clusters/local/_/sandbox-2',
        '/explore/core/v1/configmaps/sandbox-1/default/markup',
      ]) {
        await page.goto(rig.url(place));
        await page.getByText('onerror=alert(1)').first().waitFor();
      }
      await page.goto(rig.url(`/clusters?q=${encodeURIComponent('<script>alert(3)</script>')}`));
      await page.getByText('Nothing has all these words').waitFor();
      assert.equal(await page.locator('img[src="x"]').count(), 0);
      assert.deepEqual(window.faults, []);
    });

    test('somebody who may only read sees his own, and no button that would be refused', async () => {
      const { id: userId } = await rig.ask('POST', '/v3/users', { username: 'rita', password, name: 'Rita Reader', enabled: true });
      await rig.ask('POST', '/v3/globalrolebindings', { globalRoleId: 'user', userId });
      const [cluster] = (await rig.ask('GET', '/v3/clusters?name=sandbox-1')).data!;
      const projects = (await rig.ask('GET', `/v3/projects?clusterId=${cluster!.id}`)).data!;
      const projectId = projects.find(({ name }) => name === 'Default')!.id;
      await rig.on('sandbox-1').expect(`annotate namespace default field.cattle.io/projectId=${projectId}`);
      await rig.ask('POST', '/v3/projectroletemplatebindings', { projectId, roleTemplateId: 'read-only', userId });
      await using window = await rig.open({ as: { username: 'rita', password } });
      const { page } = window;
      await page.goto(rig.url('/clusters'));
      await row(page, 'sandbox-1').waitFor({ timeout: 30_000 });
      assert.equal(await row(page, 'sandbox-2').count(), 0, 'the clusters of others are not there');
      assert.equal(await page.getByRole('button', { name: 'Add a cluster' }).count(), 0);
      await window.picture('reader-clusters');
      // Rights come to a member with the first who goes there.
      await eventually(
        async () => {
          await page.goto(rig.url('/explore/apps/v1/deployments?cluster=sandbox-1'));
          await page.getByRole('link', { name: 'web', exact: true }).waitFor({ timeout: 5000 });
          return true;
        },
        Boolean,
        { timeoutMs: 40_000 },
      );
      await page.goto(rig.url('/explore/apps/v1/deployments/sandbox-1/default/web/yaml'));
      await page.getByText('You may read this and not change it').waitFor();
      assert.equal(await page.getByRole('button', { name: 'Delete' }).count(), 0);
      await window.picture('reader-object');
      assert.deepEqual(await window.barriers(), []);

      // What is not open to somebody is said, without alarm, and without a request that is refused.
      for (const place of ['/', '/clusters/sandbox-1', '/clusters/sandbox-1/nodes', '/clusters/sandbox-1/events', '/services', '/audit']) {
        await page.goto(rig.url(place));
        await settled(page);
        assert.equal(await page.getByRole('alert').count(), 0, place);
        assert.deepEqual(await window.barriers(), [], place);
      }
      await page.getByText('Not open to you').waitFor();
      assert.deepEqual(window.faults, []);

      await rig.ask('POST', '/v3/users', { username: 'nemo', password, name: 'Nemo', enabled: true });
      await using other = await rig.open({ as: { username: 'nemo', password } });
      for (const place of ['/', '/clusters']) {
        await other.page.goto(rig.url(place));
        await other.page.getByText('No cluster is open to you yet').waitFor();
        assert.deepEqual(await other.barriers(), [], place);
      }
      await other.picture('nobody-clusters');
      assert.deepEqual(other.faults, []);
    });

    test('what was heard stays when the hub is gone, and is said to be old; then all goes on by itself', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/clusters'));
      await row(page, 'sandbox-1').waitFor();
      await rig.hub.restart();
      await rig.kubectl.expect('label clusters.drover.io sandbox-2 after=restart');
      await row(page, 'sandbox-2').getByText('after=restart').waitFor({ timeout: 30_000 });
      rig.hub.program.kill('SIGSTOP');
      await page.getByText('The hub does not answer').waitFor({ timeout: 60_000 });
      await row(page, 'sandbox-1').waitFor();
      await window.picture('stale');
      assert.deepEqual(await window.barriers(), []);
      rig.hub.program.kill('SIGCONT');
      await page.getByText('The hub does not answer').waitFor({ state: 'detached', timeout: 30_000 });
    });

    test('a one-time link signs in, once, and is gone from the address', { skip: kind !== 'embedded' }, async () => {
      using scratch = tempDir('page-link');
      const facts = { serverUrl: undefined, agentImage: 'drover:story', version: '0.0.0' };
      const hub = await startHub({ dataDir: scratch.dir, host: '127.0.0.1', port: 0, ...facts });
      try {
        const link = await hub.signInLink();
        await using window = await rig.browser.open();
        await window.page.goto(link);
        await window.page.getByRole('heading', { name: 'No clusters yet' }).waitFor();
        assert.equal(window.page.url(), `${hub.url}/ui/`);
        assert.deepEqual(await window.barriers(), []);
        await window.picture('empty');
        await using other = await rig.browser.open();
        await other.page.goto(link);
        await other.page.getByText('The link has been used already or is too old').waitFor();
        await other.picture('sign-in');
        assert.deepEqual(await other.barriers(), []);
        assert.deepEqual(window.faults, []);
      } finally {
        await hub.close();
      }
    });

    test('a program in a terminal is allowed to act, by somebody who sees what it asks for', async () => {
      const { requestId, publicKey, decrypt } = askingProgram();
      await using window = await rig.browser.open();
      const { page } = window;
      const query = new URLSearchParams({ cli: 'true', requestId, publicKey, responseType: 'kubeconfig' });
      await page.goto(`${rig.hub.gateway}/dashboard/auth/login?${query.toString()}`);
      await page.getByLabel('Password').fill(rig.admin.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('heading', { name: 'Sign in a program' }).waitFor();
      await page.getByText(requestId).waitFor();
      assert.deepEqual(await window.barriers(), []);
      await window.picture('allow');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Allowed. The program goes on').waitFor();
      const { token = '' } = await rig.ask('GET', `/v1-public/authtokens/${requestId}`);
      assert.match(decrypt(token), /^kubeconfig-user-[a-z0-9]+:[a-z0-9]{54}$/);
      assert.deepEqual(
        window.faults.filter(fault => !/401/.test(fault)),
        [],
      );
    });

    test('“drover login” is allowed by somebody who has typed or followed its code, and comes back to this machine', async () => {
      await using window = await rig.open();
      const { page } = window;
      const signal = AbortSignal.timeout(60_000);
      const ca = readFileSync(rig.hub.authorities, 'utf8');
      await using desk = signInDesk({ server: rig.hub.gateway, ca, env: {}, signal });
      const said: string[] = [];
      const terminal: Terminal = {
        env: {},
        signal,
        isInterrupted: false,
        isErrorTty: false,
        out: () => {},
        err: text => void said.push(text),
      };
      const begin = async (isHere: boolean) => {
        said.length = 0;
        const given = askForToken(desk, { isHere, timeoutMs: 60_000 }, terminal);
        const text = await eventually(() => said.join(''), Boolean);
        const [link = '', code = ''] = /\S+code=(\S+)/.exec(text) ?? [];
        return { given, link, code };
      };

      const device = await begin(false);
      await page.goto(rig.url('/allow'));
      await page.getByLabel('Code').fill(device.code.toLowerCase());
      await page.getByRole('button', { name: 'Look' }).click();
      await page.getByText(device.code, { exact: true }).waitFor();
      await page.getByText('drover login by').waitFor();
      assert.deepEqual(await window.barriers(), []);
      await window.picture('allow-code');
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Allowed. The program goes on').waitFor();
      assert.match((await device.given).token, /^kubeconfig-user-[a-z0-9]+:[a-z0-9]{54}$/);

      const here = await begin(true);
      await page.goto(here.link);
      await page.getByRole('button', { name: 'Allow' }).click();
      await page.getByText('Go back to the terminal').waitFor();
      assert.match((await here.given).token, /^kubeconfig-user-/);

      const unwanted = await begin(false);
      const refused = assert.rejects(unwanted.given, /refused in the browser/);
      await page.goto(unwanted.link);
      await page.getByRole('button', { name: 'Refuse' }).click();
      await page.getByText('Refused. The program has been told').waitFor();
      await refused;
      assert.deepEqual(window.faults, []);
    });

    test('another site cannot listen with the cookie of somebody who is signed in', async () => {
      await using window = await rig.open();
      const cookie = (await window.context.cookies()).map(({ name, value }) => `${name}=${value}`).join('; ');
      const answer = (origin: string) =>
        new Promise<number>(resolve => {
          const url = `${rig.hub.gateway.replace('https', 'wss')}/ui/streams`;
          const socket = new WebSocket(url, { rejectUnauthorized: false, headers: { cookie, origin } });
          socket.once('unexpected-response', (_req, res) => resolve(res.statusCode ?? 0));
          socket.once('open', () => (socket.terminate(), resolve(101)));
          socket.once('error', () => resolve(0));
        });
      assert.equal(await answer('https://elsewhere.example'), 403);
      assert.equal(await answer(rig.hub.gateway), 101);
    });

    test('who signs out is out, in every tab', async () => {
      await using window = await rig.open({ isFresh: true });
      const other = await window.context.newPage();
      await other.goto(rig.url('/clusters'));
      await row(other, 'sandbox-1').waitFor();
      await window.page.getByRole('button', { name: 'Default Admin' }).click();
      await window.page.getByRole('menuitem', { name: 'Sign out' }).click();
      await window.page.getByRole('button', { name: 'Sign in' }).waitFor();
      await other.getByRole('button', { name: 'Sign in' }).waitFor({ timeout: 20_000 });
      assert.ok(!(await other.content()).includes('sandbox-1'));
    });
  });

const row = (page: Page, name: string) => page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });

async function choose(page: Page, cluster: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${cluster}` }).click();
  await page.getByRole('menuitem', { name: action }).click();
}

const editorText = (page: Page): Promise<string> => page.locator('.cm-content').first().innerText();

async function rowHasFocus(page: Page): Promise<void> {
  await eventually(
    () => page.evaluate('document.activeElement.getAttribute("role")'),
    role => role === 'row',
  );
}

const rowIndexes = (page: Page): Promise<number[]> =>
  page.evaluate(`[...document.querySelectorAll('.rows [role="row"]')].map(row => Number(row.getAttribute('aria-rowindex')))`);

const focusedIndex = (page: Page): Promise<number> => page.evaluate(`Number(document.activeElement.getAttribute('aria-rowindex'))`);
