import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { scratchDir } from '../helpers/real-cluster.ts';
import { missingRig, repositoryRoot, rigProgramPath } from '../helpers/rig.ts';
import { runCommand, type CommandResult } from '../helpers/run-command.ts';

const files: Readonly<Record<string, string>> = {
  'Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.2.3\nappVersion: "4.5"\ntype: application\n',
  'values.yaml': 'replicas: 1\nname: front\nlabels: {tier: web}\nlist: [a]\nhook: true\n',
  'values.schema.json': JSON.stringify({ properties: { replicas: { type: 'integer', maximum: 1000 } } }),
  'crds/things.yaml': 'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: things.example.com\n',
  'templates/_names.tpl': '{{- define "shop.name" -}}{{ .Release.Name }}-{{ .Values.name | trunc 10 }}{{- end }}\n',
  'templates/deployment.yaml': `apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ include "shop.name" . }}
  namespace: {{ .Release.Namespace }}
  labels: {{- toYaml .Values.labels | nindent 4 }}
  annotations:
    first: {{ .Release.IsInstall | quote }}
    kubernetes: {{ .Capabilities.KubeVersion.Version }}
    has: {{ .Capabilities.APIVersions.Has "example.com/v1/Thing" | quote }}
    types: {{ printf "%T %T %v" .Values.replicas .Values.name .Values.list | quote }}
spec:
  replicas: {{ .Values.replicas }}
`,
  'templates/service.yaml': 'apiVersion: v1\nkind: Service\nmetadata:\n  name: {{ required "a name, please" .Values.name }}\n',
  'templates/hook.yaml': `{{- if .Values.hook }}
apiVersion: batch/v1
kind: Job
metadata:
  name: before
  annotations:
    helm.sh/hook: pre-install,test
{{- end }}
`,
  'templates/NOTES.txt': 'Thank you.\n',
};

