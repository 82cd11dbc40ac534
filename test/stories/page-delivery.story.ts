import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, test } from 'node:test';
import type { TestWindow } from '../helpers/browser.ts';
import { droverFor } from '../helpers/drover.ts';
import { hubKindsByTime } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import {
  conditionOf,
  k0rdentVersion,
  multiClusterService,
  patient,
  startK0rdentStory,
  systemNamespace,
  type K0rdentStory,
} from '../helpers/k0rdent-story.ts';
import { startMachineYard, type MachineYard } from '../helpers/machine-yard.ts';
import type { CommandLine } from '../helpers/kubectl.ts';
import { startPageRig, type PageRig } from '../helpers/page-rig.ts';
import { replaceText, rowOf, settled, tabTo } from '../helpers/page-steps.ts';
import { takeTour, temptations, type Tour } from '../helpers/page-tour.ts';
import { startEtcd } from '../helpers/real-cluster.ts';
import { picture } from '../helpers/rfb-server.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { tempDir } from '../helpers/temp-dir.ts';

const missing = missingRig('etcd', 'kube-apiserver', 'kubectl');
const reader = { username: 'rita', password: 'correct horse battery' };
const nasty = '<img src=x onerror=alert(1)> شركة 🐄';
const delivery = 'delivery.drover.io/v1alpha1';

const isGate = process.env['DROVER_GATE'] === 'true';
/** Who looks at everything takes their time. */
const timeout = isGate ? 600_000 : 1_500_000;
const template = (chart: string, version: string) => ({
  apiVersion: k0rdentVersion,
  kind: 'ServiceTemplate',
  metadata: { name: `${chart}-${version.replaceAll('.', '-')}`, namespace: systemNamespace },
  spec: { helm: { chartSpec: { chart, version } } },
});
const deployment = (name: string, env: string) => ({
  apiVersion: k0rdentVersion,
  kind: 'ClusterDeployment',
  metadata: { name, namespace: systemNamespace, labels: { env } },
  spec: { template: 'sandbox-1-0-0', config: { nodes: 1 } },
});
const prod = { matchLabels: { env: 'prod' } };
const web = { name: 'web', namespace: 'web', template: 'web-1-0-0' };

const services = [
  multiClusterService('certificates', {
    clusterSelector: prod,
    serviceSpec: { services: [{ name: 'certs', namespace: 'certs', template: 'certificates-1-0-0', helmOptions: { waitForJobs: true } }] },
  }),
  multiClusterService('web', { clusterSelector: prod, serviceSpec: { services: [web] } }),
  multiClusterService('web-of-the-platform', {
    clusterSelector: prod,
    dependsOn: ['certificates'],
    rollout: {
      waves: [
        { name: 'first', clusterNames: ['west'], soak: '1h' },
        { name: 'rest', remainder: true },
      ],
    },
    serviceSpec: { provider: { config: { priority: 500 } }, services: [{ ...web, templateChain: 'web' }] },
  }),
  multiClusterService('planned', {
    clusterSelector: prod,
    serviceSpec: { provider: { config: { syncMode: 'DryRun' } }, services: [{ ...web, name: 'shop', namespace: 'shop' }] },
  }),
];
const chain = {
  apiVersion: k0rdentVersion,
  kind: 'ServiceTemplateChain',
  metadata: { name: 'web', namespace: systemNamespace },
  spec: { supportedTemplates: [{ name: 'web-1-0-0', availableUpgrades: [{ name: 'web-1-1-0' }] }, { name: 'web-1-1-0' }] },
};

const ofShop = (kind: string, name: string, spec: object) => ({ apiVersion: delivery, kind, metadata: { namespace: 'shop', name }, spec });
const shop = [
  { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } },
  { apiVersion: delivery, kind: 'CloudProvider', metadata: { name: 'here' }, spec: { type: 'Drover' } },
  ofShop('ServiceDefinition', 'web', {
    manifests: [
      {
        inline: JSON.stringify({
          apiVersion: 'v1',
          kind: 'ConfigMap',
          metadata: { name: 'web' },
          data: { color: '${workflow.variables.color}' },
        }),
      },
    ],
  }),
  ofShop('Environment', 'prod', { type: 'Prod' }),
  ofShop('InfrastructureDefinition', 'all', {
    environmentRef: 'prod',
    cloudProviderRef: 'here',
    namespace: 'payments',
    createNamespace: true,
    clusterNames: ['east', 'west', 'lab'],
  }),
  ofShop('Workflow', 'roll', {
    type: 'Rolling',
    description: `Brings the shop everywhere ${nasty}`,
    serviceRef: 'web',
    environmentRef: 'prod',
    infrastructureRef: 'all',
    variables: [
      { name: 'color', default: 'green', allowedValues: ['green', 'blue'], description: 'Which colour it has.' },
      { name: 'ticket', required: true, description: 'Who asked for it.' },
    ],
    rollout: {
      waves: [
        { name: 'canary', clusterNames: ['lab'] },
        {
          name: 'everybody',
          remainder: true,
          before: [{ name: 'sign-off', type: 'Approval', message: 'May it go everywhere?', timeout: '1h', selfApproval: true }],
        },
      ],
    },
  }),
  ofShop('Pipeline', 'to-production', {
    description: 'First asked, then done.',
    stages: [
      { name: 'decide', approval: { message: 'Go to production?' } },
      { name: 'production', workflowRef: { name: 'roll' }, variables: { ticket: '2' } },
    ],
  }),
  ofShop('PipelineRun', 'friday', { pipelineRef: { name: 'to-production' } }),
];

const machine = (name: string, runStrategy: string) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name, namespace: 'shed' },
  spec: { runStrategy, template: { spec: { domain: { cpu: { cores: 2 }, memory: { guest: '2Gi' }, devices: {} } } } },
});

