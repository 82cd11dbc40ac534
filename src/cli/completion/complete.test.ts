import assert from 'node:assert/strict';
import { test } from 'node:test';
import { processTerminal } from '../terminal.ts';
import { wholeProgram } from '../main.ts';
import { complete, directives, type LiveNames } from './complete.ts';

const names = (...values: string[]) => Promise.resolve(values.map(value => ({ value })));
const live: LiveNames = {
  clusters: () => names('east', 'west'),
  namespaces: () => names('default', 'shop'),
  types: () => names('clusters', 'configmaps', 'pods'),
  objects: type => (type.startsWith('cluster') ? names('east', 'west') : names('web-1', 'web-2')),
  fields: of => (of === 'pods' ? names('metadata', 'spec') : of === 'pods.spec' ? names('containers') : names()),
  works: () => names('base', 'web'),
  owners: type => (type === 'mcs' ? names('global-ingress', 'monitoring') : names('dev-cluster-1')),
  delivery: what => names(...{ workflows: ['shop'], pipelines: ['all'], runs: ['shop-x7k2p'], approvals: ['shop-x7k2p-1'] }[what]),
};
const program = await wholeProgram(processTerminal());

async function completed(...words: string[]): Promise<string[]> {
  return (await complete(program, words, live)).candidates.map(({ value }) => value);
}

test('commands are completed, and those for programs are not shown', async () => {
  assert.deepEqual(await completed('ge'), ['get']);
  const all = await completed('');
  assert.ok(all.includes('get') && all.includes('up') && !all.includes('__complete'), all.join(' '));
});

test('types, then names of that type that are not there yet', async () => {
  assert.deepEqual(await completed('get', 'c'), ['clusters', 'configmaps']);
  assert.deepEqual(await completed('get', 'pods,c'), ['pods,clusters', 'pods,configmaps']);
  assert.deepEqual(await completed('get', 'clusters', ''), ['east', 'west']);
  assert.deepEqual(await completed('get', 'clusters', 'east', ''), ['west']);
  assert.deepEqual(await completed('get', 'clusters/w'), ['clusters/west']);
});

test('options, their choices, and the names that they take', async () => {
  assert.deepEqual(await completed('get', '--all-'), ['--all-namespaces', '--all-clusters']);
  assert.deepEqual(await completed('get', 'pods', '-n', ''), ['default', 'shop']);
  assert.deepEqual(await completed('get', 'pods', '--namespace=s'), ['--namespace=shop']);
  assert.deepEqual(await completed('get', 'pods', '-C', 'east,w'), ['east,west']);
  assert.deepEqual(await completed('get', '-o', 'custom-columns'), ['custom-columns=', 'custom-columns-file=']);
  assert.deepEqual(await completed('get', '--color', ''), ['auto', 'always', 'never']);
  assert.deepEqual(await completed('completion', 'f'), ['fish']);
});

test('kinds and their fields are completed behind explain', async () => {
  assert.deepEqual(await completed('explain', 'po'), ['pods']);
  assert.deepEqual(await completed('explain', 'pods.s'), ['pods.spec']);
  assert.deepEqual(await completed('explain', 'pods.spec.'), ['pods.spec.containers']);
  assert.deepEqual(await completed('explain', 'mcs/g'), ['mcs/global-ingress']);
});

test('an option with a value does not hide what follows it', async () => {
  assert.deepEqual(await completed('get', '-n', 'shop', 'pods', ''), ['web-1', 'web-2']);
  assert.deepEqual(await completed('get', '--watch', 'po'), ['pods']);
});

test('members are completed where a member is meant', async () => {
  for (const command of ['kubeconfig', 'kubectl']) assert.deepEqual(await completed(command, 'e'), ['east'], command);
});

test('Works are completed where a Work is meant, in one word or two', async () => {
  for (const command of ['explain', 'diff', 'history', 'rollback'])
    assert.deepEqual(await completed(command, 'work/w'), ['work/web'], command);
  assert.deepEqual(await completed('explain', 'work', ''), ['base', 'web']);
  assert.deepEqual(await completed('rollback', 'work/web', ''), []);
  assert.deepEqual(await completed('get', 'works', '-C', 'east', 'b'), ['base']);
});

test('owners of services are completed where one may be meant, in one word or two', async () => {
  for (const command of ['explain', 'diff']) {
    assert.deepEqual(await completed(command, 'mcs/g'), ['mcs/global-ingress'], command);
    assert.deepEqual(await completed(command, 'mcs', ''), ['global-ingress', 'monitoring'], command);
    assert.deepEqual(await completed(command, '--cluster', 'east', 'cld/'), ['cld/dev-cluster-1'], command);
    const kinds = command === 'explain' ? ['clusters', 'configmaps', 'pods'] : [];
    assert.deepEqual(await completed(command, ''), ['work/base', 'work/web', 'mcs/', 'nmcs/', 'cld/', 'serviceset/', ...kinds], command);
    assert.deepEqual(await completed(command, 'mcs/global-ingress', ''), [], command);
    assert.deepEqual(await completed(command, 'pods/'), [], command);
  }
  assert.deepEqual(await completed('history', 'mcs/'), []);
  assert.equal((await complete(program, ['explain', 'mc'], live)).directive, directives.noFiles | directives.noSpace);
});

test('workflows, runs and what waits for somebody are completed where they are meant', async () => {
  assert.deepEqual(await completed('run', ''), ['shop', 'pipeline/']);
  assert.deepEqual(await completed('run', 'pipeline/'), ['pipeline/all']);
  for (const command of ['logs', 'pause', 'resume', 'abort']) assert.deepEqual(await completed(command, 'r'), ['run/shop-x7k2p'], command);
  for (const command of ['approve', 'reject']) assert.deepEqual(await completed(command, ''), ['shop-x7k2p-1'], command);
  assert.deepEqual(await completed('rollback', 'run/'), ['run/shop-x7k2p']);
  assert.deepEqual(await completed('rollback', ''), ['work/base', 'work/web', 'run/']);
  assert.deepEqual(await completed('approve', '--decision', 'Re'), ['Reject', 'RejectAndRollback', 'Retry']);
});

const directiveOf = async (...words: string[]) => (await complete(program, words, live)).directive;

test('files are left to the shell, nothing else is', async () => {
  assert.equal(await directiveOf('get', '--hub', ''), directives.files);
  assert.equal(await directiveOf('get', 'nothing-like-it'), directives.noFiles);
  assert.equal(await directiveOf('get', '-o', 'jsonpath-file'), directives.noFiles | directives.noSpace);
  assert.equal(await directiveOf('kubectl', 'east', '--', 'apply', '-f', ''), directives.files);
});

test('no words crash it', async () => {
  for (const words of [[], ['-'], ['--'], ['nonsense', ''], ['get', '--nonsense', ''], ['get', '--nonsense='], ['get', '-o']])
    await completed(...words);
});

test('options that name files say so by what they are called, whatever the option is', async () => {
  for (const words of [
    ['login', '-o'],
    ['login', '--ca-file'],
    ['kubeconfig', 'east', '-o'],
    ['get', '-f'],
    ['up', '--data'],
  ])
    assert.equal(await directiveOf(...words, ''), directives.files, words.join(' '));
  assert.deepEqual(await completed('get', '-o', 'wi'), ['wide']);
});
