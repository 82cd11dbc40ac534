import { useEffect, useRef, useState } from 'react';
import { CommandLine } from '../../parts/command-line.tsx';
import { LeaveHint } from '../../parts/leave-keys.tsx';
import { openTerminal } from '../../parts/terminal.ts';
import { ConsoleBar } from './console-bar.tsx';
import { openConsole, virtctl, type MachineAt } from './console-socket.ts';

/** The serial port of a machine that runs, as a terminal. */
export function SerialConsole({ at }: { at: MachineAt }) {
  const place = useRef<HTMLDivElement>(null);
  const again = useRef<HTMLButtonElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ readonly isOpen: boolean; readonly ended?: string }>({ isOpen: false });
  const { cluster, namespace, name } = at;
  useEffect(() => {
    setState({ isOpen: false });
    const { terminal, fit } = openTerminal(place.current!, () => again.current?.focus());
    const socket = openConsole({ cluster, namespace, name }, 'console', {
      onOpen: () => {
        setState({ isOpen: true });
        terminal.focus();
      },
      onBytes: bytes => terminal.write(bytes),
      onEnd: ended => setState({ isOpen: false, ended }),
    });
    terminal.onData(text => socket.send(new TextEncoder().encode(text)));
    const sizes = new ResizeObserver(() => fit.fit());
    sizes.observe(place.current!);
    return () => {
      sizes.disconnect();
      socket.close();
      terminal.dispose();
    };
  }, [cluster, namespace, name, attempt]);
  return (
    <div className="stack tight">
      <ConsoleBar {...state} again={again} onAgain={() => setAttempt(attempt + 1)}>
        <LeaveHint />
      </ConsoleBar>
      <div className="terminal" ref={place} role="group" aria-label={`Serial console of ${name}`} />
      <p className="muted">Nothing is seen until the machine writes something. Enter wakes most of them.</p>
      <CommandLine command={virtctl(at, 'console')} />
    </div>
  );
}
