import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { debianPackage } from '../helpers/debian-package.ts';
import { hubKindsByTime, startEitherHub, type EitherHub, type HubKind } from '../helpers/either-hub.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { HttpTarget, readKubeconfig } from '../helpers/http-target.ts';
import { startHub } from '../helpers/hub.ts';
import { addTunnelCluster, startAgentProgram } from '../helpers/imported-member.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';
import { attribute, startTraceCollector, wayUp, type SentSpan, type TraceCollector } from '../helpers/trace-collector.ts';

const monitoring = path.join(repositoryRoot, 'monitoring');
const prometheus = debianPackage('prometheus');
const withoutPrometheus = 'missing' in prometheus ? prometheus.missing : false;
const program = (name: string) => path.join('root' in prometheus ? prometheus.root : '', 'usr/bin', name);

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}
interface Answer {
  status: string;
  data: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

for (const kind of hubKindsByTime)
  describe(`a hub is watched, hub: ${kind}`, { skip: missingRig('etcd', 'kube-apiserver', 'kubectl') ?? false, timeout: 240_000 }, () =>
    watched(kind),
  );

function watched(kind: HubKind): void {
  const running = new AsyncDisposableStack();
  const scratch = running.use(scratchDir('watched'));
  let hub: EitherHub;
  let kubectl: CommandLine;
  let traces: TraceCollector;
  let token = '';
  let address = '';

  before(async () => {
    traces = running.use(await startTraceCollector());
    hub = running.use(await startEitherHub(kind, undefined, ['--demo'], { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint }));
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    await kubectl.expect(`apply -f ${monitoring}/access.yaml`);
    token = (await kubectl.expect('create token drover-metrics -n default')).trim();
    if (withoutPrometheus === false) address = await startPrometheus();
    await eventually(
      () => readFileSync(hub.program.logFile, 'utf8'),
      text => text.includes('Ctrl-C'),
      { timeoutMs: 60_000 },
    );
  });
  after(() => running.disposeAsync());

  async function startPrometheus(): Promise<string> {
    writeFileSync(path.join(scratch.dir, 'token'), token);
    copyFileSync(hub.authorities, path.join(scratch.dir, 'ca.crt'));
    copyFileSync(path.join(monitoring, 'alerts.yaml'), path.join(scratch.dir, 'alerts.yaml'));
    // As in the repository, but for the address and for our patience.
    const config = readFileSync(path.join(monitoring, 'prometheus.yaml'), 'utf8');
    const { host } = new URL(hub.gateway);
    writeFileSync(path.join(scratch.dir, 'prometheus.yaml'), config.replace('127.0.0.1:7443', host).replaceAll('30s', '1s'));
    const listen = `127.0.0.1:${await freePort()}`;
    const watching = running.use(
      new Program({
        name: 'prometheus',
        command: program('prometheus'),
        args: [
          `--config.file=${scratch.dir}/prometheus.yaml`,
          `--storage.tsdb.path=${scratch.dir}/data`,
          `--web.listen-address=${listen}`,
          `--web.console.templates=${scratch.dir}`,
          `--web.console.libraries=${scratch.dir}`,
        ],
        logFile: path.join(scratch.dir, 'prometheus.log'),
      }),
    );
    await watching.waitUntil(async () => (await fetch(`http://${listen}/-/ready`)).ok);
    return `http://${listen}`;
  }

  async function ask(query: string): Promise<Answer['data']['result']> {
    const res = await fetch(`${address}/api/v1/query?query=${encodeURIComponent(query)}`);
    const answer = (await res.json()) as Answer;
    assert.equal(answer.status, 'success', `${query}: ${JSON.stringify(answer)}`);
    return answer.data.result;
  }
  const has = (query: string) =>
    eventually(
      () => ask(query),
      found => found.length > 0,
      { timeoutMs: 60_000, what: query },
    );
  const authorities = () => readFileSync(hub.authorities, 'utf8');
  /** As an administrator, through the gateway: the way of the page, on both kinds of hub. */
  const throughGateway = async (method: string, urlPath: string, body: object, headers: Record<string, string>) => {
    const target = new HttpTarget({ ...readKubeconfig(hub.memberKubeconfig('local')), server: hub.gateway });
    return target.request(method, `/k8s/clusters/local${urlPath}`, body, headers).finally(() => target.close());
  };

  describe('by a real Prometheus', { skip: withoutPrometheus }, () => {
    test('promtool finds no fault in rules and settings, and the rules say what they should', async () => {
      for (const args of [
        ['check', 'rules', `${monitoring}/alerts.yaml`],
        ['check', 'config', `${scratch.dir}/prometheus.yaml`],
        ['test', 'rules', `${monitoring}/alerts.test.yaml`],
      ]) {
        const { code, stdout, stderr } = await runCommand(program('promtool'), args, { timeoutMs: 30_000 });
        assert.equal(code, 0, `${args.join(' ')}: ${stdout}${stderr}`);
      }
    });

    test('each rule is tested both quiet and firing', () => {
      const rules = readFileSync(path.join(monitoring, 'alerts.yaml'), 'utf8').match(/(?<=- alert: )\w+/g) ?? [];
      const tests = readFileSync(path.join(monitoring, 'alerts.test.yaml'), 'utf8');
      assert.ok(rules.length > 5);
      for (const rule of rules) assert.match(tests, new RegExp(`alertname: ${rule}\\n +exp_alerts:`), rule);
    });

    test('promtool finds no fault in the metrics themselves', async () => {
      const target = new HttpTarget({ server: hub.gateway, ca: authorities() });
      const { text: input } = await target
        .request('GET', '/metrics', undefined, { authorization: `Bearer ${token}` })
        .finally(() => target.close());
      assert.match(input, /^drover_cluster_ready/m);
      const { stdout, stderr } = await runCommand(program('promtool'), ['check', 'metrics'], { input, timeoutMs: 30_000 });
      // kube-apiserver has these two as well.
      const left = `${stdout}${stderr}`.split('\n').filter(line => line !== '' && !/apiserver_storage_objects|no help text/.test(line));
      assert.deepEqual(left, []);
    });

    test('the hub is scraped, by an account that may do nothing else', async () => {
      const [up] = await has('up{job="drover"} == 1');
      assert.equal(`https://${up!.metric['instance']}`, hub.gateway);
      await kubectl.expect('auth can-i list clusters.drover.io --as system:serviceaccount:default:drover-metrics', { code: 1, says: 'no' });
      const ready = await eventually(
        () => ask('drover_cluster_ready == 1'),
        found => found.length === 3,
        { timeoutMs: 60_000 },
      );
      assert.deepEqual(ready.map(({ metric }) => metric['cluster']).sort(), ['east', 'lab', 'west']);
      await has('drover_works{ready="True",reason="Healthy"} == 2');
    });

    test('every question of the dashboard is understood, and every metric that it or a rule names is there', async () => {
      const dashboard = JSON.parse(readFileSync(path.join(monitoring, 'grafana-dashboard.json'), 'utf8')) as Dashboard;
      const rules = (await (await fetch(`${address}/api/v1/rules`)).json()) as { data: { groups: { rules: { query: string }[] }[] } };
      const questions = [
        ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
        ...rules.data.groups.flatMap(group => group.rules.map(({ query }) => query)),
      ];
      assert.ok(questions.length > 20, 'both were read');
      for (const question of questions) await ask(question);
      // Panels that show trouble are empty while there is none; all others have something to draw.
      const panels = dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
      const always = panels.filter(expr => !/(?:> 0|== 0)$/.test(expr) && (kind === 'embedded' || !expr.includes('apiserver_')));
      assert.ok(always.length > (kind === 'embedded' ? 10 : 6), 'most panels');
      for (const expr of always) await has(expr);
      const named = new Set(
        questions.flatMap(text => text.match(/\b(?:drover|controller_runtime|workqueue|apiserver|process)_\w+/g) ?? []),
      );
      // A real API server has these itself.
      const elsewhere = kind === 'embedded' ? /^$/ : /^(?:apiserver|drover_store)_/;
      for (const metric of named) if (!elsewhere.test(metric)) await has(`count(${metric})`);
    });

    test('a member that is lost is told by an alert that waits', async () => {
      await kubectl.expect('create -f -', {
        input: JSON.stringify({
          apiVersion: 'drover.io/v1alpha1',
          kind: 'Cluster',
          metadata: { name: 'gone' },
          spec: { connection: { mode: 'Tunnel' } },
        }),
      });
      const [alert] = await has('ALERTS{alertname="DroverClusterNotReady",cluster="gone"}');
      assert.equal(alert!.metric['alertstate'], 'pending');
    });
  });

  const parent = '00f067aa0ba902b7';
  const spansOf = (traceId: string) => traces.spans.filter(span => span.traceId === traceId);
  const applied = (spans: readonly SentSpan[]) => spans.filter(({ name }) => name === 'apply to member');

  test('one trace leads from a request by the controllers to what is applied on each member', async () => {
    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const service = JSON.parse(await kubectl.expect('get mcs web -o json')) as {
      spec: { serviceSpec: { services: { values: string }[] } };
    };
    service.spec.serviceSpec.services[0]!.values = 'greeting: Good evening\n';
    const answer = await throughGateway('PUT', '/apis/k0rdent.mirantis.com/v1beta1/multiclusterservices/web', service, {
      traceparent: `00-${traceId}-${parent}-01`,
    });
    assert.equal(answer.code, 200, answer.text);

    const clustersOf = (spans: readonly SentSpan[]) => [...new Set(applied(spans).map(span => attribute(span, 'cluster')))].sort();
    const isWhole = (all: readonly SentSpan[]) => all.some(({ kind: one }) => one === 2) && applied(all).every(leaf => isRooted(leaf, all));
    const found = await eventually(
      () => spansOf(traceId),
      all => clustersOf(all).join() === 'east,west' && isWhole(all),
      { timeoutMs: 60_000, what: 'spans of both members' },
    );
    const request = found.find(({ parentSpanId }) => parentSpanId === parent)!;
    assert.match(request.name, /^PUT /);
    for (const leaf of applied(found)) {
      const way = wayUp(leaf, found);
      assert.ok(
        way.some(name => name.startsWith('reconcile ')),
        way.join(' < '),
      );
    }
  });

  /** Whether its way up ends at the request. */
  const isRooted = (leaf: SentSpan, all: readonly SentSpan[]) => /^(?:PUT|POST) /.test(wayUp(leaf, all).at(-1)!);

  test('it goes on through an agent, which is another process', async () => {
    await using far = new AsyncDisposableStack();
    const member = far.use(await startHub({ extraArgs: ['--api-only'] }));
    const api = new HttpTarget(readKubeconfig(hub.kubeconfig));
    far.defer(() => api.close());
    const { id, token: registration } = await addTunnelCluster(api, 'far');
    const dir = path.join(scratch.dir, 'far');
    mkdirSync(dir);
    const checksum = createHash('sha256').update(`${authorities().trimEnd()}\n`).digest('hex');
    far.use(
      startAgentProgram({
        server: hub.gateway,
        checksum,
        kubeconfig: member.kubeconfig,
        token: registration,
        dir,
        env: { OTEL_EXPORTER_OTLP_ENDPOINT: traces.endpoint },
      }),
    );
    await kubectl.expect('wait cluster.drover.io/far --for=condition=Ready --timeout=60s');

    const traceId = '0af7651916cd43dd8448eb211c80319c';
    const greeting = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'hello', namespace: 'default' }, data: { a: 'b' } };
    const work = {
      apiVersion: 'drover.io/v1alpha1',
      kind: 'Work',
      metadata: { name: 'hello', namespace: id },
      spec: { release: { name: 'hello', namespace: 'default' }, manifests: [greeting] },
    };
    const answer = await throughGateway('POST', `/apis/drover.io/v1alpha1/namespaces/${id}/works`, work, {
      traceparent: `00-${traceId}-${parent}-01`,
    });
    assert.equal(answer.code, 201, answer.text);

    const found = await eventually(
      () => spansOf(traceId),
      all => applied(all).some(leaf => isRooted(leaf, all)),
      { timeoutMs: 60_000, what: 'the step of the agent' },
    );
    const [leaf] = applied(found);
    assert.equal(leaf!.service, 'drover-agent');
    const way = wayUp(leaf!, found);
    assert.deepEqual(way.slice(0, 2), ['apply to member', 'reconcile work']);
    assert.match(way.at(-1)!, /^POST /);
    assert.equal(found.find(({ parentSpanId }) => parentSpanId === parent)?.service, 'drover');
  });
}
