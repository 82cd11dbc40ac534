import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';
import { packChart } from '../../test/charts/pack-chart.ts';
import { writeArchive } from './write-archive.ts';
import { createRenderPool, RenderError, type RenderJob, type RenderPool } from './render-pool.ts';

let next = 0;

/** A job for a chart with one template. */
function jobOf(template: string, more: Partial<RenderJob> & { files?: Record<string, string> } = {}): RenderJob {
  const { files, ...rest } = more;
  return {
    chart: packChart({ 'values.yaml': 'a: 1\n', ...files, 'templates/x.yaml': template }),
    digest: `chart-${next++}`,
    values: {},
    release: { name: 'r', namespace: 'n' },
    ...rest,
  };
}

const configMap = (name: string): string => `kind: ConfigMap\nmetadata:\n  name: ${name}\n`;

describe('a render pool', () => {
  let pool: RenderPool;
  before(() => {
    pool = createRenderPool({ timeoutMs: 10_000, lookupTimeoutMs: 10_000 });
  });
  after(() => pool[Symbol.asyncDispose]());

  test('gives what a release record needs', async () => {
    const job = jobOf(configMap('{{ .Release.Name }}-{{ .Values.a }}'), {
      values: { a: 'b' },
      files: {
        'README.md': 'hi',
        'templates/NOTES.txt': 'thanks',
        'templates/h.yaml': 'kind: Job\nmetadata: {name: h, annotations: {helm.sh/hook: pre-install}}',
      },
    });
    const rendered = await pool.render(job);
    assert.equal(rendered.manifest, '---\n# Source: c/templates/x.yaml\nkind: ConfigMap\nmetadata:\n  name: r-b\n\n');
    assert.deepEqual(
      rendered.hooks.map(hook => hook.name),
      ['h'],
    );
    assert.equal(rendered.notes, 'thanks');
    const chart = JSON.parse(rendered.chart.json()) as Record<string, unknown>;
    assert.deepEqual(chart['metadata'], { apiVersion: 'v2', name: 'c', version: '1.0.0' });
    assert.deepEqual(chart['values'], { a: 1 });
    assert.deepEqual(chart['files'], [{ name: 'README.md', data: 'aGk=' }]);
    assert.equal((chart['templates'] as unknown[]).length, 3);
  });

  test('renders equal inputs once, and others anew', async () => {
    const job = jobOf(configMap('{{ .Values.a }}'));
    const first = await pool.render(job);
    assert.equal(await pool.render({ ...job }), first);
    assert.notEqual(await pool.render({ ...job, values: { a: 2 } }), first);
    const [one, two] = await Promise.all([pool.render({ ...job, values: { a: 3 } }), pool.render({ ...job, values: { a: 3 } })]);
    assert.equal(one, two);
  });

  test('does not share what chance or the member gave', async () => {
    const random = jobOf(configMap('n{{ randAlphaNum 30 | lower }}'));
    assert.notEqual((await pool.render(random)).manifest, (await pool.render(random)).manifest);
    let asked = 0;
    const lookup = async (): Promise<{ data: { n: number } }> => ({ data: { n: ++asked } });
    const job = jobOf(configMap('{{ (lookup "v1" "Secret" "n" "s").data.n }}'), { lookup });
    const first = await pool.render(job);
    assert.ok(first.usedLookup);
    assert.match(first.manifest, /name: 1\n/);
    assert.match((await pool.render(job)).manifest, /name: 2\n/);
  });

  test('a lookup that fails is worth another try, a template that fails is not', async () => {
    const broken = new Error('connection refused');
    const lookup = (): Promise<never> => Promise.reject(broken);
    await assert.rejects(pool.render(jobOf('{{ lookup "v1" "Secret" "n" "s" }}', { lookup })), (error: RenderError) => {
      assert.match(error.message, /error calling lookup: connection refused/);
      assert.equal(error.isFinal, false);
      assert.equal(error.cause, broken);
      return true;
    });
    await assert.rejects(pool.render(jobOf('{{ fail "no" }}')), (error: RenderError) => {
      assert.equal(error.message, 'execution error at (c/templates/x.yaml:1:3): no');
      return error.isFinal;
    });
  });

  test('stops when it is told to', async () => {
    const { promise: asked, resolve } = Promise.withResolvers<void>();
    const lookup = (): Promise<never> => {
      resolve();
      return new Promise(() => {});
    };
    const abort = new AbortController();
    const rendering = pool.render(jobOf('{{ lookup "v1" "Secret" "n" "s" }}', { lookup }), abort.signal);
    await asked;
    abort.abort(new Error('enough'));
    await assert.rejects(rendering, /enough/);
    assert.match((await pool.render(jobOf(configMap('still-here')))).manifest, /still-here/);
  });
});

