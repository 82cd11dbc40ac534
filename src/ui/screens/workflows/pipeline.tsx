import { useMemo } from 'react';
import { useParams } from 'wouter';
import type { Pipeline, PipelineRun, Stage, StageState } from '../../../dialects/workflows/kinds/pipeline.ts';
import { PlaceLink } from '../../app/place.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { objectPlace, type Kind, type KubeObject } from '../../data/kinds.ts';
import { useList, useObject } from '../../data/use-list.ts';
import { Graph, type ShownNode } from '../../parts/graph/graph.tsx';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page } from '../../parts/page.tsx';
import { PhaseBadge } from '../../parts/phase-badge.tsx';
import { phaseTone } from '../../parts/phase-tone.ts';
import { SmallTable } from '../../parts/small-table.tsx';
import { Time } from '../../parts/time.tsx';
import { RunDeeds } from './run-deeds.tsx';
import { Waiting } from './run.tsx';
import { StartButton } from './start-run.tsx';
import { named, pipelinePlace, pipelineRunPlace, runPlace, workflowPlace } from './workflow-places.ts';
import '../../styles/delivery.css';

/** One pipeline: its stages as a picture and as a table, and its runs. */
export function PipelineScreen() {
  const { ns = '', name = '' } = useParams<{ ns: string; name: string }>();
  const kind = deliveryKinds.pipeline;
  const { object: pipeline, listed } = useObject<Pipeline>(kind, { namespace: ns, name });
  const { items, state } = useList<PipelineRun>({ kind: deliveryKinds.pipelineRun, namespace: ns });
  const runs = items.filter(one => one.spec.pipelineRef.name === name);
  const nodes = useMemo(() => nodesOf(pipeline?.spec.stages ?? [], [], ns), [pipeline?.spec.stages, ns]);
  if (!pipeline) return <Missing name={name} listed={listed} above={[{ title: 'Pipelines', to: '/workflows/pipelines' }]} />;
  return (
    <Page
      title={name}
      above={[
        { title: 'Workflows', to: '/workflows' },
        { title: 'Pipelines', to: '/workflows/pipelines' },
      ]}
      actions={
        <>
          <StartButton plan={pipeline} />
          <YamlLink kind={kind} object={pipeline} />
        </>
      }
    >
      {pipeline.spec.description && <p>{pipeline.spec.description}</p>}
      <Graph name="Stages, as a picture" nodes={nodes} />
      <SmallTable
        name="Stages, in order"
        heads={['Stage', 'What', 'Goes']}
        rows={pipeline.spec.stages.map((stage, i) => [
          stage.name,
          <StageWhat key="what" stage={stage} ns={ns} />,
          i === 0 ? 'first' : stage.parallelWithPrevious ? 'together with the one before' : 'after the one before',
        ])}
      />
      <h2>Runs</h2>
      {runs.length === 0 && state === 'loading' ? (
        <Loading />
      ) : runs.length === 0 ? (
        <p className="muted">It has never run.</p>
      ) : (
        <SmallTable
          name="Runs"
          heads={['Name', 'Phase', 'By', 'Began']}
          rows={runs.map(one => [
            <PlaceLink key="name" to={pipelineRunPlace(one)}>
              {one.metadata.name}
            </PlaceLink>,
            <PhaseBadge key="phase" phase={one.status?.phase} why={one.status?.message} />,
            one.status?.triggeredBy ?? '–',
            <Time key="began" at={one.metadata.creationTimestamp} isAgo />,
          ])}
        />
      )}
    </Page>
  );
}

function StageWhat({ stage, ns }: { stage: Stage; ns: string }) {
  if (!stage.workflowRef) return 'Approval';
  return <PlaceLink to={workflowPlace(named(ns, stage.workflowRef.name))}>{stage.workflowRef.name}</PlaceLink>;
}

