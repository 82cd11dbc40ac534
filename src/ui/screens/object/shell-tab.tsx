import { useEffect, useRef, useState } from 'react';
import { useUrlValue } from '../../app/place.tsx';
import { kinds, pathOf, type KubeObject } from '../../data/kinds.ts';
import { request } from '../../data/request.ts';
import { CommandLine } from '../../parts/command-line.tsx';
import { LeaveHint } from '../../parts/leave-keys.tsx';
import { openTerminal } from '../../parts/terminal.ts';
import type { ObjectAt } from './object-place.ts';
import { commandFor } from './command-for.ts';

const shells = 'command -v bash >/dev/null && exec bash || exec sh';
const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** A shell in a container of a pod. */
export function ShellTab({ object, at, isShown }: { object: KubeObject; at: ObjectAt; isShown: boolean }) {
  const containers = ((object['spec'] as { containers?: { name: string }[] } | undefined)?.containers ?? []).map(one => one.name);
  const [chosen, setChosen] = useUrlValue('container');
  // The address is about what is shown.
  const [container, setContainer] = useState(chosen || (containers[0] ?? ''));
  if (isShown && chosen !== '' && chosen !== container) setContainer(chosen);
  const [attempt, setAttempt] = useState(0);
  const { place, bar, ended } = useShell(at, container, attempt);
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

function useShell({ cluster, namespace, name }: ObjectAt, container: string, attempt: number) {
  const place = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const [ended, setEnded] = useState<string>();
  useEffect(() => {
    setEnded(undefined);
    const { terminal, fit } = openTerminal(place.current!, () => bar.current?.focus());
    const query = new URLSearchParams([
      ['container', container],
      ['stdin', 'true'],
      ['stdout', 'true'],
      ['tty', 'true'],
      ...['sh', '-c', shells].map(word => ['command', word] as [string, string]),
    ]);
    const path = pathOf(kinds.pod, { cluster, namespace, name, subresource: 'exec' });
    const socket = new WebSocket(`wss://${location.host}${path}?${query.toString()}`, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
    socket.binaryType = 'arraybuffer';
    const send = (channel: number, text: string) => {
      if (socket.readyState !== WebSocket.OPEN) return;
      const bytes = new TextEncoder().encode(text);
      const frame = new Uint8Array(bytes.length + 1);
      frame[0] = channel;
      frame.set(bytes, 1);
      socket.send(frame);
    };
    const resize = () => {
      if (place.current?.offsetParent === null) return;
      fit.fit();
      send(channels.resize, JSON.stringify({ Width: terminal.cols, Height: terminal.rows }));
    };
    let last = '';
    socket.onopen = () => {
      wasOpen = true;
      resize();
      terminal.focus();
    };
    socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
      const frame = new Uint8Array(data);
      if (frame[0] === channels.error) last = statusText(new TextDecoder().decode(frame.subarray(1)));
      else terminal.write(frame.subarray(1));
    };
    let wasOpen = false;
    socket.onclose = ({ reason }) => {
      if (wasOpen) return setEnded(last || reason || `The connection to ${cluster} is lost.`);
      // Browsers do not tell why a connection was refused; the same question without it is answered in words.
      request(`${path}?${query.toString()}`).then(
        () => setEnded('The connection was refused.'),
        (error: unknown) => setEnded((error as Error).message),
      );
    };
    terminal.onData(text => send(channels.stdin, text));
    const sizes = new ResizeObserver(resize);
    sizes.observe(place.current!);
    return () => {
      sizes.disconnect();
      socket.onclose = null;
      socket.close();
      terminal.dispose();
    };
  }, [cluster, namespace, name, container, attempt]);
  return { place, bar, ended };
}

function statusText(text: string): string {
  try {
    const { status, message } = JSON.parse(text) as { status?: string; message?: string };
    return status === 'Success' ? 'The shell has ended.' : (message ?? text);
  } catch {
    return text;
  }
}
