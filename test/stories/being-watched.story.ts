import assert from 'node:assert/strict';
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { debianPackage } from '../helpers/debian-package.ts';
import { eventually } from '../helpers/eventually.ts';
import { freePort } from '../helpers/free-port.ts';
import { startHub, type Hub } from '../helpers/hub.ts';
import { kubectlFor, type CommandLine } from '../helpers/kubectl.ts';
import { Program } from '../helpers/program.ts';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot } from '../helpers/rig.ts';
import { runCommand } from '../helpers/run-command.ts';

const monitoring = path.join(repositoryRoot, 'monitoring');
const prometheus = debianPackage('prometheus');
const skip = 'missing' in prometheus ? prometheus.missing : (missingRig('kubectl') ?? false);
const program = (name: string) => path.join('root' in prometheus ? prometheus.root : '', 'usr/bin', name);

interface Dashboard {
  panels: { title: string; targets: { expr: string }[] }[];
}
interface Answer {
  status: string;
  data: { result: { metric: Record<string, string>; value: [number, string] }[] };
}

describe('a real Prometheus watches the hub', { skip, timeout: 200_000 }, () => {
  const running = new AsyncDisposableStack();
  const scratch = running.use(scratchDir('watched'));
  let hub: Hub;
  let kubectl: CommandLine;
  let address = '';

  before(async () => {
    hub = running.use(await startHub({ extraArgs: ['--demo'] }));
    kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });
    await kubectl.expect(`apply -f ${monitoring}/access.yaml`);
    writeFileSync(path.join(scratch.dir, 'token'), (await kubectl.expect('create token drover-metrics -n default')).trim());
    copyFileSync(path.join(hub.dir, 'pki/ca.crt'), path.join(scratch.dir, 'ca.crt'));
    copyFileSync(path.join(monitoring, 'alerts.yaml'), path.join(scratch.dir, 'alerts.yaml'));
    // As in the repository, but for the address and for our patience.
    const config = readFileSync(path.join(monitoring, 'prometheus.yaml'), 'utf8');
    const { host } = new URL(hub.server);
    writeFileSync(path.join(scratch.dir, 'prometheus.yaml'), config.replace('127.0.0.1:7443', host).replaceAll('30s', '1s'));
    const listen = `127.0.0.1:${await freePort()}`;
    address = `http://${listen}`;
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
    await watching.waitUntil(async () => (await fetch(`${address}/-/ready`)).ok);
  });
  after(() => running.disposeAsync());

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

  test('promtool finds no fault in the metrics themselves', async () => {
    const input = await kubectl.expect('get --raw /metrics');
    const { stdout, stderr } = await runCommand(program('promtool'), ['check', 'metrics'], { input, timeoutMs: 30_000 });
    // kube-apiserver has these two as well.
    const left = `${stdout}${stderr}`.split('\n').filter(line => line !== '' && !/apiserver_storage_objects|no help text/.test(line));
    assert.deepEqual(left, []);
  });

  test('the hub is scraped, by an account that may do nothing else', async () => {
    const [up] = await has('up{job="drover"} == 1');
    assert.equal(`https://${up!.metric['instance']}`, hub.server);
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
    const named = new Set(questions.flatMap(text => text.match(/\b(?:drover|controller_runtime|workqueue|apiserver|process)_\w+/g) ?? []));
    for (const metric of named) await has(`count(${metric})`);
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

describe('a change can be followed to the members', { skip: missingRig('kubectl') ?? false, timeout: 120_000 }, () => {
  test('one trace leads from the request by the controllers to what is applied on each member', async () => {
    await using running = new AsyncDisposableStack();
    const scratch = running.use(scratchDir('traced'));
    const spans: SentSpan[] = [];
    const collector = createServer((req, res) => {
      const parts: Buffer[] = [];
      req.on('data', (part: Buffer) => parts.push(part));
      req.on('end', () => {
        const { resourceSpans } = JSON.parse(Buffer.concat(parts).toString()) as SentSpans;
        for (const { scopeSpans } of resourceSpans) spans.push(...scopeSpans.flatMap(scope => scope.spans));
        res.end('{}');
      });
    });
    await new Promise<void>(done => collector.listen(0, '127.0.0.1', done));
    running.defer(() => void collector.close());
    const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
    const hub = running.use(await startHub({ extraArgs: ['--demo'], env: { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } }));
    await eventually(
      () => readFileSync(hub.program.logFile, 'utf8'),
      text => text.includes('Ctrl-C'),
      { timeoutMs: 60_000 },
    );
    const kubectl = kubectlFor('kubectl', { kubeconfig: hub.kubeconfig, dir: scratch.dir });

    const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
    const service = JSON.parse(await kubectl.expect('get mcs web -o json')) as {
      spec: { serviceSpec: { services: { values: string }[] } };
    };
    service.spec.serviceSpec.services[0]!.values = 'greeting: Good evening\n';
    const answer = await hub.request('PUT', '/apis/k0rdent.mirantis.com/v1beta1/multiclusterservices/web', service, {
      traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
    });
    assert.equal(answer.code, 200, answer.text);

    const ofTrace = () => spans.filter(span => span.traceId === traceId);
    const clustersOf = (found: readonly SentSpan[]) =>
      new Set(found.filter(({ name }) => name === 'apply to member').map(span => attribute(span, 'cluster')));
    const found = await eventually(ofTrace, all => clustersOf(all).size === 2 && all.some(one => one.kind === 2), {
      timeoutMs: 60_000,
      what: 'spans of both members',
    });
    assert.deepEqual([...clustersOf(found)].sort(), ['east', 'west']);
    const request = found.find(({ kind }) => kind === 2)!;
    assert.equal(request.name, 'PUT k0rdent.mirantis.com/v1beta1 multiclusterservices');
    assert.equal(request.parentSpanId, '00f067aa0ba902b7');
    for (const leaf of found.filter(({ name }) => name === 'apply to member')) {
      const way = wayUp(leaf, ofTrace());
      assert.equal(way.at(-1), request.name, way.join(' < '));
      assert.ok(
        way.some(name => name.startsWith('reconcile ')),
        way.join(' < '),
      );
    }
  });
});

interface SentSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly attributes: readonly { key: string; value: { stringValue?: string } }[];
}
interface SentSpans {
  readonly resourceSpans: readonly { scopeSpans: readonly { spans: readonly SentSpan[] }[] }[];
}

const attribute = ({ attributes }: SentSpan, name: string) => attributes.find(({ key }) => key === name)?.value.stringValue;

function wayUp(span: SentSpan, all: readonly SentSpan[]): string[] {
  const above = all.find(one => one.spanId === span.parentSpanId);
  return [span.name, ...(above ? wayUp(above, all) : [])];
}
