import { useState } from 'react';
import { useUrlValue } from '../../app/place.tsx';
import type { KubeObject } from '../../data/kinds.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { LeaveHint } from '../../parts/leave-keys.tsx';
import { useContainerShell } from '../../parts/use-container-shell.ts';
import type { ObjectAt } from './object-place.ts';
import { commandFor } from './command-for.ts';

/** A shell in a container of a pod. */
export function ShellTab({ object, at, isShown }: { object: KubeObject; at: ObjectAt; isShown: boolean }) {
  const containers = ((object['spec'] as { containers?: { name: string }[] } | undefined)?.containers ?? []).map(one => one.name);
  const [chosen, setChosen] = useUrlValue('container');
  // The address is about what is shown.
  const [container, setContainer] = useState(chosen || (containers[0] ?? ''));
  if (isShown && chosen !== '' && chosen !== container) setContainer(chosen);
  const [attempt, setAttempt] = useState(0);
  const { place, bar, ended } = useContainerShell({ ...at, container }, attempt);
  return (
    <div className="stack tight">
      <div className="row" ref={bar} tabIndex={-1}>
        <LeaveHint />
        {containers.length > 1 && (
          <select className="input log-filter" aria-label="Container" value={container} onChange={event => setChosen(event.target.value)}>
            {containers.map(name => (
              <option key={name}>{name}</option>
            ))}
          </select>
        )}
        {ended !== undefined && (
          <>
            <span role="status">{ended}</span>
            <button type="button" className="button" onClick={() => setAttempt(attempt + 1)}>
              Open again
            </button>
          </>
        )}
      </div>
      <div className="terminal" ref={place} />
      <CommandLine command={commandFor(at.cluster, `exec -it ${at.name} -c ${container} -- sh`, at.namespace)} />
    </div>
  );
}