const inShed = (kind: string, name: string, spec: object) => ({
  apiVersion: kind === 'NetworkAttachmentDefinition' ? 'k8s.cni.cncf.io/v1' : 'harvesterhci.io/v1beta1',
  kind,
  metadata: { name, namespace: 'shed' },
  spec,
});
const shed = [
  inShed('VirtualMachineImage', 'noble', { displayName: 'Ubuntu 24.04', sourceType: 'download', url: 'https://images.example/noble.img' }),
  inShed('KeyPair', 'ann', { publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIFvYXc ann' }),
  inShed('NetworkAttachmentDefinition', 'vlan7', { config: '{}' }),
];

for (const kind of hubKindsByTime)
  describe(`the web page for services, workflows, machines and people, hub: ${kind}`, { skip: missing ?? false, timeout }, () => {
    const running = new AsyncDisposableStack();
    let rig: PageRig;
    let story: K0rdentStory;
    let barn: CommandLine;
    let yard: MachineYard;
    /** Of the reader, and of the project that is open to him. */
    let ids: { readonly user: string; readonly project: string };

    /** Both for those who see all of it and for those who see little: what is theirs is on barn, in the namespace shed. */
    async function everywhere(): Promise<Tour> {
      const run = await rig.kubectl.expect('get workflowruns -n shop -o jsonpath={.items[0].metadata.name}');
      const pod = await barn.expect('get pods -n shed -l app=trough -o jsonpath={.items[0].metadata.name}');
      return {
        '/': ['/'],
        '/clusters': ['/clusters'],
        '/clusters/:name/*?': ['/clusters/east', '/clusters/barn', '/clusters/yard', '/clusters/gone'],
        '/explore': ['/explore'],
        '/explore/:group/:version/:plural': [
          '/explore/core/v1/pods',
          '/explore/apps/v1/deployments?rows=object',
          '/explore/drover.io/v1alpha1/works',
        ],
        '/explore/:group/:version/:plural/:cluster/:ns/:name/*?': [
          '/explore/apps/v1/deployments/barn/shed/trough',
          `/explore/core/v1/pods/barn/shed/${pod}`,
          '/explore/apps/v1/deployments/west/certs/certs',
          '/explore/k0rdent.mirantis.com/v1beta1/multiclusterservices/local/_/web',
        ],
        '/services': ['/services'],
        '/services/dependencies': ['/services/dependencies'],
        '/services/:ns/:name/*?': [
          '/services/_/web',
          '/services/_/web-of-the-platform/rollout',
          '/services/_/planned/plan',
          '/services/_/gone',
        ],
        '/sources': ['/sources'],
        '/workflows': ['/workflows'],
        '/workflows/:part': ['/workflows/runs'],
        '/workflows/:ns/:name': ['/workflows/shop/roll'],
        '/workflows/runs/:ns/:name/*?': [`/workflows/runs/shop/${run}`],
        '/workflows/pipelines/:ns/:name': ['/workflows/pipelines/shop/to-production'],
        '/workflows/pipeline-runs/:ns/:name': ['/workflows/pipeline-runs/shop/friday'],
        '/dialects': ['/dialects'],
        '/dialects/:part': ['/dialects/fields'],
        '/virtualization': ['/virtualization'],
        '/virtualization/machines': ['/virtualization/machines'],
        '/virtualization/:cluster/machines/:ns/:name/*?': [
          '/virtualization/barn/machines/shed/daisy',
          ...['', '/screen', '/serial'].map(part => `/virtualization/yard/machines/shed/daisy${part}`),
        ],
        '/virtualization/:cluster/*?': ['/virtualization/barn'],
        '/people': ['/people'],
        '/people/:part': ['/people/projects'],
        '/people/users/:name': [`/people/users/${ids.user}`],
        '/people/projects/:cluster/:name': [`/people/projects/${ids.project}`],
        '/people/groups/:name': [`/people/groups/${encodeURIComponent('genericoidc_group://ops team')}`],
        '/audit': ['/audit'],
        '/allow': ['/allow'],
      };
    }

    before(async () => {
      rig = running.use(await startPageRig(kind, running.use(await startEtcd()), { sandboxes: 0 }));
      const scratch = running.use(tempDir('page-delivery'));
      story = await startK0rdentStory(rig.hub, scratch.dir);
      const drover = droverFor({ hub: rig.hub.kubeconfig, dir: scratch.dir });
      for (const chart of ['web-1.0.0', 'web-1.1.0', 'certificates-1.0.0'])
        await drover.expect(`chart push ${repositoryRoot}/examples/charts/${chart}`, { says: 'pushed' });
      await story.apply(template('web', '1.0.0'), template('web', '1.1.0'), template('certificates', '1.0.0'));
      await story.templatesAreValid('web-1-0-0', 'web-1-1-0', 'certificates-1-0-0');
      await story.apply(chain, deployment('east', 'prod'), deployment('west', 'prod'), deployment('lab', 'test'));
      await rig.kubectl.expect(`wait --for=condition=Ready clusterdeployment --all -n ${systemNamespace} --timeout=90s`, {
        timeoutMs: 100_000,
      });
      await story.apply(...services, ...shop);
      await drover.expect('sandbox create barn --label provider.cattle.io=harvester --nodes 2 --wait', { says: 'ready' });
      barn = rig.on('barn');
      await eventually(
        () => barn.run('get virtualmachines -A'),
        result => result.code === 0,
        patient,
      );
      await barn.expect('create namespace shed');
      await barn.expect('create deployment trough --image=nginx -n shed');
      for (const one of [machine('daisy', 'RerunOnFailure'), machine('bella', 'Halted'), ...shed])
        await barn.expect('create -f -', { input: JSON.stringify(one) });
      yard = await startMachineYard(rig, machine('daisy', 'RerunOnFailure'), running);
      const { id: userId } = await rig.ask('POST', '/v3/users', { ...reader, name: nasty, enabled: true });
      await rig.ask('POST', '/v3/globalrolebindings', { globalRoleId: 'user', userId });
      const [{ id: clusterId } = { id: '' }] = (await rig.ask('GET', '/v3/clusters?name=barn')).data!;
      const projectId = (await rig.ask('GET', `/v3/projects?clusterId=${clusterId}`)).data!.find(({ name }) => name === 'Default')!.id;
      await barn.expect(`annotate namespace shed field.cattle.io/projectId=${projectId}`);
      await rig.ask('POST', '/v3/projectroletemplatebindings', { projectId, roleTemplateId: 'read-only', userId });
      ids = { user: userId, project: projectId.replace(':', '/') };
      await eventually(
        async () => conditionOf(await story.mcs('certificates'), 'Ready'),
        ready => ready?.startsWith('True') === true,
        patient,
      );
      await eventually(
        async () => (await story.mcs('web-of-the-platform'))?.status?.rollout?.phase,
        phase => phase === 'Soaking',
        patient,
      );
    });
    after(() => running.disposeAsync());

    test('a run is started, decided upon and followed with the keyboard alone', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      await keyboard.press('g');
      await keyboard.press('w');
      await page.getByRole('heading', { name: 'Workflows', level: 1 }).waitFor();
      await rowOf(page, 'roll').waitFor();
      await keyboard.press('j');
      await eventually(
        () => page.evaluate('document.activeElement.getAttribute("role")'),
        role => role === 'row',
      );
      await keyboard.press('Enter');
      await page.getByRole('heading', { name: 'roll', level: 1 }).waitFor();
      await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
      await tabTo(page, 'Run');
      await keyboard.press('Enter');
      const dialog = page.getByRole('dialog', { name: 'Run roll' });
      await dialog.waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Run' }).isDisabled(), 'a variable is needed');
      await tabTo(page, 'ticket (needed)');
      await keyboard.type('T-7');
      await dialog.getByText('drover run roll -n shop --var ticket=T-7').waitFor();
      await window.picture('run-start');
      await keyboard.press('Enter');
      await page.getByText('Waits for a decision').waitFor({ timeout: 60_000 });
      await settled(page);
      await window.picture('run-waits');
      assert.deepEqual(await window.barriers(), []);
      await tabTo(page, 'Approve');
      await keyboard.press('Enter');
      const decide = page.getByRole('dialog');
      await decide.getByText(/drover approve roll-/).waitFor();
      await tabTo(page, 'Comment');
      await keyboard.type('looks well');
      await keyboard.press('Enter');
      await page.locator('h1 + [role="status"]').getByText('Succeeded').waitFor({ timeout: 60_000 });
      await page.getByRole('region', { name: 'Steps by clusters' }).getByRole('link', { name: 'west' }).waitFor();
      await page.getByText('3 of 3 clusters are done, 0 failed').waitFor();
      await window.picture('run-done');
      await page.getByRole('link', { name: 'Logs' }).click();
      await page
        .getByRole('log')
        .getByText(/lab · /)
        .first()
        .waitFor();
      await window.picture('run-logs');
      assert.deepEqual(await window.barriers(), []);
      assert.deepEqual(window.faults, []);
    });

    test('every screen and each of its parts, light and dark and by the Tab key alone, as an administrator', async () => {
      await using window = await rig.open();
      missedFiles(window);
      const wrong = await takeTour(window, await everywhere(), {
        who: 'admin',
        withDialogs: !isGate,
        url: rig.url,
        colors: isGate ? ['light'] : ['light', 'dark'],
        withKeyboard: !isGate,
        isShort: isGate,
      });
      assert.deepEqual(wrong, []);
    });

    test('every screen and each of its parts, light and dark and by the Tab key alone, as somebody who may only read in a project', async () => {
      await using window = await rig.open({ as: reader });
      missedFiles(window);
      // Rights come to a member with the first who goes there.
      await eventually(
        async () => {
          await window.page.goto(rig.url('/virtualization/machines'));
          await rowOf(window.page, 'daisy').waitFor({ timeout: 5000 });
          return true;
        },
        Boolean,
        { timeoutMs: 60_000 },
      );
      const wrong = await takeTour(window, await everywhere(), {
        who: 'reader',
        url: rig.url,
        colors: isGate ? ['dark'] : ['light', 'dark'],
        withKeyboard: !isGate,
        isShort: isGate,
        look: temptations,
      });
      assert.deepEqual(wrong, []);
    });

    test('a service says where it is, why not elsewhere and who has it instead; it is upgraded and its rollout paused', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/dialects'));
      await page.getByRole('button', { name: 'Coming from k0rdent' }).click();
      await page.getByRole('dialog').getByText('docs/guide/coming-from-k0rdent.md').waitFor();
      assert.deepEqual(await window.barriers(), []);
      await page.keyboard.press('Escape');
      await page.getByRole('link', { name: 'Not acted upon' }).click();
      await rowOf(page, 'certificates').getByText('.helmOptions.waitForJobs').waitFor();

      // What it became, and whose that is; the same from what is on the member.
      await page.goto(rig.url('/explore/k0rdent.mirantis.com/v1beta1/multiclusterservices/local/_/certificates'));
      const became = page.getByRole('region', { name: 'What it became' });
      await became.getByRole('row').filter({ hasText: 'east' }).getByRole('link').click();
      await page.getByRole('region', { name: 'What it is for' }).getByRole('link', { name: 'MultiClusterService certificates' }).waitFor();
      assert.deepEqual(await window.barriers(), []);
      await page.goto(rig.url('/explore/drover.io/v1alpha1/clusters/local/_/east'));
      await page.getByRole('region', { name: 'In other words' }).getByRole('link', { name: 'ClusterDeployment kcm-system/east' }).waitFor();

      // A service that is written as YAML is shown on its clusters before it is made.
      await page.goto(rig.url('/explore/k0rdent.mirantis.com/v1beta1/multiclusterservices?cluster=local'));
      await page.getByRole('button', { name: 'Create', exact: true }).click();
      const creating = page.getByRole('dialog');
      const written = multiClusterService('written', {
        clusterSelector: prod,
        serviceSpec: { services: [{ ...web, name: 'w', namespace: 'w' }] },
      });
      await creating.locator('.cm-content').click();
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(written))})`);
      for (const keys of ['Control+A', 'Control+V']) await page.keyboard.press(keys);
      await creating.getByRole('button', { name: 'Review' }).click();
      await creating.getByText('2 of 2 clusters were asked').waitFor({ timeout: 30_000 });
      assert.deepEqual(await window.barriers(), []);
      await creating.getByRole('button', { name: 'Cancel' }).click();
      await page.goto(rig.url('/services'));
      await rowOf(page, 'web').getByText('Outranked').waitFor({ timeout: 60_000 });
      // Who lost to a higher priority has not failed, and needs nobody.
      await page.goto(rig.url('/'));
      await page.getByRole('link', { name: 'Services 4' }).waitFor();
      await page.getByRole('link', { name: 'Services stuck 0' }).waitFor();
      const needs = page.getByRole('region', { name: 'What needs a person' });
      assert.equal(await needs.getByRole('link', { name: 'Service web', exact: true }).count(), 0);
      // What was delivered there is on its way into the list of clusters.
      await rig.kubectl.expect('label clusters.drover.io west topology.kubernetes.io/region=mars-1');
      await eventually(
        () => rig.kubectl.expect('get clusters.drover.io west -o jsonpath={.status.requested.pods}'),
        pods => Number(pods) >= 2,
        patient,
      );
      await page.goto(rig.url('/clusters'));
      await page.getByRole('columnheader', { name: 'Pods' }).waitFor();
      await rowOf(page, 'west').getByText('mars-1', { exact: true }).waitFor();
      await rowOf(page, 'west').getByText('0 %').first().waitFor();
      await page.goto(rig.url('/services'));
      await rowOf(page, 'web').getByRole('link').click();
      await rowOf(page, 'lab').getByText('env is "test", not "prod"').waitFor();
      await rowOf(page, 'west').getByText('MultiClusterService web-of-the-platform has it with priority 500').waitFor();
      await page.getByRole('button', { name: 'Why, on west' }).click();
      const why = page.getByRole('dialog');
      await why.getByText('If MultiClusterService web-of-the-platform left, MultiClusterService web would take the release over').waitFor();
      await why.getByText('drover explain mcs/web --cluster west').waitFor();
      await window.picture('why');
      assert.deepEqual(await window.barriers(), []);
      await page.keyboard.press('Escape');

      await page.goto(rig.url('/services/_/web-of-the-platform/rollout'));
      await page.getByRole('button', { name: 'Pause' }).click();
      await page.getByText('drover rollout pause mcs/web-of-the-platform').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Pause' }).click();
      await page.getByRole('button', { name: 'Resume' }).waitFor();
      assert.equal((await story.mcs('web-of-the-platform'))?.spec.rollout?.paused, true);

      await page.getByRole('link', { name: 'Upgrades' }).click();
      await page.getByRole('button', { name: 'Upgrade to web-1-1-0' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Upgrade' }).click();
      await eventually(async () => (await story.mcs('web-of-the-platform'))?.spec.serviceSpec?.services?.[0]?.template === 'web-1-1-0');

      // What a change would do, field by field, before it is done.
      await page.goto(rig.url('/services/_/certificates'));
      await rowOf(page, 'west').waitFor();
      await page.keyboard.press('d');
      await page.getByRole('button', { name: 'Only plan' }).click();
      await page.getByText('kubectl patch multiclusterservices.k0rdent.mirantis.com certificates').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Only plan' }).click();
      await page.getByText('Nothing of this has happened').waitFor();
      const values = { op: 'add', path: '/spec/serviceSpec/services/0/values', value: 'replicas: 3' };
      await rig.kubectl.expect(`patch multiclusterservice certificates --type=json -p '${JSON.stringify([values])}'`);
      const fields = page.getByRole('region', { name: 'Fields of Deployment certs/certs on west' });
      await fields.getByRole('row', { name: '.spec.replicas 1 3' }).waitFor({ timeout: 60_000 });
      await window.picture('plan-fields');
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('button', { name: 'Deliver' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Deliver' }).click();
      await page.getByText('It delivers what it says').waitFor();
      await eventually(
        async () => (await rig.on('west').expect('get deployment certs -n certs -o jsonpath={.spec.replicas}')) === '3',
        Boolean,
        patient,
      );

      // Whoever edits it sees the same before it is saved.
      await page.getByRole('link', { name: 'YAML' }).click();
      await page.getByRole('button', { name: 'Edit' }).click();
      await replaceText(page, 'replicas: 3', 'values: "replicas: 4"');
      await page.getByRole('button', { name: 'Review changes' }).click();
      const review = page.getByRole('dialog');
      await review.getByText('2 of 2 clusters were asked').waitFor();
      await review.getByText('drover diff mcs/certificates -f changed.yaml').waitFor();
      const onWest = review.getByRole('region', { name: 'On west' });
      await onWest.getByText('1 would change').waitFor();
      await onWest.getByText('Deployment certs/certs').click();
      await onWest.getByLabel('Difference of Deployment certs/certs on west').getByText('replicas: 4').waitFor();
      await settled(page);
      await window.picture('preview-on-clusters');
      assert.deepEqual(await window.barriers(), []);
      await review.getByRole('button', { name: 'Back' }).click();
      assert.equal(await rig.on('west').expect('get deployment certs -n certs -o jsonpath={.spec.replicas}'), '3', 'nothing was written');

      // Where charts come from is looked at now instead of later.
      await page.goto(rig.url('/sources'));
      await page.getByRole('button', { name: 'Actions for web-1-0-0' }).click();
      await page.getByRole('menuitem', { name: 'Look now' }).click();
      await page.getByText('kubectl annotate --overwrite -n kcm-system helmcharts.source.toolkit.fluxcd.io web-1-0-0').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Look now' }).click();
      await eventually(
        () => rig.kubectl.expect('get helmcharts -n kcm-system web-1-0-0 -o jsonpath={.status.lastHandledReconcileAt}'),
        Boolean,
        patient,
      );

      // The same of a service that is not there yet: where it would go, why not elsewhere, and what it would bring.
      await page.getByRole('link', { name: 'Services', exact: true }).first().click();
      await page.getByRole('button', { name: 'Create a service' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('Name', { exact: true }).fill('web');
      await form.getByText('There is a service of this name already').waitFor();
      await form.getByLabel('Name', { exact: true }).fill('kiosk');
      await form.getByLabel('Template').selectOption('web-1-0-0');
      await form.getByLabel('Clusters with').fill('env in (test');
      await form.getByText('unable to parse').waitFor();
      await form.getByLabel('Clusters with').fill('env in (test), !old');
      await form.getByText(/^It would go to 1 of \d+ clusters/).waitFor();
      await form.getByText('it has no ClusterDeployment; one of its name in kcm-system').first().waitFor();
      await form.getByRole('row', { name: 'east No env is "prod", not "test"' }).waitFor();
      await form.getByLabel('Values').fill('replicas: 2');
      await window.picture('create-service');
      assert.deepEqual(await window.barriers(), []);
      await form.getByRole('button', { name: 'Review' }).click();
      await form.getByText('1 of 1 clusters were asked').waitFor();
      await form.getByRole('region', { name: 'On lab' }).getByText('Deployment kiosk/kiosk').waitFor();
      await settled(page);
      await window.picture('create-service-review');
      assert.deepEqual(await window.barriers(), []);
      assert.equal(await rig.kubectl.expect('get multiclusterservices kiosk --ignore-not-found'), '', 'nothing was written');
      await form.getByRole('button', { name: 'Create', exact: true }).click();
      await rowOf(page, 'lab').getByText('Deployed').waitFor({ timeout: 60_000 });
      assert.equal(await rig.on('lab').expect('get deployment kiosk -n kiosk -o jsonpath={.spec.replicas}'), '2');
      await rig.kubectl.expect('delete multiclusterservices kiosk --wait=false');
      assert.deepEqual(window.faults, []);
    });

    test('a cluster is cordoned and drained, a Work is applied again, and what is installed is told with who brought it', async () => {
      const id = await rig.kubectl.expect('get clusters.drover.io west -o jsonpath={.status.id}');
      const marks = 'owner=helm name=foreign status=deployed version=3';
      await rig
        .on('west')
        .expect('create secret generic sh.helm.release.v1.foreign.v3 --type=helm.sh/release.v1 --from-literal=release=hidden-9c');
      await rig.on('west').expect(`label secret sh.helm.release.v1.foreign.v3 ${marks}`);
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/clusters/west/add-ons'));
      const addOn = (name: string) => page.getByRole('row').filter({ hasText: name });
      await addOn('foreign').getByText('Somebody else, with Helm').waitFor();
      await addOn('certs').getByText('MultiClusterService certificates').waitFor();
      await addOn('certs').getByText('Deployed').waitFor();
      await settled(page);
      await window.picture('add-ons');
      assert.deepEqual(await window.barriers(), []);
      assert.ok(!(await page.content()).includes('hidden-9c') && !(await page.content()).includes(btoa('hidden-9c')));

      await page.getByRole('link', { name: 'Works', exact: true }).click();
      const work = page.getByRole('row').filter({ hasText: 'certs/certs' });
      const appliedAt = () =>
        rig.kubectl.expect(`get works -n ${id} -o jsonpath='{.items[?(@.spec.release.name=="certs")].status.delivered.revision}'`);
      const before = Number(await appliedAt());
      await work.getByRole('button', { name: /Actions for/ }).click();
      await page.getByRole('menuitem', { name: 'Re-apply' }).click();
      await page.getByText(/drover reapply work\/.* -n c-m-/).waitFor();
      await window.picture('re-apply');
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Re-apply' }).click();
      await eventually(appliedAt, revision => Number(revision) > before, patient);

      const deed = async (title: string) => {
        await page.getByRole('button', { name: 'Actions for west' }).click();
        await page.getByRole('menuitem', { name: title, exact: true }).click();
      };
      const dialog = page.getByRole('dialog');
      await page.goto(rig.url('/clusters'));
      await deed('Cordon');
      await dialog.getByText('drover cordon cluster west').waitFor();
      await dialog.getByRole('button', { name: 'Cordon' }).click();
      await rowOf(page, 'west').getByText('Ready, cordoned').waitFor();
      await page.goto(rig.url('/clusters?q=state:cordoned'));
      await rowOf(page, 'west').waitFor();
      assert.equal(await rowOf(page, 'east').count(), 0);
      await window.picture('cordoned');
      assert.deepEqual(await window.barriers(), []);

      await deed('Drain');
      const goes = dialog.getByRole('row').filter({ hasText: 'MultiClusterService certificates' });
      await goes.getByText('Goes').waitFor();
      await dialog.getByText('drover drain cluster west').waitFor();
      assert.equal(await dialog.getByRole('button', { name: 'Drain' }).isDisabled(), true);
      await window.picture('drain-cluster');
      assert.deepEqual(await window.barriers(), []);
      await dialog.getByLabel(/Type west to go on/).fill('west');
      await dialog.getByRole('button', { name: 'Drain' }).click();
      await goes.getByText('Gone').waitFor({ timeout: 60_000 });
      await dialog.getByRole('button', { name: 'Close' }).click();
      await page.goto(rig.url('/services/_/certificates'));
      await rowOf(page, 'west').getByText('it is drained, so that what was placed on it goes away').waitFor();
      await page.goto(rig.url('/clusters'));
      await rowOf(page, 'west').getByText('Ready, drained').waitFor();
      await deed('Uncordon');
      await dialog.getByRole('button', { name: 'Uncordon' }).click();
      await rowOf(page, 'west').getByText('Ready', { exact: true }).waitFor();
      await eventually(appliedAt, Boolean, patient);
      assert.deepEqual(window.faults, []);

      // In the dark, and by somebody who may list no Secrets there.
      await using dark = await rig.open({ as: reader, colors: 'dark' });
      await dark.page.goto(rig.url('/clusters/barn/add-ons'));
      await dark.page.getByText('which you may not list on barn').waitFor({ timeout: 30_000 });
      await settled(dark.page);
      await dark.picture('add-ons-reader');
      assert.deepEqual(await dark.barriers(), []);
      await dark.page.getByRole('button', { name: 'Actions', exact: true }).click();
      assert.equal(await dark.page.getByRole('menuitem', { name: /Cordon|Drain/ }).count(), 0);
    });

    test('the screen and the serial port of a machine, through the tunnel of an agent', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      await page.goto(rig.url('/virtualization/yard/machines/shed/daisy'));
      await page.getByText('Run strategy').waitFor();
      await settled(page);
      await window.picture('machine');
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('link', { name: 'Screen', exact: true }).click();
      await page.getByText('Connected').waitFor();
      const colorAt = async (x: number, y: number) =>
        String(
          await page.evaluate(
            `[...document.querySelector('canvas').getContext('2d').getImageData(${x}, ${y}, 1, 1).data].slice(0, 3).join()`,
          ),
        );
      const { ground, plain, copied, answer } = picture;
      await eventually(
        () => colorAt(copied.x + 3, copied.y + 3),
        color => color === plain.color.join(),
      );
      assert.equal(await colorAt(300, 150), ground.join());
      assert.deepEqual(await window.barriers(), []);

      // The screen has the keyboard at once, and gives it back for two keys and a letter.
      const { heard } = yard.virt.screens.get('shed/daisy')!;
      await keyboard.press('Enter');
      await eventually(
        () => colorAt(answer.x + 90, answer.y + 60),
        color => color === answer.color.join(),
      );
      await keyboard.press('Tab');
      await keyboard.press('Shift+A');
      await eventually(
        () => heard.includes('key ff09 at 15 up') && heard.includes('key 41 at 30 down') && heard.includes('key ffe1 at 42 up'),
      );
      await page.getByRole('application', { name: 'Screen of daisy' }).click({ position: { x: 40, y: 30 } });
      await eventually(() => heard.some(one => /^pointer \d+,\d+ buttons 1$/.test(one)));
      await page.getByRole('button', { name: 'Send keys' }).click();
      await page.getByRole('menuitem', { name: 'Control Alt Delete' }).click();
      await eventually(() => heard.includes('key ffff at 211 down'));

      // Texts come as keys, or by the clipboard of the machine, from where they come back.
      const dialog = page.getByRole('dialog');
      await page.getByRole('button', { name: 'Paste' }).click();
      await dialog.getByLabel('Text').fill('é');
      await dialog.getByText('No key of an American keyboard writes é').waitFor();
      await dialog.getByLabel('Text').fill('ls');
      await window.picture('paste');
      assert.deepEqual(await window.barriers(), []);
      await dialog.getByRole('button', { name: 'Type' }).click();
      await dialog.waitFor({ state: 'detached' });
      await eventually(() => heard.includes('key 6c at 38 down') && heard.includes('key 73 at 31 up'));
      await page.getByRole('button', { name: 'Paste' }).click();
      await dialog.getByLabel('Text').fill('Grüße');
      await dialog.getByLabel('Into its clipboard').check();
      await dialog.getByRole('button', { name: 'Copy there' }).click();
      await page.getByRole('button', { name: 'Copy what it copied' }).waitFor();
      assert.ok(heard.includes('clipboard "Grüße"'));
      await page.getByRole('application', { name: 'Screen of daisy' }).focus();
      await keyboard.press('Control+Alt+g');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Open again');
      await window.picture('screen');

      await page.getByRole('link', { name: 'Serial console' }).click();
      await page.getByText('Connected').waitFor();
      const rows = page.locator('.xterm-rows');
      await rows.getByText('daisy login:').waitFor();
      await keyboard.type('root');
      await rows.getByText('daisy login: root').waitFor();
      await keyboard.press('Enter');
      await rows.getByText('Password:').waitFor();
      await window.picture('serial');
      assert.deepEqual(await window.barriers(), []);
      await keyboard.press('Control+Alt+g');
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Open again');
      assert.deepEqual(window.faults, []);
    });

    test('a machine is made from an image: tried by the server, shown, and then there', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      await page.goto(rig.url('/virtualization/barn?ns=shed'));
      await page.getByRole('button', { name: 'Create' }).waitFor();
      await tabTo(page, 'Create');
      await keyboard.press('Enter');
      const form = page.getByRole('dialog');
      await form.getByLabel('Name', { exact: true }).waitFor();
      await keyboard.type('daisy');
      assert.equal(await form.getByLabel('Namespace').inputValue(), 'shed', 'the one that is looked at');
      await form.getByRole('button', { name: 'Review' }).click();
      await form.getByText('Choose an image').waitFor();
      assert.deepEqual(await window.barriers(), []);
      await form.getByLabel('Image', { exact: true }).selectOption({ label: 'Ubuntu 24.04 (shed)' });
      await form.getByLabel('Memory, GiB').fill('8');
      await form.getByLabel('Network').selectOption('shed/vlan7');
      await form.getByLabel('shed/ann').check();
      await form.getByLabel('User data for cloud-init').fill('#cloud-config\npassword: moo\n');
      await window.picture('machine-form');
      await form.getByRole('button', { name: 'Review' }).click();
      await form.getByText('"daisy" already exists').waitFor();
      await form.getByLabel('Name', { exact: true }).fill('clover');
      await form.getByRole('button', { name: 'Review' }).click();
      await form.getByText('The server has tried it').waitFor();
      await form.getByText('harvesterhci.io/volumeClaimTemplates').waitFor();
      assert.ok(!(await form.textContent())?.includes('moo'), 'what cloud-init gets is a secret');
      await window.picture('machine-review');
      assert.deepEqual(await window.barriers(), []);
      await form.getByRole('button', { name: 'Create' }).click();
      await page.getByRole('heading', { name: 'clover', level: 1 }).waitFor();
      await page.locator('h1 + [role="status"]').getByText('Running').waitFor({ timeout: 30_000 });
      await page.getByText('8Gi').waitFor();
      const made = await rig
        .on('barn')
        .expect(
          `get secrets -n shed -l harvesterhci.io/vmName=clover -o 'jsonpath={.items[*].metadata.ownerReferences[0].name} {.items[*].data.userdata}'`,
        );
      const [owner, userData = ''] = made.split(' ');
      assert.equal(owner, 'clover');
      assert.match(
        Buffer.from(userData, 'base64').toString(),
        /^#cloud-config\npassword: moo\nssh_authorized_keys:\n {2}- ssh-ed25519 \S+ ann\n$/,
      );
      assert.deepEqual(
        window.faults.filter(fault => !fault.includes('409')),
        [],
      );
    });

    test('several machines at once, and what one refuses does not hide the others', async () => {
      for (const name of ['flora', 'greta']) await barn.expect('create -f -', { input: JSON.stringify(machine(name, 'RerunOnFailure')) });
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      await page.goto(rig.url('/virtualization/barn'));
      for (const name of ['flora', 'greta']) await rowOf(page, name).getByText('Running').waitFor({ timeout: 30_000 });
      await page.getByLabel('Choose bella').check();
      await page.getByLabel('Choose greta').check();
      // The last one with the keys of the table.
      await page.getByLabel('Filter virtual machines').fill('flora');
      await page.getByText('1 of').waitFor();
      await keyboard.press('Enter');
      await eventually(
        () => page.evaluate('document.activeElement.getAttribute("role")'),
        role => role === 'row',
      );
      await keyboard.press('x');
      await page.getByText('3 chosen').waitFor();
      await page.getByLabel('Filter virtual machines').fill('');
      await window.picture('machines-chosen');
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('group', { name: 'For those that are chosen' }).getByRole('button', { name: 'Stop', exact: true }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByText('2 of 3 can do it now').waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await barn.expect('delete virtualmachine flora -n shed');
      await dialog.getByRole('button', { name: 'Stop 2' }).click();
      await dialog.getByText('1 done, 1 failed, 1 left out.').waitFor();
      const line = (name: string) => dialog.getByRole('row').filter({ hasText: name });
      await line('flora').getByText('not found').waitFor();
      await line('greta').getByText('Done').waitFor();
      await line('bella').getByText('Stop is not on offer').waitFor();
      await window.picture('machines-stopped');
      assert.deepEqual(await window.barriers(), []);
      await dialog.getByRole('button', { name: 'Close' }).click();
      await rowOf(page, 'greta').getByText('Off').waitFor({ timeout: 30_000 });
      assert.deepEqual(
        window.faults.filter(fault => !fault.includes('404')),
        [],
      );
    });

    test('an image comes from an address, or from a file where Harvester itself is reached', async () => {
      await using window = await rig.open();
      const { page } = window;
      const disk = { name: 'tiny.raw', mimeType: 'application/octet-stream', buffer: Buffer.alloc(512 * 5860, 'moo') };
      await page.goto(rig.url('/virtualization/barn/images?ns=shed'));
      await page.getByRole('button', { name: 'Add an image' }).click();
      const dialog = page.getByRole('dialog');
      await dialog.getByLabel('URL').fill('ftp://images.example/x');
      await dialog.getByText('begins with http').waitFor();
      await dialog.getByLabel('URL').fill('https://images.example/debian-12.qcow2');
      await window.picture('image-form');
      assert.deepEqual(await window.barriers(), []);
      await dialog.getByRole('button', { name: 'Add', exact: true }).click();
      await rowOf(page, 'debian-12.qcow2').waitFor();

      // At its Kubernetes API alone a cluster takes no files, and nothing is left behind.
      await page.getByRole('button', { name: 'Add an image' }).click();
      await dialog.getByLabel('A file of yours').check();
      await dialog.getByLabel('File', { exact: true }).setInputFiles(disk);
      await dialog.getByRole('button', { name: 'Upload' }).click();
      await dialog.getByText('barn takes no files').waitFor();
      assert.equal(
        await page.evaluate(`document.querySelector('dialog .note').getBoundingClientRect().bottom <=
          document.querySelector('dialog .dialog-end').getBoundingClientRect().top`),
        true,
        'what went wrong is in sight',
      );
      await window.picture('image-refused');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      assert.equal(await rowOf(page, 'tiny.raw').count(), 0);

      await page.goto(rig.url('/virtualization/yard/images?ns=shed'));
      await page.getByRole('button', { name: 'Add an image' }).click();
      await dialog.getByLabel('A file of yours').check();
      await dialog.getByLabel('File', { exact: true }).setInputFiles(disk);
      await dialog.getByLabel('File', { exact: true }).setInputFiles({ ...disk, buffer: disk.buffer.subarray(1) });
      await dialog.getByText('no multiple of 512 bytes').waitFor();
      assert.ok(await dialog.getByRole('button', { name: 'Upload' }).isDisabled());
      await dialog.getByLabel('File', { exact: true }).setInputFiles(disk);
      await dialog.getByLabel('Name', { exact: true }).fill('Tiny');
      await dialog.getByRole('button', { name: 'Upload' }).click();
      await rowOf(page, 'Tiny').getByText('Active').waitFor({ timeout: 30_000 });
      const sha512 = createHash('sha512').update(disk.buffer).digest('hex');
      assert.deepEqual(
        yard.front.uploads.map(({ sizeBytes, sha512 }) => ({ sizeBytes, sha512 })),
        [{ sizeBytes: disk.buffer.length, sha512 }],
      );
      await window.picture('images-there');
      assert.deepEqual(window.faults, []);
    });

    test('who removes a Harvester cluster is told what to do there', async () => {
      await using window = await rig.open();
      const { page } = window;
      await page.goto(rig.url('/clusters/yard'));
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Remove' }).click();
      await page.getByRole('dialog').getByText('kubectl patch settings.harvesterhci.io cluster-registration-url').waitFor();
      assert.deepEqual(await window.barriers(), []);
      assert.deepEqual(window.faults, []);
    });

    test('machines are started and stopped by what is on offer for them', async () => {
      await using window = await rig.open();
      const { page } = window;
      const { keyboard } = page;
      await page.goto(rig.url('/virtualization'));
      await page.getByRole('link', { name: 'Manage barn' }).click();
      await rowOf(page, 'bella').getByText('Off').waitFor();
      await page.getByRole('button', { name: 'Actions for bella' }).click();
      await page.getByRole('menuitem', { name: 'Start' }).click();
      await page.getByText('drover kubectl barn -- patch vm bella -n shed').waitFor();
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('dialog').getByRole('button', { name: 'Start' }).click();
      await rowOf(page, 'bella').getByText('Running').waitFor({ timeout: 30_000 });

      // The other one by keyboard: the menu has the focus, and a deed that is a danger begins at Cancel.
      await tabTo(page, 'Actions for daisy');
      await keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Stop' }).waitFor();
      await window.picture('machine-menu');
      await eventually(
        () => page.evaluate('document.activeElement.textContent'),
        text => text === 'Stop',
      );
      await keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Stop: daisy' }).waitFor();
      assert.equal(await page.evaluate('document.activeElement.textContent'), 'Cancel');
      await keyboard.press('Tab');
      await keyboard.press('Enter');
      await rowOf(page, 'daisy').getByText('Off').waitFor({ timeout: 30_000 });
      assert.deepEqual(window.faults, []);
    });

    test('a role is given and taken away, what somebody may do is answered, and all of it was written down', async () => {
      await using window = await rig.open();
      const { page } = window;
      page.on('dialog', () => window.faults.push('a dialog was opened'));
      // A hub that does not answer twice whether somebody may ask has not said no.
      let silences = 0;
      await page.route('**/selfsubjectaccessreviews', async route => {
        const isMeant = route.request().postData()?.includes('"subjectaccessreviews"') ?? false;
        await (isMeant && silences++ < 2 ? route.fulfill({ status: 503 }) : route.continue());
      });
      await page.goto(rig.url('/people'));
      await page.getByRole('link', { name: nasty }).click();
      await page.getByRole('heading', { name: nasty, level: 1 }).waitFor();
      assert.equal(await page.locator('img[src="x"]').count(), 0, 'a name is text');
      await page.getByRole('button', { name: 'Role in a cluster' }).click();
      const grant = page.getByRole('dialog');
      await grant.getByRole('combobox').nth(0).selectOption({ label: 'lab' });
      await grant.getByRole('combobox').nth(1).selectOption({ label: 'Cluster Owner' });
      await window.picture('grant');
      assert.deepEqual(await window.barriers(), []);
      await page.getByRole('button', { name: 'Give' }).click();
      const given = page.getByRole('row').filter({ hasText: 'cluster-owner' });
      await given.waitFor();
      await page.getByRole('button', { name: 'Ask' }).click();
      await page.getByRole('status').getByText('No', { exact: true }).waitFor();
      await page.getByText('get pods in all namespaces of the hub').waitFor();
      await given.getByRole('button', { name: /^Take away/ }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Take away' }).click();
      await given.waitFor({ state: 'detached' });

      // From where the cluster is, too; the palette finds who was added.
      await page.goto(rig.url('/clusters/lab/access'));
      await page.getByRole('button', { name: 'Add a member' }).click();
      await grant.getByLabel('Who').selectOption({ label: nasty });
      await grant.getByLabel('Role').selectOption({ label: 'Cluster Member' });
      await page.getByRole('button', { name: 'Give' }).click();
      await page.getByRole('row').filter({ hasText: 'cluster-member' }).waitFor();
      await window.picture('access');
      assert.deepEqual(await window.barriers(), []);
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox', { name: /^Screen, cluster/ }).fill(nasty);
      await page.getByRole('option', { name: nasty }).click();
      await page.getByRole('heading', { name: nasty, level: 1 }).waitFor();

      // A group of a provider, which nobody has been seen in yet.
      const group = 'genericoidc_group://ops team';
      await page.goto(rig.url('/people/groups'));
      await page.getByRole('button', { name: 'Role in the hub' }).click();
      await grant.getByLabel('Who').selectOption({ label: '… another group' });
      await grant.getByLabel('Group, as its provider names it').fill(group);
      await grant.getByLabel('Role').selectOption('clusters-create');
      await page.getByRole('button', { name: 'Give' }).click();
      await page.getByRole('link', { name: group }).click();
      await page.getByRole('row').filter({ hasText: 'clusters-create' }).waitFor();
      await page.getByLabel('Verb').selectOption('create');
      await page.getByLabel('Kind').fill('clusters.management.cattle.io');
      await eventually(
        async () => {
          await page.getByRole('button', { name: 'Ask' }).click();
          await page.getByRole('status').getByText('Yes', { exact: true }).waitFor({ timeout: 2000 });
          return true;
        },
        Boolean,
        patient,
      );
      const question = (await page.locator('.command code').innerText()).replace(/^kubectl /, '');
      await rig.kubectl.expect(question, { says: 'yes' });
      assert.deepEqual(await window.barriers(), []);

      await page.goto(rig.url('/audit?user=admin'));
      await page
        .getByText(/clusterroletemplatebindings\.management\.cattle\.io/)
        .first()
        .waitFor({ timeout: 30_000 });
      await page.getByRole('row').filter({ hasText: 'clusterroletemplatebindings' }).first().dblclick();
      await page.getByRole('dialog').getByText('requestURI').first().waitFor();
      await window.picture('audit-event');
      assert.deepEqual(await window.barriers(), []);
      assert.ok(silences > 2);
      assert.deepEqual(
        window.faults.filter(fault => !fault.includes('503')),
        [],
      );
    });

    test('somebody who may only look sees the machines of the own project, and nothing is on offer', async () => {
      await using window = await rig.open({ as: reader });
      const { page } = window;
      // Tokens: the own ones and no others. A new one is shown once, and is nobody's once it is taken back.
      await page.goto(rig.url('/people'));
      await page.getByRole('row').filter({ hasText: 'This session' }).waitFor();
      assert.equal(await page.getByRole('link', { name: 'Users', exact: true }).count(), 0);
      await page.getByRole('button', { name: 'Make a token' }).click();
      const form = page.getByRole('dialog');
      await form.getByLabel('What for').fill("Rita's robot");
      await form.getByText(`drover token create --description 'Rita'\\''s robot' --ttl 720h`).waitFor();
      await form.getByRole('button', { name: 'Make' }).click();
      await page.getByRole('heading', { name: /^token-\w+ is made$/ }).waitFor();
      const bearer = await form.locator('code').first().innerText();
      await window.picture('token-made');
      assert.deepEqual(await window.barriers(), []);
      await form.getByRole('button', { name: 'I have it' }).click();
      assert.ok(!(await page.content()).includes(bearer), 'it is not shown again');
      const robot = page.getByRole('row').filter({ hasText: "Rita's robot" });
      await robot.getByRole('button', { name: /^Revoke token-/ }).click();
      await form.getByText(`drover token revoke ${bearer.split(':')[0]}`).waitFor();
      assert.deepEqual(await window.barriers(), []);
      await form.getByRole('button', { name: 'Revoke' }).click();
      await robot.waitFor({ state: 'detached' });

      // Rights come to a member with the first who goes there.
      await eventually(
        async () => {
          await page.goto(rig.url('/virtualization/machines'));
          await rowOf(page, 'daisy').waitFor({ timeout: 5000 });
          return true;
        },
        Boolean,
        { timeoutMs: 60_000 },
      );
      await rowOf(page, 'daisy').getByText('Default', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Actions for daisy' }).click();
      await page.getByRole('menuitem', { name: 'Nothing that you may do' }).waitFor();
      assert.equal(await page.getByRole('checkbox').count(), 0, 'nothing can be chosen');
      await page.goto(rig.url('/virtualization/barn/machines/shed/daisy'));
      await page.getByText('Run strategy').waitFor();
      for (const name of ['Screen', 'Serial console']) assert.equal(await page.getByRole('link', { name }).count(), 0);
      for (const name of ['Remove', 'Create']) assert.equal(await page.getByRole('button', { name }).count(), 0);
      await window.picture('reader-machines');
      assert.deepEqual(await window.barriers(), []);
      assert.deepEqual(window.faults, []);
    });
  });

/** A picture of what is not there asks for it first. */
function missedFiles(window: TestWindow): void {
  window.page.on('response', response => {
    if (response.status() === 404 && !response.url().includes('/gone')) window.faults.push(`404 ${response.url()}`);
  });
}