describe('hostile charts cost only themselves', () => {
  const hostile: Readonly<Record<string, RenderJob>> = {
    'endless recursion': jobOf('{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}'),
    'endless inclusion': jobOf('{{ define "a" }}{{ include "a" . }}{{ end }}{{ include "a" . }}'),
    'endless tpl': jobOf('{{ tpl .Values.t . }}', { values: { t: '{{ tpl .Values.t . }}' } }),
    'a long range': jobOf('{{ range until 1000000000 }}x{{ end }}'),
    'a longer range': jobOf('{{ range $i := 1000000000000 }}{{ end }}'),
    'a long sequence': jobOf('{{ seq 1000000000 }}'),
    'a long list': jobOf('{{ $l := list 1 }}{{ range until 100 }}{{ $l = concat $l $l }}{{ end }}'),
    'a long text': jobOf('{{ repeat 1000000000 "x" }}'),
    'a text that doubles': jobOf('{{ $s := "xx" }}{{ range until 100 }}{{ $s = print $s $s }}{{ end }}{{ len $s }}'),
    'a deep indentation': jobOf('{{ indent 100000 (repeat 100000 "\\n") }}'),
    'a wide number': jobOf('{{ range until 100000 }}{{ $x := printf "%1000000d" 1 }}{{ end }}'),
    'a text that is replaced': jobOf('{{ $s := repeat 1000000 "a" }}{{ replace "a" $s $s }}'),
    'a large output': jobOf('{{ range until 100000 }}{{ repeat 10000 "x" }}{{ end }}'),
    'a YAML bomb': jobOf('{{ (fromYaml .Values.bomb).Error | fail }}', { values: { bomb: yamlBomb() } }),
    'a YAML bomb as values': jobOf('x: y', { files: { 'values.yaml': yamlBomb() } }),
    'deep JSON': jobOf('{{ fromJsonArray (printf "%s%s" (repeat 200000 "[") (repeat 200000 "]")) | toYaml | fail }}'),
    'a large expression': jobOf('{{ regexMatch "((((a{900}){900}){900}){900})" (repeat 100000 "a") | fail }}'),
    'a schema that refers to a file': jobOf('x: y', { files: { 'values.schema.json': '{"$ref":"file:///etc/passwd"}' } }),
    'a schema that doubles': jobOf('x: y', { files: { 'values.schema.json': doublingSchema() } }),
    'a schema that refers to itself': jobOf('x: y', { files: { 'values.schema.json': '{"$ref":"#"}' } }),
    'no archive': { ...jobOf(''), chart: Buffer.from('not a chart') },
  };
  let pool: RenderPool;
  before(() => {
    pool = createRenderPool({ timeoutMs: 20_000, heapMb: 256 });
  });
  after(() => pool[Symbol.asyncDispose]());

  for (const [name, job] of Object.entries(hostile)) {
    test(name, async () => {
      const good = jobOf(configMap('unaffected'));
      const [bad, rendered] = await Promise.allSettled([pool.render(job), pool.render(good)]);
      assert.equal(bad.status, 'rejected');
      assert.ok(bad.reason instanceof RenderError, String(bad.reason));
      assert.ok(bad.reason.message.length < 5000, bad.reason.message.slice(0, 500));
      assert.ok(bad.reason.isFinal);
      assert.equal(rendered.status, 'fulfilled');
    });
  }

  test('a kustomization is built there too, once, and what is wrong with it costs only itself', async () => {
    const folder = (files: Record<string, string>) => ({
      archive: writeArchive(Object.entries(files).map(([name, text]) => ({ name, data: Buffer.from(text) }))),
      digest: `folder-${next++}`,
      path: 'app',
    });
    const resource = { 'app/x.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n' };
    const good = folder({ ...resource, 'app/kustomization.yaml': 'namePrefix: my-\nresources: [x.yaml]\n' });
    const bad = folder({ ...resource, 'app/kustomization.yaml': `resources: [x.yaml]\n${yamlBomb()}` });
    const [built, refused] = await Promise.allSettled([pool.build(good), pool.build(bad)]);
    assert.ok(refused.status === 'rejected' && refused.reason instanceof RenderError && refused.reason.isFinal);
    assert.ok(built.status === 'fulfilled');
    assert.match(built.value, /name: my-x/);
    assert.equal(await pool.build(good), built.value);
  });

  test('a template that stands alone is rendered there too, and one that does not end costs only itself', async () => {
    const template = (text: string) => ({ name: 'values', text, dot: { Cluster: { name: 'east' } }, objects: {} });
    const [bad, map, text] = await Promise.allSettled([
      pool.renderMap(template('x: {{ range until 1000000000 }}{{ end }}')),
      pool.renderMap(template('name: {{ .Cluster.name }}')),
      pool.renderText(template('{{ .Cluster.name | upper }}')),
    ]);
    assert.ok(bad.status === 'rejected' && bad.reason instanceof RenderError && bad.reason.isFinal);
    assert.match(bad.reason.message, /values:1:/);
    assert.deepEqual(map, { status: 'fulfilled', value: { name: 'east' } });
    assert.deepEqual(text, { status: 'fulfilled', value: 'EAST' });
  });

  test('equal inputs give the same also where chance goes in', async () => {
    const template = { name: 'values', text: 'x: {{ randAlphaNum 20 }}', dot: {}, objects: {} };
    assert.deepEqual(await pool.renderMap(template), await pool.renderMap({ ...template }));
  });

  test('manifests are patched there too', async () => {
    const documents = ['apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n'];
    const patches = [{ patch: '- { op: add, path: /data, value: { a: b } }', target: { kind: 'ConfigMap' } }];
    const [[patched]] = (await pool.patch({ documents, patches, namespace: 'shop' })) as [[string]];
    assert.match(patched, /data:\n {2}a: b/);
    await assert.rejects(pool.patch({ documents, patches: [{ patch: 'hello' }], namespace: 'shop' }), /patch 1: /);
  });

  test('a chart that takes all time ends, and those that wait for its thread are rendered', async () => {
    await using small = createRenderPool({ size: 1, timeoutMs: 1000 });
    // Time passes where nobody counts steps.
    const slow = jobOf('{{ range until 1000 }}{{ $x := genCA "ca" 1 }}{{ end }}');
    const [bad, ...others] = await Promise.allSettled(
      [slow, jobOf(configMap('one')), jobOf(configMap('two'))].map(job => small.render(job)),
    );
    assert.match(String((bad as PromiseRejectedResult).reason), /longer than 1 s/);
    assert.deepEqual(
      others.map(({ status }) => status),
      ['fulfilled', 'fulfilled'],
    );
  });
});

