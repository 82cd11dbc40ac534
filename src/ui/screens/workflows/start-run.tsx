import { useState } from 'react';
import type { Pipeline } from '../../../dialects/workflows/kinds/pipeline.ts';
import type { Workflow, WorkflowVariable } from '../../../dialects/workflows/kinds/workflow.ts';
import { go } from '../../app/place.tsx';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { pathOf, type KubeObject } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { Icon } from '../../parts/icon.tsx';
import { quoted } from '../../parts/quoted.ts';
import { pipelineRunPlace, runPlace } from './workflow-places.ts';

type Plan = Workflow | Pipeline;

const isPipeline = (plan: Plan): plan is Pipeline => 'stages' in plan.spec;

/** Starts a run, where that is allowed. */
export function StartButton({ plan, isIconOnly = false }: { plan: Plan; isIconOnly?: boolean }) {
  const [isOpen, setOpen] = useState(false);
  const { namespace, name } = plan.metadata;
  const kind = isPipeline(plan) ? deliveryKinds.pipelineRun : deliveryKinds.workflowRun;
  const mayCreate = useMay({ verb: 'create', kind, namespace });
  if (!mayCreate) return null;
  return (
    <>
      <button
        type="button"
        className={`button ${isIconOnly ? 'bare icon-only' : 'main-deed'}`}
        onClick={() => setOpen(true)}
        {...(isIconOnly && { 'aria-label': `Run ${name}`, title: `Run ${name}` })}
      >
        <Icon name="next" />
        {!isIconOnly && 'Run'}
      </button>
      {isOpen && <StartDialog plan={plan} onClose={() => setOpen(false)} />}
    </>
  );
}

function StartDialog({ plan, onClose }: { plan: Plan; onClose(): void }) {
  const { namespace = '', name = '' } = plan.metadata;
  const variables = isPipeline(plan) ? [] : (plan.spec.variables ?? []).filter(one => one.fixed !== true);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [notes, setNotes] = useState('');
  const [only, setOnly] = useState('');
  const [isPreview, setPreview] = useState(false);
  const clusters = only.split(/[\s,]+/).filter(Boolean);
  const given = Object.entries(values).filter(([, value]) => value !== '');
  const isMissing = variables.some(one => one.required === true && one.default === undefined && !values[one.name]);

  async function start(): Promise<void> {
    const shared = {
      ...(given.length > 0 && { variables: Object.fromEntries(given) }),
      ...(notes !== '' && { notes }),
    };
    const spec = isPipeline(plan)
      ? { pipelineRef: { name }, ...shared }
      : {
          workflowRef: { name },
          ...shared,
          ...(isPreview && { mode: 'Preview' }),
          ...(clusters.length > 0 && { clusters: { only: clusters } }),
        };
    const kind = isPipeline(plan) ? deliveryKinds.pipelineRun : deliveryKinds.workflowRun;
    const body = { apiVersion: `${kind.group}/${kind.version}`, kind: kind.kind, metadata: { generateName: `${name}-`, namespace }, spec };
    const made = await request<KubeObject>(pathOf(kind, { namespace }), { method: 'POST', body });
    go((isPipeline(plan) ? pipelineRunPlace : runPlace)(made));
  }

  const command = [
    `drover run ${isPipeline(plan) ? 'pipeline/' : ''}${name} -n ${namespace}`,
    ...given.map(([key, value]) => `--var ${quoted(`${key}=${value}`)}`),
    ...(isPreview ? ['--preview'] : []),
    ...(clusters.length > 0 ? [`--only ${quoted(clusters.join(','))}`] : []),
    ...(notes === '' ? [] : [`--notes ${quoted(notes)}`]),
  ].join(' ');
  return (
    <ActionDialog
      title={`Run ${name}`}
      verb={isPreview ? 'Preview' : 'Run'}
      command={command}
      isReady={!isMissing}
      onDo={start}
      onClose={onClose}
    >
      {plan.spec.description && <p className="muted">{plan.spec.description}</p>}
      {variables.map(one => (
        <VariableField
          key={one.name}
          variable={one}
          value={values[one.name] ?? ''}
          onChange={value => setValues(before => ({ ...before, [one.name]: value }))}
        />
      ))}
      {!isPipeline(plan) && (
        <>
          <label className="field">
            <span className="label">Only on these clusters</span>
            <input
              className="input"
              value={only}
              placeholder="All that match"
              spellCheck={false}
              onChange={event => setOnly(event.target.value)}
            />
          </label>
          <label className="row">
            <input type="checkbox" checked={isPreview} onChange={event => setPreview(event.target.checked)} />
            Only tell what it would change
          </label>
        </>
      )}
      <label className="field">
        <span className="label">Why</span>
        <input className="input" value={notes} placeholder="For those who read it later" onChange={event => setNotes(event.target.value)} />
      </label>
    </ActionDialog>
  );
}

function VariableField({ variable, value, onChange }: { variable: WorkflowVariable; value: string; onChange(value: string): void }) {
  const { name, description, required, allowedValues = [], type } = variable;
  const fallback = variable.default;
  const isNeeded = required === true && fallback === undefined;
  return (
    <label className="field">
      <span className="label">
        {name}
        {isNeeded && ' (needed)'}
      </span>
      {allowedValues.length > 0 ? (
        <select className="input" value={value} onChange={event => onChange(event.target.value)}>
          <option value="">{fallback === undefined ? 'Choose' : `${fallback} (as always)`}</option>
          {allowedValues
            .filter(one => one !== fallback)
            .map(one => (
              <option key={one}>{one}</option>
            ))}
        </select>
      ) : (
        <input
          className="input"
          value={value}
          placeholder={fallback ?? ''}
          inputMode={type === 'Number' ? 'decimal' : undefined}
          onChange={event => onChange(event.target.value)}
        />
      )}
      {description && <span className="hint">{description}</span>}
    </label>
  );
}