/** One run of a pipeline: which stage it is in, and the runs of each. */
export function PipelineRunScreen() {
  const { ns = '', name = '' } = useParams<{ ns: string; name: string }>();
  const kind = deliveryKinds.pipelineRun;
  const { object: run, listed } = useObject<PipelineRun>(kind, { namespace: ns, name });
  const { object: pipeline } = useObject<Pipeline>(deliveryKinds.pipeline, { namespace: ns, name: run?.spec.pipelineRef.name });
  const stages = run?.status?.stages ?? [];
  const nodes = useMemo(() => nodesOf(pipeline?.spec.stages ?? [], stages, ns), [pipeline?.spec.stages, stages, ns]);
  if (!run) return <Missing name={name} listed={listed} above={[{ title: 'Runs of pipelines', to: '/workflows/pipeline-runs' }]} />;
  return (
    <Page
      title={name}
      above={[
        { title: 'Workflows', to: '/workflows' },
        { title: run.spec.pipelineRef.name, to: pipelinePlace(named(ns, run.spec.pipelineRef.name)) },
      ]}
      beside={<PhaseBadge phase={run.status?.phase} />}
      actions={
        <>
          <RunDeeds kind={kind} run={run} />
          <YamlLink kind={kind} object={run} />
        </>
      }
    >
      {run.status?.message && <p>{run.status.message}</p>}
      <Waiting namespace={ns} uid={run.metadata.uid} />
      <Graph name="Stages, as a picture" nodes={nodes} />
      <SmallTable
        name="Stages, in order"
        heads={['Stage', 'Phase', 'Runs', 'Began', 'Ended', 'Says']}
        rows={stages.map(stage => [
          stage.name,
          <PhaseBadge key="phase" phase={stage.phase} />,
          <span key="runs" className="row">
            {(stage.runs ?? []).map(one => (
              <PlaceLink key={one} to={runPlace(named(ns, one))}>
                {one}
              </PlaceLink>
            ))}
          </span>,
          <Time key="began" at={stage.startedAt} isAgo />,
          <Time key="ended" at={stage.finishedAt} isAgo />,
          stage.message ?? '',
        ])}
      />
    </Page>
  );
}

function YamlLink({ kind, object: { metadata } }: { kind: Kind; object: KubeObject }) {
  return (
    <PlaceLink className="button" to={`${objectPlace(kind, { namespace: metadata.namespace, name: metadata.name })}/yaml`}>
      <Icon name="edit" />
      YAML
    </PlaceLink>
  );
}

interface MissingProps {
  readonly name: string;
  readonly listed: { readonly error: Error | undefined; readonly state: string };
  readonly above: readonly { title: string; to: string }[];
}

function Missing({ name, listed, above }: MissingProps) {
  return (
    <Page title={name} above={above}>
      {listed.error ? (
        <ErrorNote error={listed.error} about={name} />
      ) : listed.state === 'loading' ? (
        <Loading />
      ) : (
        <Empty title="It is not there" command="drover get pipelines,pipelineruns -A">
          It may have been removed meanwhile. Runs that are over are removed after a while.
        </Empty>
      )}
    </Page>
  );
}

/** Stages that go together stand below each other. */
function nodesOf(stages: readonly Stage[], states: readonly StageState[], ns: string): readonly ShownNode[] {
  let before: string[] = [];
  let together: string[] = [];
  return stages.map((stage): ShownNode => {
    if (stage.parallelWithPrevious !== true) {
      before = together;
      together = [];
    }
    together.push(stage.name);
    const state = states.find(one => one.name === stage.name);
    const what = stage.workflowRef ? stage.workflowRef.name : 'Approval';
    const run = state?.runs?.[0];
    return {
      id: stage.name,
      title: stage.name,
      about: state ? `${what}: ${state.phase}` : what,
      tone: phaseTone(state?.phase),
      after: before,
      ...(run !== undefined && { to: runPlace(named(ns, run)) }),
    };
  });
}
