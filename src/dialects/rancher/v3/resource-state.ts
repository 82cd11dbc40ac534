import type { KubeObject } from '../../../api/object.ts';

export interface ResourceState {
  readonly state: string;
  readonly transitioning: 'yes' | 'no' | 'error';
  readonly transitioningMessage: string;
}

interface SeenCondition {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
}

/** What it means when one of these is not so. */
const states: Readonly<Record<string, string>> = {
  Pending: 'pending',
  Waiting: 'waiting',
  Updated: 'updating',
  Upgraded: 'upgrading',
  AgentDeployed: 'provisioning',
  Provisioned: 'provisioning',
  InitialRolesPopulated: 'activating',
  CreatorMadeOwner: 'configuring',
  BackingNamespaceCreated: 'configuring',
  DefaultProjectCreated: 'configuring',
  Removed: 'removing',
};

/** Going away for longer than this is a fault. */
const removalMs = 5 * 60_000;

/** The one word that Rancher's clients show for an object, from its conditions in their order. */
export function stateOf({ metadata, ...rest }: KubeObject, now: Date): ResourceState {
  const conditions = ((rest['status'] as { conditions?: SeenCondition[] } | undefined)?.conditions ?? []) as readonly SeenCondition[];
  const summary = summarize(conditions);
  if (metadata.deletionTimestamp !== undefined) {
    summary.state = 'removing';
    summary.isTransitioning = true;
    const [finalizer] = metadata.finalizers ?? [];
    if (finalizer !== undefined) summary.messages.add(`waiting on ${finalizer}`);
    if (now.getTime() - Date.parse(metadata.deletionTimestamp) > removalMs) summary.isError = true;
  }
  return {
    state: summary.state === '' ? 'active' : summary.state,
    transitioning: summary.isError ? 'error' : summary.isTransitioning ? 'yes' : 'no',
    transitioningMessage: [...summary.messages].join('; '),
  };
}

interface Summary {
  state: string;
  isError: boolean;
  isTransitioning: boolean;
  readonly messages: Set<string>;
}

function summarize(conditions: readonly SeenCondition[]): Summary {
  const summary: Summary = { state: '', isError: false, isTransitioning: false, messages: new Set() };
  const tell = ({ message = '' }: SeenCondition) => {
    if (message !== '') summary.messages.add(message);
  };
  for (const condition of conditions) {
    const { type = '', status } = condition;
    if (!Object.hasOwn(states, type) || (status !== 'False' && status !== 'Unknown')) continue;
    if (status === 'False') {
      summary.isError = true;
      summary.state = states[type]!;
    } else {
      summary.isTransitioning = true;
      if (summary.state === '') summary.state = states[type]!;
    }
    tell(condition);
  }
  if (summary.state !== '') return summary;
  const find = (type: string) => conditions.find(condition => condition.type === type);
  const reconciling = find('Reconciling');
  const ready = find('Ready');
  if (reconciling?.status === 'True') {
    summary.state = 'reconciling';
    summary.isTransitioning = true;
    tell(reconciling);
  } else if (ready && ready.status !== 'True') {
    summary.state = 'unavailable';
    if (ready.status === 'False') summary.isTransitioning = true;
    else summary.isError = true;
    tell(ready);
  }
  return summary;
}
