import { useState } from 'react';
import type { PipelineRun } from '../../../dialects/workflows/kinds/pipeline.ts';
import type { WorkflowRun } from '../../../dialects/workflows/kinds/workflow-run.ts';
import { pathOf, type Kind } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { isRunOver } from '../../parts/phase-tone.ts';

interface Deed {
  readonly title: string;
  readonly word: string;
  readonly state: string;
  readonly about: string;
  readonly isDanger?: boolean;
}

const pause: Deed = { title: 'Pause', word: 'pause', state: 'Pause', about: 'It begins nothing new. What is under way is finished.' };
const resume: Deed = { title: 'Resume', word: 'resume', state: 'Run', about: 'It goes on.' };
const abort: Deed = { title: 'Abort', word: 'abort', state: 'Abort', about: 'It stops, and undoes nothing.', isDanger: true };
const rollBack: Deed = {
  title: 'Roll back',
  word: 'rollback',
  state: 'Rollback',
  about: 'Every cluster that it changed goes back to what was there before.',
  isDanger: true,
};

function deedsFor({ spec, status }: WorkflowRun | PipelineRun): readonly Deed[] {
  const phase = status?.phase;
  if (isRunOver(phase)) return ['RolledBack', 'Rejected', 'Expired'].includes(phase ?? '') ? [] : [rollBack];
  const isHeld = spec.state === 'Pause' || spec.state === 'Initialize' || phase === 'Paused';
  return [isHeld ? resume : pause, abort, rollBack];
}

/** What can be asked of a run now, by those who may. */
export function RunDeeds({ kind, run }: { kind: Kind; run: WorkflowRun | PipelineRun }) {
  const [asked, setAsked] = useState<Deed>();
  const { namespace = '', name = '' } = run.metadata;
  const mayPatch = useMay({ verb: 'patch', kind, namespace, name });
  if (!mayPatch) return null;
  const typed = kind.kind === 'PipelineRun' ? 'pipelinerun' : 'run';
  return (
    <>
      {deedsFor(run).map(deed => (
        <button key={deed.word} type="button" className="button" onClick={() => setAsked(deed)}>
          {deed.title}
        </button>
      ))}
      {asked && (
        <ActionDialog
          title={`${asked.title} ${name}`}
          verb={asked.title}
          isDanger={asked.isDanger ?? false}
          command={`drover ${asked.word} ${typed}/${name} -n ${namespace}`}
          onDo={() =>
            request(pathOf(kind, { namespace, name }), {
              method: 'PATCH',
              contentType: 'application/merge-patch+json',
              body: {
                spec: {
                  state: asked.state,
                  ...(run.spec.state === asked.state && { notes: `Asked again at ${new Date().toISOString()}` }),
                },
              },
            })
          }
          onClose={() => setAsked(undefined)}
        >
          <p>{asked.about}</p>
        </ActionDialog>
      )}
    </>
  );
}