function yamlBomb(): string {
  const lines = ['a0: &a0 [x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 12; i++) lines.push(`a${i}: &a${i} [${Array.from({ length: 9 }, () => `*a${i - 1}`).join(',')}]`);
  return `${lines.join('\n')}\n`;
}

function doublingSchema(): string {
  const definitions: Record<string, unknown> = { d0: { type: 'string' } };
  for (let i = 1; i < 60; i++) definitions[`d${i}`] = { anyOf: [{ $ref: `#/$defs/d${i - 1}` }, { $ref: `#/$defs/d${i - 1}` }] };
  return JSON.stringify({ $defs: definitions, properties: { a: { $ref: '#/$defs/d59' } } });
}

test('a thread that renders reaches no files, network or processes', async () => {
  const attempts = [
    `fs.readFileSync('/etc/hostname')`,
    `(await import('node:fs')).readFileSync('/etc/hostname')`,
    `await fs.promises.readFile('/etc/hostname')`,
    `fsPromises.readFile('/etc/hostname')`,
    `fs.createWriteStream('/tmp/x')`,
    `net.connect(1)`,
    `http.get('http://127.0.0.1:1')`,
    `await fetch('http://127.0.0.1:1')`,
    `new WebSocket('ws://127.0.0.1:1')`,
    `dns.lookup('localhost', () => {})`,
    `childProcess.spawnSync('true')`,
    `childProcess.execFileSync('true')`,
    `new workerThreads.Worker('', { eval: true })`,
    `process.getBuiltinModule('fs').readFileSync('/etc/hostname')`,
    `process.binding('fs')`,
    `process.dlopen({}, '/x.node')`,
    `createRequire(import.meta.url)('node:child_process').spawnSync('true')`,
    `createRequire(import.meta.url)('/etc/hostname')`,
    `await import('node:os')`,
    `process.kill(process.pid, 0)`,
  ];
  const url = new URL('./refuse-access.ts', import.meta.url).href;
  const code = `
    import fs from 'node:fs'; import fsPromises from 'node:fs/promises'; import net from 'node:net'; import http from 'node:http'; import dns from 'node:dns';
    import childProcess from 'node:child_process'; import workerThreads from 'node:worker_threads'; import { createRequire } from 'node:module';
    import { refuseAccess } from ${JSON.stringify(url)};
    const { parentPort } = workerThreads;
    refuseAccess();
    const open = [];
    ${attempts.map(one => `try { ${one}; open.push(${JSON.stringify(one)}); } catch {}`).join('\n')}
    parentPort.postMessage(open);`;
  const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`));
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  worker.on('message', resolve);
  worker.on('error', reject);
  assert.deepEqual(await promise, []);
  await worker.terminate();
});
