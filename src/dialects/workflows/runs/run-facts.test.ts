import assert from 'node:assert/strict';
import { test } from 'node:test';
import { runScope } from '../inputs/run-scope.ts';
import { factsOfClusters, factsOfPhase, factsOfRun, type RunWithStatus } from './run-facts.ts';

const step = (name: string, scope?: string) => ({ type: 'Wait', output: { name, ...(scope && { scope }) } });
const group = (...steps: object[]) => [{ name: 'g', steps }];
const phases = [
  { name: 'one', groups: group(step('own', 'Phase'), step('all'), step('both', 'Phase')) },
  { name: 'two', groups: group(step('both', 'Phase')), rollback: group(step('undone', 'Phase')) },
];
const outputs = { own: { a: '1' }, all: { a: '2' }, both: { a: '3' }, undone: { a: '4' }, asked: { approvalStatus: 'SUCCESS' } };
const run = {
  metadata: { name: 'r' },
  spec: { workflowRef: { name: 'w' } },
  status: {
    outputs,
    snapshot: {
      app: {},
      workflow: { name: 'w', spec: { type: 'Custom', phases } },
      provider: { name: 'p', type: 'Drover' },
      variables: {},
    },
  },
} as unknown as RunWithStatus;

test('what a step publishes for its phase is seen in its phase alone', () => {
  const seenIn = (phase: string) => {
    const scope = runScope(run.status!.snapshot!, { ...factsOfRun(run), ...factsOfPhase(run, phase) });
    return Object.keys(outputs).filter(name => scope(`context.${name}`) !== undefined);
  };
  assert.deepEqual(seenIn('one'), ['own', 'all', 'both', 'asked']);
  assert.deepEqual(seenIn('two'), ['all', 'both', 'undone', 'asked']);
  // Gates of waves stand in no phase.
  assert.deepEqual(seenIn(''), ['all', 'asked']);
});

test('what steps said of clusters is said once where it is the same, and else in their order', () => {
  const said = (outputs: Record<string, string>) => ({ spec: {}, status: { outputs } });
  const east = said({ releaseNumber: '17', canaryWorkload: 'shop/Deployment/web-canary', 'k8sResources.manifests': 'x' });
  const west = said({ releaseNumber: '2', canaryWorkload: 'shop/Deployment/web-canary' });
  assert.deepEqual(factsOfClusters([east, undefined, { spec: {} }, west]), {
    k8s: { releaseNumber: '17,2', canaryWorkload: 'shop/Deployment/web-canary' },
  });
  assert.deepEqual(factsOfClusters([undefined]), {});
});
