import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../../../../test/helpers/eventually.ts';
import { startMemoryHub } from '../../../../test/helpers/memory-hub.ts';
import { newObject, type KindRef } from '../../../api/define-kind.ts';
import { findCondition, type Condition } from '../../../api/conditions.ts';
import type { KubeObject } from '../../../api/object.ts';
import { informer } from '../../../runtime/informer.ts';
import { GateTemplate } from '../kinds/gate.ts';
import { InfrastructureDefinition } from '../kinds/infrastructure-definition.ts';
import { Pipeline } from '../kinds/pipeline.ts';
import { Environment, ServiceDefinition } from '../kinds/service-definition.ts';
import { Workflow } from '../kinds/workflow.ts';
import { runDefinitions } from './keep-definitions.ts';

const ns = 'default';

test('what runs are made from says whether it is whole, before there is a run', async t => {
  const kinds = [Workflow, Pipeline, ServiceDefinition, InfrastructureDefinition, Environment, GateTemplate];
  const { client } = await startMemoryHub(t, kinds);
  const stop = new AbortController();
  t.after(() => stop.abort());
  const { signal } = stop;
  runDefinitions({
    hub: client,
    workflows: informer(client, Workflow, { signal }),
    pipelines: informer(client, Pipeline, { signal }),
    services: informer(client, ServiceDefinition, { signal }),
    infrastructures: informer(client, InfrastructureDefinition, { signal }),
    environments: informer(client, Environment, { signal }),
    templates: informer(client, GateTemplate, { signal }),
    signal,
  });
  type Reported = KubeObject & { status?: { observedGeneration?: number; conditions?: Condition[] } };
  const says = async (kind: KindRef, name: string, words: RegExp) => {
    const read = async () => (await client.get(kind, { namespace: ns, name })) as Reported | undefined;
    const found = await eventually(read, one => words.test(textOf(one)), { what: `${kind.kind} ${name} to say ${words}` });
    assert.equal(found?.status?.observedGeneration, found?.metadata.generation);
  };
  const textOf = (one: Reported | undefined) => {
    const { status, reason, message } = findCondition(one, 'Ready') ?? {};
    return `${status} ${reason}: ${message}`;
  };
  const at = (name: string) => ({ namespace: ns, name });

  const spec = { type: 'Rolling', serviceRef: 'web', infrastructureRef: '${workflow.variables.where}' } as const;
  await client.create(Workflow, newObject(Workflow, at('roll'), spec));
  await client.create(
    Pipeline,
    newObject(Pipeline, at('all'), { stages: [{ name: 'a', workflowRef: { name: 'roll' }, infrastructureRefs: ['eu'] }] }),
  );
  await says(Workflow, 'roll', /^False ReferenceMissing: There is no ServiceDefinition "web"$/);
  await says(Pipeline, 'all', /^False ReferenceMissing: There is no InfrastructureDefinition "eu"$/);

  await client.create(ServiceDefinition, newObject(ServiceDefinition, at('web'), { manifests: [] }));
  await says(ServiceDefinition, 'web', /^True Accepted/);
  await says(Workflow, 'roll', /^True Complete/);
  await client.patch(Workflow, at('roll'), { type: 'merge', body: { spec: { infrastructureRef: 'eu' } } });
  await says(Workflow, 'roll', /^False ReferenceMissing: There is no InfrastructureDefinition "eu"$/);
  const infrastructure = { environmentRef: 'prod', cloudProviderRef: 'here', namespace: 'shop', allowAllClusters: true };
  await client.create(InfrastructureDefinition, newObject(InfrastructureDefinition, at('eu'), infrastructure));
  await says(Workflow, 'roll', /^True Complete/);
  await says(Pipeline, 'all', /^True Complete/);
  await client.delete(ServiceDefinition, at('web'));
  await says(Workflow, 'roll', /^False ReferenceMissing: There is no ServiceDefinition "web"$/);

  await client.create(Environment, newObject(Environment, at('prod'), { type: 'Prod' }));
  await says(Environment, 'prod', /^True Accepted/);
});
