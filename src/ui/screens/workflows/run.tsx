import { useMemo } from 'react';
import { useParams } from 'wouter';
import type { ApprovalRequest } from '../../../dialects/workflows/kinds/approval-request.ts';
import type { ClusterRun } from '../../../dialects/workflows/kinds/cluster-run.ts';
import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import { go, PlaceLink } from '../../app/place.tsx';
import { useShortcut } from '../../app/shortcuts.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { objectPlace } from '../../data/kinds.ts';
import { useList, useObject } from '../../data/use-list.ts';
import { Icon } from '../../parts/icon.tsx';
import { Empty, ErrorNote, Loading } from '../../parts/notes.tsx';
import { Page, Tabs } from '../../parts/page.tsx';
import { PhaseBadge } from '../../parts/phase-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { DecideButtons, isPending } from './decide.tsx';
import { RunDeeds } from './run-deeds.tsx';
import { RunLogs } from './run-logs.tsx';
import { RunPreview } from './run-preview.tsx';
import { RunTimeline } from './run-timeline.tsx';
import { named, workflowPlace } from './workflow-places.ts';
import '../../styles/delivery.css';

/** One run: which step it is in on which cluster, what it waits for, and what it says. */
export function Run() {
  const { ns = '', name = '', '*': part = '' } = useParams<{ ns: string; name: string; '*': string }>();
  const kind = deliveryKinds.workflowRun;
  const { object: run, listed } = useObject<WorkflowRun>(kind, { namespace: ns, name });
  const { items: clusterRuns } = useList<ClusterRun>({ kind: deliveryKinds.clusterRun, namespace: ns });
  const own = useMemo(() => clusterRuns.filter(one => one.spec.runRef.uid === run?.metadata.uid), [clusterRuns, run?.metadata.uid]);
  const above = [
    { title: 'Workflows', to: '/workflows' },
    { title: 'Runs', to: '/workflows/runs' },
  ];
  const base = `/workflows/runs/${encodeURIComponent(ns)}/${encodeURIComponent(name)}`;
  const yaml = `${objectPlace(kind, { namespace: ns, name })}/yaml`;
  const isPreview = run?.spec.mode === 'Preview';
  useShortcut('logs', () => go(`${base}/logs`));
  useShortcut('edit', () => go(yaml));
  useShortcut(isPreview ? 'diff' : undefined, () => go(`${base}/preview`));
  if (!run)
    return (
      <Page title={name} above={above}>
        {listed.error ? <ErrorNote error={listed.error} about={name} /> : listed.state === 'loading' ? <Loading /> : <Gone />}
      </Page>
    );
  const tabs = [
    { id: '', title: 'Clusters and steps' },
    { id: 'logs', title: 'Logs' },
    ...(isPreview ? [{ id: 'preview', title: 'What would change' }] : []),
  ];
  return (
    <Page
      title={name}
      above={above}
      beside={<PhaseBadge phase={run.status?.phase} />}
      actions={
        <>
          <RunDeeds kind={kind} run={run} />
          <PlaceLink className="button" to={yaml}>
            <Icon name="edit" />
            YAML
          </PlaceLink>
        </>
      }
    >
      <RunFacts run={run} />
      <Waiting namespace={ns} uid={run.metadata.uid} />
      <Tabs tabs={tabs} current={part} base={base} />
      {part === '' && <RunTimeline run={run} clusterRuns={own} />}
      {part === 'logs' && <RunLogs run={run} />}
      {part === 'preview' && <RunPreview clusterRuns={own} />}
    </Page>
  );
}

const Gone = () => (
  <Empty title="It is not there" command="drover runs -A">
    Runs that are over are removed after a while; the workflow says when.
  </Empty>
);

function RunFacts({ run }: { run: WorkflowRun }) {
  const { spec, status, metadata } = run;
  const variables = Object.entries(spec.variables ?? {});
  return (
    <dl className="facts">
      {status?.message && (
        <>
          <dt>It says</dt>
          <dd>{status.message}</dd>
        </>
      )}
      <dt>Workflow</dt>
      <dd>
        <PlaceLink to={workflowPlace(named(metadata.namespace, spec.workflowRef.name))}>{spec.workflowRef.name}</PlaceLink>
        {status?.releaseNo !== undefined && `, run ${status.releaseNo}`}
        {status?.triggeredBy && `, started by ${status.triggeredBy}`}
      </dd>
      <dt>Began</dt>
      <dd>
        <Time at={status?.startedAt} isAgo />
        {status?.finishedAt && (
          <>
            , ended <Time at={status.finishedAt} isAgo />
          </>
        )}
      </dd>
      {variables.length > 0 && (
        <>
          <dt>With</dt>
          <dd className="tags">
            {variables.map(([key, value]) => (
              <span key={key} className="tag">
                {key}={value}
              </span>
            ))}
          </dd>
        </>
      )}
      {spec.notes && (
        <>
          <dt>Why</dt>
          <dd>{spec.notes}</dd>
        </>
      )}
    </dl>
  );
}

/** What a run waits for somebody to decide. */
export function Waiting({ namespace, uid }: { namespace: string; uid: string | undefined }) {
  const { items } = useList<ApprovalRequest>({ kind: deliveryKinds.approvalRequest, namespace });
  return items
    .filter(one => one.spec.runRef.uid === uid && isPending(one))
    .map(one => (
      <section key={one.metadata.uid} className="note warn" aria-label="It waits for a decision">
        <Icon name="warn" />
        <div className="grow stack tight">
          <p>
            <strong>Waits for a decision: </strong>
            {one.spec.message ?? one.spec.gate ?? one.spec.step}
            {one.spec.expiresAt && (
              <>
                {' '}
                (ends <Time at={one.spec.expiresAt} />)
              </>
            )}
          </p>
          <div className="row">
            <DecideButtons request={one} />
          </div>
        </div>
      </section>
    ));
}
