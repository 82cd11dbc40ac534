import { useState } from 'react';
import type { ApprovalRequest, DecisionWord } from '../../../dialects/workflows/kinds/approval-request.ts';
import { deliveryKinds } from '../../data/delivery-kinds.ts';
import { pathOf } from '../../data/kinds.ts';
import { useMay } from '../../data/permissions.ts';
import { request } from '../../data/request.ts';
import { ActionDialog } from '../../parts/action-dialog.tsx';
import { words } from '../../parts/state-badge.tsx';

const usualChoices: readonly DecisionWord[] = ['Approve', 'Reject', 'RejectAndRollback'];

const about: Readonly<Record<DecisionWord, string>> = {
  Approve: 'The run goes on.',
  Reject: 'The run ends here. What is done stays.',
  RejectAndRollback: 'The run ends, and what it did is undone.',
  Retry: 'The step that failed is tried again.',
  Ignore: 'The run goes on as if the step had succeeded, and says that it did not.',
  MarkSuccess: 'The step counts as done.',
  Rollback: 'What the run did is undone.',
  Abort: 'The run stops, and undoes nothing.',
};

const commands: Partial<Record<DecisionWord, string>> = {
  Approve: 'drover approve',
  Reject: 'drover reject',
  RejectAndRollback: 'drover reject --rollback',
};

export const isPending = ({ status }: ApprovalRequest): boolean => (status?.phase ?? 'Pending') === 'Pending';

/** What somebody who may decide can choose. */
export function DecideButtons({ request: asked, isSmall = false }: { request: ApprovalRequest; isSmall?: boolean }) {
  const [choice, setChoice] = useState<DecisionWord>();
  const { namespace, name } = asked.metadata;
  const mayPatch = useMay({ verb: 'patch', kind: deliveryKinds.approvalRequest, namespace, name });
  if (!mayPatch || !isPending(asked)) return null;
  const choices = asked.spec.choices ?? usualChoices;
  const shown = isSmall ? choices.slice(0, 1) : choices;
  return (
    <>
      {shown.map(one => (
        <button
          key={one}
          type="button"
          className={`button ${one === 'Approve' && !isSmall ? 'main-deed' : ''}`}
          onClick={() => setChoice(one)}
          {...(isSmall && { 'aria-label': `Decide on ${asked.spec.runRef.name}` })}
        >
          {isSmall ? 'Decide' : words(one)}
        </button>
      ))}
      {choice && <DecideDialog request={asked} choices={choices} first={choice} onClose={() => setChoice(undefined)} />}
    </>
  );
}

interface DecideDialogProps {
  readonly request: ApprovalRequest;
  readonly choices: readonly DecisionWord[];
  readonly first: DecisionWord;
  onClose(): void;
}

function DecideDialog({ request: asked, choices, first, onClose }: DecideDialogProps) {
  const [choice, setChoice] = useState(first);
  const [comment, setComment] = useState('');
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const { namespace = '', name = '' } = asked.metadata;
  const { message, runRef, variables = [], decisions = [], minApprovals = 1 } = asked.spec;
  const given = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== ''));

  async function decide(): Promise<void> {
    const path = pathOf(deliveryKinds.approvalRequest, { namespace, name });
    // Others may decide at the same time: theirs must not be lost.
    const { metadata, spec } = await request<ApprovalRequest>(path);
    const value = { decision: choice, ...(comment !== '' && { comment }), ...(Object.keys(given).length > 0 && { variables: given }) };
    const body = [
      { op: 'replace', path: '/metadata/resourceVersion', value: metadata.resourceVersion },
      spec.decisions ? { op: 'add', path: '/spec/decisions/-', value } : { op: 'add', path: '/spec/decisions', value: [value] },
    ];
    await request(path, { method: 'PATCH', body, contentType: 'application/json-patch+json' });
  }

  const command = commands[choice] ?? `drover approve --decision ${choice}`;
  return (
    <ActionDialog
      title={`Decide on ${runRef.name}`}
      verb={words(choice)}
      isDanger={choice !== 'Approve' && choice !== 'Retry'}
      command={`${command} ${name} -n ${namespace}${comment === '' ? '' : ` --comment '${comment.replaceAll("'", "'\\''")}'`}`}
      onDo={decide}
      onClose={onClose}
    >
      {message && <p>{message}</p>}
      <fieldset className="choice-list">
        <legend className="unseen">Decision</legend>
        {choices.map(one => (
          <label key={one}>
            <input type="radio" name="decision" value={one} checked={one === choice} onChange={() => setChoice(one)} />
            <span>
              <strong>{words(one)}</strong> <span className="muted">{about[one]}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {variables.map(one => (
        <label key={one.name} className="field">
          <span className="label">{one.name}</span>
          <input
            className="input"
            value={values[one.name] ?? ''}
            placeholder={one.value ?? ''}
            onChange={event => setValues(before => ({ ...before, [one.name]: event.target.value }))}
          />
        </label>
      ))}
      <label className="field">
        <span className="label">Comment</span>
        <input className="input" value={comment} onChange={event => setComment(event.target.value)} />
      </label>
      {minApprovals > 1 && (
        <p className="muted">
          {minApprovals} must approve; {decisions.filter(one => one.decision === 'Approve').length} have.
        </p>
      )}
    </ActionDialog>
  );
}