describe('drover template says what helm template says', { skip: missingRig('helm') ?? false, timeout: 120_000 }, () => {
  const scratch = scratchDir('template');
  const chart = path.join(scratch.dir, 'shop');

  before(() => {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(chart, name)), { recursive: true });
      writeFileSync(path.join(chart, name), text);
    }
    writeFileSync(path.join(scratch.dir, 'more.yaml'), 'name: back\nlabels:\n  tier: null\n  zone: "1"\nlist: [b, 2]\n');
    writeFileSync(path.join(scratch.dir, 'broken.yaml'), 'a: [b\n');
  });
  after(() => scratch[Symbol.dispose]());

  const run = (program: string, args: readonly string[]): Promise<CommandResult> =>
    runCommand(program, args, { cwd: scratch.dir, env: { HOME: scratch.dir, KUBECONFIG: '' }, timeoutMs: 30_000 });

  async function compare(args: readonly string[]): Promise<CommandResult> {
    const node = path.join(repositoryRoot, 'node_modules/.bin/node');
    const theirs = await run(rigProgramPath('helm'), ['template', ...args]);
    const ours = await run(node, [path.join(repositoryRoot, 'bin/drover.js'), 'template', ...args]);
    const withoutLog = theirs.stderr.replaceAll(/^level=.*\n/gm, '');
    assert.deepEqual(ours, { ...theirs, stderr: withoutLog }, args.join(' '));
    return ours;
  }

  const accepted: readonly (readonly string[])[] = [
    ['r', 'shop'],
    ['./shop'],
    ['r', 'shop', '-n', 'elsewhere', '--include-crds', '--no-hooks', '--is-upgrade'],
    ['r', 'shop', '-f', 'more.yaml', '--set', 'replicas=3,list[0]=x,labels.new=yes', '--set-string', 'name=007'],
    ['r', 'shop', '--set', 'labels.a\\.b=c\\,d,list={p,q}', '--skip-tests'],
    ['r', 'shop', '--set-file', 'labels.text=more.yaml'],
    ['r', 'shop', '--api-versions', 'example.com/v1/Thing', '--kube-version', '1.30.1'],
    ['r', 'shop', '-s', 'templates/service.yaml', '-s', 'templates/h*.yaml'],
    ['r', 'shop', '--set-json', 'labels={"a":[1,2.5,null],"b":{"c":"d"}}, replicas=4 ,list[0]={"x":1}'],
    ['r', 'shop', '--set-json', '{"name": "json", "labels": {"k": "v"}}', '--set-json', 'labels.empty='],
    ['r', 'shop', '--set-literal', 'labels.text=a,b={c}[0]\\.d=e', '--set-literal', 'list[1]=x,y'],
    ['shop', '--name-template', 'web-{{ "ABC" | lower }}-{{ add 1 2 }}'],
    ['shop', '--generate-name'],
    ['r', 'shop', '--output-dir', 'out'],
    ['r', 'shop', '--output-dir', 'out', '--release-name', '--include-crds', '--no-hooks'],
    ['r', 'shop', '--set', 'replicas=many', '--skip-schema-validation'],
  ];
  for (const args of accepted) {
    test(args.join(' '), async () => assert.equal((await compare(args)).code, 0));
  }

  const refused: readonly (readonly string[])[] = [
    ['Not_A_Name', 'shop'],
    ['r', './nowhere'],
    ['r', 'shop', '-f', 'nowhere.yaml'],
    ['r', 'shop', '-f', 'broken.yaml'],
    ['r', 'shop', '--set-file', 'name=nowhere.txt'],
    ['r', 'shop', '--set', 'name=a,name.b=c'],
    ['r', 'shop', '--set', 'replicas=many'],
    ['r', 'shop', '--set', 'replicas=2000'],
    ['r', 'shop', '--set', 'name='],
    ['r', 'shop', '--kube-version', 'new'],
    ['r', 'shop', '-s', 'templates/nowhere.yaml'],
    ['r', 'shop', '--generate-name'],
    ['r', 'shop', '--name-template', 'x'],
    ['shop', '--name-template', '{{ nofunc }}'],
    ['shop', '--name-template', '{{ .x.y | upper }}'],
    ['r', 'shop', '--set-json', 'labels={"a"'],
    ['r', 'shop', '--set-json', '{"name"'],
    ['r', 'shop', '--set-json', 'name'],
    ['r', 'shop', '--set-literal', 'name'],
    ['r', 'shop', '--set-literal', 'name.x=1'],
    ['r', 'shop', '--set', 'name=', '--debug'],
  ];
  for (const args of refused) {
    test(`${args.join(' ')} is refused`, async () => assert.equal((await compare(args)).code, 1));
  }

  test('files are written as Helm writes them', async () => {
    const written = async (program: string, args: readonly string[], folder: string): Promise<Record<string, string>> => {
      await run(program, [...args, 'template', 'r', 'shop', '--include-crds', '--output-dir', folder]);
      const root = path.join(scratch.dir, folder);
      const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(name => /\.\w+$/.test(name));
      return Object.fromEntries(names.sort().map(name => [name, readFileSync(path.join(root, name), 'utf8')]));
    };
    const theirs = await written(rigProgramPath('helm'), [], 'theirs');
    const ours = await written(path.join(repositoryRoot, 'node_modules/.bin/node'), [path.join(repositoryRoot, 'bin/drover.js')], 'ours');
    assert.deepEqual(ours, theirs);
    assert.ok(Object.keys(ours).length > 3);
  });

  const unavailable: readonly (readonly [readonly string[], RegExp])[] = [
    [['r', 'shop', '--dependency-update'], /run "helm dependency build" before/],
    [['r', 'shop', '--post-renderer', 'x'], /pass the output through the program/],
    [['r', 'shop', '-f', 'https://user:secret@example.com/values.yaml'], /download https:\/\/example\.com\/values\.yaml first/],
  ];
  for (const [args, words] of unavailable) {
    test(`${args.join(' ')} is refused with a way out`, async () => {
      const { code, stderr } = await run(path.join(repositoryRoot, 'node_modules/.bin/node'), [
        path.join(repositoryRoot, 'bin/drover.js'),
        'template',
        ...args,
      ]);
      assert.equal(code, 1);
      assert.match(stderr, words);
    });
  }

  test('with --debug, what is no YAML is printed all the same', async () => {
    const { code, stdout, stderr } = await compareBroken();
    assert.equal(code, 1);
    assert.match(stdout, /kind: \[broken/);
    assert.doesNotMatch(stderr, /Use --debug/);
  });

  async function compareBroken(): Promise<CommandResult> {
    for (const [name, text] of Object.entries({ 'Chart.yaml': files['Chart.yaml']!, 'templates/x.yaml': 'kind: [broken\n' })) {
      const file = path.join(scratch.dir, 'broken', name);
      mkdirSync(path.dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
    return compare(['r', 'broken', '--debug']);
  }
});
