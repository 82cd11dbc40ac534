import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StatusError } from '../api/status.ts';
import { UnreachableError } from '../client/transport.ts';
import { commandTable } from './command-table.ts';
import { CommandError, EndWith, usageError } from './exit-codes.ts';
import { explainError } from './explain-error.ts';
import { movedBehindCommand } from './leading-options.ts';
import { main, wholeProgram } from './main.ts';
import { parseSeconds } from './option-values.ts';
import { wantsColor, type Terminal } from './terminal.ts';

function recording(): Terminal & { readonly said: { out: string; err: string } } {
  const said = { out: '', err: '' };
  return {
    said,
    env: { NO_COLOR: '1' },
    signal: new AbortController().signal,
    isInterrupted: false,
    isErrorTty: false,
    out: text => void (said.out += text),
    err: text => void (said.err += text),
  };
}

test('help shows every command that people use', async () => {
  const terminal = recording();
  assert.equal(await main(['--help'], terminal), 0);
  for (const { name, isHidden } of commandTable) assert.equal(terminal.said.out.includes(`\n  ${name} `), !isHidden, name);
});

test('help of a command goes by both names', async () => {
  const [one, other] = [recording(), recording()];
  assert.equal(await main(['help', 'get'], one), 0);
  assert.equal(await main(['get', '--help'], other), 0);
  assert.equal(one.said.out, other.said.out);
  assert.match(one.said.out, /Usage: drover get/);
});

test('what cannot be understood ends with 2 and says how to go on', async () => {
  for (const args of [['gte'], ['get', '--no-such-option'], ['get'], ['get', 'pods', '--chunk-size', 'x'], ['completion', 'tcsh'], []]) {
    const terminal = recording();
    assert.equal(await main(args, terminal), 2, args.join(' '));
    assert.notEqual(terminal.said.err, '', args.join(' '));
    assert.equal(terminal.said.out, '', args.join(' '));
  }
});

test('a wrong command line is answered with the usage of the command that was meant', async () => {
  const hints = {
    unjoin: /\n {2}usage: drover unjoin \[options\] <cluster>; --help tells more\n$/,
    'sandbox create': /\n {2}usage: drover sandbox create /,
    'get --kubeconfig f': /\n {2}--hub FILE names the kubeconfig of the hub/,
    'label cluster east env=prod': /"kubectl label" does that on the hub, "drover kubectl CLUSTER -- label …" on a member/,
    'get pods -l a=b=c': /It is no query of labels such as app=web .*: found '='/,
    'explain cluster/east': /"drover describe cluster east"/,
    gte: /\(Did you mean get\?\)\n {2}"drover --help" lists the commands\n$/,
    describe: /drover describe cluster east/,
    'wait --for=delete': /drover wait clusters --all/,
    'explain pods web': /"drover explain pods" tells of its fields, "drover describe pods web"/,
    'explain work/web --recursive': /about kinds/,
    'explain pods -o json': /about Works/,
    'diff pod/web': /write work\/NAME or mcs\/NAME/,
    'get clusters/east/x': /write TYPE\/NAME/,
    'logs pod/web': /add -C NAME, --all-clusters or --cluster-selector/,
    'logs -l app=web pod/web -C east': /-l chooses pods/,
    'logs run/a --all-clusters': /without -C the log has all of them/,
    logs: /write run\/NAME, or POD -C CLUSTER, .*; "drover runs" lists runs/,
    'up --clusters-at-once 0': /It must be more than none/,
  };
  for (const [line, hint] of Object.entries(hints)) {
    const terminal = recording();
    assert.equal(await main(line.split(' '), terminal), 2, line);
    assert.match(terminal.said.err, hint, line);
  }
});

test('every option of every command explains itself', async () => {
  const program = await wholeProgram(recording());
  const visit = (command: typeof program): void => {
    for (const option of command.options) assert.notEqual(option.description, '', `${command.name()} ${option.flags}`);
    command.commands.forEach(visit);
  };
  visit(program);
});

test('common options may stand before the command', () => {
  assert.deepEqual(movedBehindCommand(['--hub', 'f', '--color=never', 'get', 'pods']), ['get', '--hub', 'f', '--color=never', 'pods']);
  assert.deepEqual(movedBehindCommand(['get', '--hub', 'f']), ['get', '--hub', 'f']);
  assert.deepEqual(movedBehindCommand(['--version']), ['version']);
  assert.deepEqual(movedBehindCommand(['help']), ['--help']);
  assert.deepEqual(movedBehindCommand(['--hub']), ['--hub']);
});

test('errors say what happened, what to do, and end with their code', () => {
  assert.deepEqual(explainError(new StatusError(404, 'NotFound', 'pods "x" not found')), {
    message: 'Error from server (NotFound): pods "x" not found',
    hint: undefined,
    exitCode: 1,
  });
  const wrapped = new Error('cannot join "east"', { cause: new CommandError('no answer', { hint: 'try again', exitCode: 4 }) });
  assert.deepEqual(explainError(wrapped), { message: 'error: cannot join "east": no answer', hint: 'try again', exitCode: 4 });
  assert.equal(explainError(usageError('wrong')).exitCode, 2);
  assert.deepEqual(explainError(new EndWith(5)), { message: '', hint: undefined, exitCode: 5 });
  const missing = new StatusError(404, 'NotFound', 'no', { name: 'x', group: 'cluster.karmada.io', kind: 'clusters' });
  assert.equal(explainError(missing).hint, '"drover get clusters.cluster.karmada.io" lists those there are');
  const dead = new StatusError(503, 'ServiceUnavailable', 'cluster "east" cannot be reached: its agent is not connected');
  assert.match(explainError(dead).hint ?? '', /drover describe cluster east/);
  assert.match(explainError(new StatusError(400, 'BadRequest', 'unable to parse requirement: x')).hint ?? '', /-l app=web/);
  assert.match(explainError(new StatusError(403, 'Forbidden', 'no')).hint ?? '', /ask an administrator/);
  assert.match(explainError(new UnreachableError('gone', { cause: new Error('refused') })).message, /gone: refused/);
});

test('colour: the option, then NO_COLOR, then FORCE_COLOR, then the terminal', () => {
  assert.equal(wantsColor('always', { NO_COLOR: '1' }, false), true);
  assert.equal(wantsColor('never', { FORCE_COLOR: '1' }, true), false);
  assert.equal(wantsColor('auto', { NO_COLOR: '1', FORCE_COLOR: '1' }, true), false);
  assert.equal(wantsColor('auto', { FORCE_COLOR: '1' }, false), true);
  assert.equal(wantsColor('auto', { FORCE_COLOR: '0' }, true), false);
  assert.equal(wantsColor('auto', { NO_COLOR: '' }, true), true);
  assert.equal(wantsColor('auto', { TERM: 'dumb' }, true), false);
  assert.equal(wantsColor('auto', {}, false), false);
});

test('times are read as Go reads them', () => {
  assert.equal(parseSeconds('10s'), 10_000);
  assert.equal(parseSeconds('1m30s'), 90_000);
  assert.equal(parseSeconds('500ms'), 500);
  assert.equal(parseSeconds('5'), 5_000);
  for (const text of ['', '0s', 's', '10x', '-1s', '1 m']) assert.throws(() => parseSeconds(text), /not a time|longer/, text);
});
