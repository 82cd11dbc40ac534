import type { Informer } from '../../../runtime/informer.ts';
import type { RunInputs } from '../inputs/run-inputs.ts';
import { secretsOf } from '../inputs/service-variables.ts';
import type { WorkflowRun } from '../kinds/workflow-run.ts';
import type { RunLogs } from '../logs/run-logs.ts';
import { withStatus } from './run-facts.ts';

export interface RunSecrets {
  /** The secrets of a run, by the expression that gives them. Its logs hide them from then on. */
  of(run: WorkflowRun, signal: AbortSignal): Promise<ReadonlyMap<string, string>>;
}

export interface RunSecretsDeps {
  readonly runs: Informer<WorkflowRun>;
  readonly inputs: Pick<RunInputs, 'readSecrets'>;
  readonly logs: RunLogs;
  readonly signal: AbortSignal;
}

const none: ReadonlyMap<string, string> = new Map();

/** Reads the secrets of runs, once for each when all are there. They and the logs go with their runs, at the start those of runs that went meanwhile. */
export function runSecrets({ runs, inputs, logs, signal }: RunSecretsDeps): RunSecrets {
  const known = new Map<string, ReadonlyMap<string, string>>();
  const subscription = runs.subscribe(({ type, object: { metadata } }) => {
    if (type === 'DELETED') forget(metadata.uid ?? '');
  });
  signal.addEventListener('abort', () => subscription[Symbol.dispose](), { once: true });
  runs.synced.then(sweep, () => {});

  return {
    async of(run, stop) {
      const { uid = '', namespace = '' } = run.metadata;
      const { snapshot } = withStatus(run).status ?? {};
      if (!snapshot) return none;
      const found = known.get(uid) ?? (await inputs.readSecrets(namespace, snapshot, stop));
      logs.hide(uid, found.values());
      // Who made what was missing tries again.
      if (found.size === secretsOf(snapshot).size) known.set(uid, found);
      return found;
    },
  };

  function sweep(): void {
    const uids = new Set(runs.list().map(one => one.metadata.uid));
    for (const uid of logs.kept()) if (!uids.has(uid)) forget(uid);
  }

  function forget(uid: string): void {
    logs.remove(uid);
    known.delete(uid);
  }
}
