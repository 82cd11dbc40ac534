import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Work } from '../../../api/work.ts';
import type { KubeClient } from '../../../client/kube-client.ts';
import { UnreachableError } from '../../../client/transport.ts';
import { refOf } from '../../../core/delivery/object-ref.ts';
import { SimulatedMember, testSettings, web } from '../release/simulated-member.ts';
import { beginStep } from '../release/steps.ts';
import type { StepContext } from './step-context.ts';
import { readStepInput } from './step-input.ts';

const hub = {} as KubeClient;
const { signal } = new AbortController();

/** What a hub knows of a member that only fetches: the Work, and what it reports. */
function fetched(missing: readonly string[] = []): { work: Work; context: StepContext } {
  const member = new SimulatedMember();
  member.beginRun();
  member.step('StageDeploy', { rendered: [web.deployment('web:a'), web.service(), web.config('a')] });
  member.step('SwapServices', { with: { service1: 'web', service2: 'web-stage' } });
  member.beginRun();
  const objects = member.work.map(obj => ({ ...refOf(obj), health: missing.includes(obj.metadata.name ?? '') ? 'NotFound' : 'Current' }));
  const { release, run } = member;
  return {
    work: { spec: { release, manifests: member.work }, status: { objects } } as unknown as Work,
    context: {
      release,
      run: { ...run, namespace: 'shop' },
      settings: testSettings,
      cluster: { id: 'c', name: 'east', labels: {} },
    } as StepContext,
  };
}

const rendered = { with: {}, objects: [web.deployment('web:b'), web.service(), web.config('b')] };

test('of a member that cannot be asked its Work tells what is there', async () => {
  const { work, context } = fetched();
  const input = await readStepInput('StageDeploy', context, rendered, {}, { hub, member: undefined, work, signal });
  const begun = beginStep('StageDeploy', input);
  assert.ok(begun.outcome === 'deliver');
  assert.deepEqual(begun.status.blueGreen, {
    primaryService: 'web',
    stageService: 'web-stage',
    primaryColorBefore: 'blue',
    stageColor: 'green',
    swapped: false,
  });
  assert.equal(begun.status.releaseNumber, 2);
});

test('what it reports as gone is gone', async () => {
  const { work, context } = fetched(['web']);
  const input = await readStepInput('StageDeploy', context, rendered, {}, { hub, member: undefined, work, signal });
  assert.equal(input.live(refOf(web.service())), undefined);
});

test('before there is a Work nobody knows which releases there were: the member must be asked', async () => {
  const { context } = fetched();
  const asked = readStepInput('RollingDeploy', context, rendered, {}, { hub, member: undefined, work: undefined, signal });
  await assert.rejects(asked, UnreachableError);
});
