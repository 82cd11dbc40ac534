import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArtifact } from '../commands/run.ts';
import { parseApproval, parsePlan, parseRun } from './delivery-argument.ts';

test('what is to be run is a workflow, unless it is said to be a pipeline', () => {
  const plan = (...words: string[]) => {
    const { kind, name } = parsePlan(words);
    return [kind.kind, name];
  };
  assert.deepEqual(plan('shop'), ['Workflow', 'shop']);
  assert.deepEqual(plan('wf/shop'), ['Workflow', 'shop']);
  assert.deepEqual(plan('workflow', 'shop'), ['Workflow', 'shop']);
  assert.deepEqual(plan('workflow'), ['Workflow', 'workflow']);
  assert.deepEqual(plan('pipeline/all'), ['Pipeline', 'all']);
  assert.deepEqual(plan('pipelines.delivery.drover.io', 'all'), ['Pipeline', 'all']);
  for (const words of [['pod/a'], ['shop', 'more'], ['pipeline/'], ['']])
    assert.throws(() => parsePlan(words), /run|many|NAME|said/, words.join(' '));
});

test('a run is one of a workflow or of a pipeline, or of either', () => {
  const run = (...words: string[]) => {
    const { kinds, name } = parseRun(words);
    return [kinds.map(kind => kind.kind).join(' '), name];
  };
  assert.deepEqual(run('run/a'), ['WorkflowRun PipelineRun', 'a']);
  assert.deepEqual(run('a'), ['WorkflowRun PipelineRun', 'a']);
  assert.deepEqual(run('run', 'a'), ['WorkflowRun PipelineRun', 'a']);
  assert.deepEqual(run('wfr/a'), ['WorkflowRun', 'a']);
  assert.deepEqual(run('plr', 'a'), ['PipelineRun', 'a']);
  for (const words of [['work/a'], ['run/a', 'b'], ['run/'], ['']]) assert.throws(() => parseRun(words), /run/, words.join(' '));
});

test('an approval goes by its name or by the run that waits', () => {
  assert.deepEqual(parseApproval(['a-1']), { request: 'a-1' });
  assert.deepEqual(parseApproval(['appr/a-1']), { request: 'a-1' });
  assert.deepEqual(parseApproval(['approvalrequest', 'a-1']), { request: 'a-1' });
  const named = parseApproval(['run/a']);
  assert.equal('run' in named && named.run.name, 'a');
  assert.throws(() => parseApproval(['pod/a']), /names no request/);
  assert.throws(() => parseApproval(['a', 'b']), /one word too many/);
});

test('artifacts are named by tag or by digest', () => {
  assert.deepEqual(parseArtifact('shop=1.4.2'), { service: 'shop', tag: '1.4.2' });
  assert.deepEqual(parseArtifact('1.4.2'), { tag: '1.4.2' });
  assert.deepEqual(parseArtifact('shop=sha256:abc'), { service: 'shop', digest: 'sha256:abc' });
  for (const text of ['', 'shop=', '=1']) assert.throws(() => parseArtifact(text), /names no version/, text);
});
