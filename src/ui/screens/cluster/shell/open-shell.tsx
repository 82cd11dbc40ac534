import { useEffect, useState, type ReactNode } from 'react';
import { kinds, type KubeObject } from '../../../data/kinds.ts';
import { useObject } from '../../../data/use-list.ts';
import type { Listed } from '../../../data/watched-list.ts';
import { CommandLine } from '../../../parts/command-line.tsx';
import { Icon } from '../../../parts/icon.tsx';
import { LeaveHint } from '../../../parts/leave-keys.tsx';
import { ErrorNote, Loading } from '../../../parts/notes.tsx';
import { useContainerShell } from '../../../parts/use-container-shell.ts';
import { commandFor } from '../../object/command-for.ts';
import { afterRefusal, judgeShellPod, type SeenPod, type ShellState } from './judge-shell-pod.ts';
import type { ShellSession } from './shell-session.ts';

interface OpenShellProps {
  readonly session: ShellSession;
  onClose(): void;
}

/** The way from a pod that was asked for to a terminal, and its end. */
export function OpenShell({ session, onClose }: OpenShellProps) {
  const { step, error, tryAgain } = useProgress(session);
  const close = (
    <button type="button" className="button" onClick={onClose}>
      <Icon name="close" />
      {step === 'equipped' ? 'Close the shell' : 'Close'}
    </button>
  );
  if (error !== undefined)
    return (
      <div className="stack">
        <ErrorNote error={error} />
        <Next text={afterRefusal(error instanceof Error ? error.message : '')} />
        <div className="row">
          {close}
          {tryAgain && (
            <button type="button" className="button" onClick={tryAgain}>
              Try again
            </button>
          )}
        </div>
      </div>
    );
  if (step === 'equipped') return <ShellTerminal session={session} close={close} />;
  return (
    <div className="stack">
      <Progress state={step} />
      <div className="row">{close}</div>
    </div>
  );
}

interface ShellProgress {
  readonly step: ShellState | 'equipped';
  readonly error: unknown;
  /** When it can be done without a new pod. */
  readonly tryAgain?: (() => void) | undefined;
}

/** How far it has come. A cluster that was away and is back goes on by itself. A shell that was open stays on the screen: what was written there may be needed. */
function useProgress(session: ShellSession): ShellProgress {
  const [error, setError] = useState<unknown>();
  const [isBegun, setBegun] = useState(false);
  const [isEquipped, setEquipped] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const { object, listed } = useObject<KubeObject & SeenPod>(kinds.pod, { ...session.at, name: isBegun ? session.at.name : undefined });
  const [wasSeen, setSeen] = useState(false);
  if (object && !wasSeen) setSeen(true);
  const state = stateOf(object, listed, { cluster: session.at.cluster, wasSeen });
  const isRunning = state.state === 'running';
  useEffect(() => void session.begun.then(() => setBegun(true), setError), [session]);
  useEffect(() => {
    if (!isRunning) return;
    setError(undefined);
    session.equip().then(() => setEquipped(true), setError);
  }, [session, isRunning, attempt]);
  if (isEquipped) return { step: 'equipped', error };
  const failure = error ?? (object === undefined ? listed.error : undefined);
  return {
    step: isRunning ? { state: 'waiting', message: 'Your token is brought into the pod' } : state,
    error: failure,
    tryAgain: isRunning ? () => setAttempt(attempt + 1) : undefined,
  };
}

function stateOf(
  pod: SeenPod | undefined,
  { state, error }: Listed,
  { cluster, wasSeen }: { cluster: string; wasSeen: boolean },
): ShellState {
  if (wasSeen && state === 'stale')
    return {
      state: 'stuck',
      message: `${cluster} does not answer${error ? `: ${error.message}` : ''}.`,
      next: 'It goes on by itself when it does.',
    };
  if (pod) return judgeShellPod(pod);
  if (wasSeen && state === 'live') return { state: 'over', message: 'The pod of the shell is gone.' };
  return { state: 'waiting', message: 'The pod is being made' };
}

function Progress({ state }: { state: ShellState }) {
  if (state.state === 'running') return null;
  if (state.state === 'waiting') return <Loading what={state.message} />;
  return (
    <div className={`note ${state.state === 'stuck' ? 'warn' : ''}`} role="status">
      <Icon name={state.state === 'stuck' ? 'warn' : 'info'} />
      <div className="stack tight">
        <p>{state.message}</p>
        {state.next !== undefined && <p>{state.next}</p>}
      </div>
    </div>
  );
}

const Next = ({ text }: { text: string | undefined }) => (text === undefined ? null : <p>{text}</p>);

function ShellTerminal({ session: { at }, close }: { session: ShellSession; close: ReactNode }) {
  const [attempt, setAttempt] = useState(0);
  const { place, bar, ended } = useContainerShell(at, attempt);
  return (
    <div className="stack tight">
      <div className="row" ref={bar} tabIndex={-1}>
        {close}
        {ended === undefined ? (
          <LeaveHint />
        ) : (
          <>
            <span role="status">{ended}</span>
            <button type="button" className="button" onClick={() => setAttempt(attempt + 1)}>
              Open again
            </button>
          </>
        )}
      </div>
      <div className="terminal" ref={place} />
      <CommandLine command={commandFor(at.cluster, `exec -it ${at.name} -c ${at.container} -- sh`, at.namespace)} />
    </div>
  );
}
