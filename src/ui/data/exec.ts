import { kinds, pathOf } from './kinds.ts';
import { request } from './request.ts';

const channels = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

/** A container of a pod. */
export interface ContainerAt {
  readonly cluster: string;
  readonly namespace: string | undefined;
  readonly name: string;
  readonly container: string;
}

export interface ExecListener {
  onOpen(): void;
  onBytes(bytes: Uint8Array): void;
  /** What it ended with; without words when it did what it was asked to. */
  onEnd(failure: string | undefined): void;
}

export interface Exec {
  send(text: string): void;
  resize(columns: number, rows: number): void;
  /** Nothing more is heard of it. */
  close(): void;
}

/** Runs a command in a container, as `kubectl exec -i` does, with `-t` when it is for a terminal. */
export function openExec(
  at: ContainerAt,
  command: readonly string[],
  { isTerminal }: { isTerminal: boolean },
  listener: ExecListener,
): Exec {
  const query = new URLSearchParams([
    ['container', at.container],
    ['stdin', 'true'],
    ['stdout', 'true'],
    isTerminal ? ['tty', 'true'] : ['stderr', 'true'],
    ...command.map(word => ['command', word] as [string, string]),
  ]);
  const path = pathOf(kinds.pod, { ...at, subresource: 'exec' });
  const socket = new WebSocket(`wss://${location.host}${path}?${query.toString()}`, ['v5.channel.k8s.io', 'v4.channel.k8s.io']);
  socket.binaryType = 'arraybuffer';
  let wasOpen = false;
  let status: { failure: string | undefined } | undefined;
  const send = (channel: number, text: string) => {
    if (socket.readyState !== WebSocket.OPEN) return;
    const bytes = new TextEncoder().encode(text);
    const frame = new Uint8Array(bytes.length + 1);
    frame[0] = channel;
    frame.set(bytes, 1);
    socket.send(frame);
  };
  socket.onopen = () => {
    wasOpen = true;
    listener.onOpen();
  };
  socket.onmessage = ({ data }: MessageEvent<ArrayBuffer>) => {
    const frame = new Uint8Array(data);
    if (frame[0] === channels.error) status = { failure: failureOf(new TextDecoder().decode(frame.subarray(1))) };
    else listener.onBytes(frame.subarray(1));
  };
  socket.onclose = ({ reason }) => {
    if (status) return listener.onEnd(status.failure);
    if (wasOpen) return listener.onEnd(reason || `The connection to ${at.cluster} is lost.`);
    // Browsers do not tell why a connection was refused; the same question without it is answered in words.
    request(`${path}?${query.toString()}`).then(
      () => listener.onEnd('The connection was refused.'),
      (error: unknown) => listener.onEnd((error as Error).message),
    );
  };
  return {
    send: text => send(channels.stdin, text),
    resize: (columns, rows) => send(channels.resize, JSON.stringify({ Width: columns, Height: rows })),
    close() {
      socket.onopen = socket.onmessage = socket.onclose = null;
      socket.close();
    },
  };
}

/** Runs a command with one line as its input, and waits until it is done. */
export function execWithLine(at: ContainerAt, command: readonly string[], line: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    const exec = openExec(
      at,
      command,
      { isTerminal: false },
      {
        onOpen: () => exec.send(`${line}\n`),
        onBytes: bytes => (said += new TextDecoder().decode(bytes)),
        onEnd: failure => (failure === undefined ? resolve() : reject(new Error(said.trim() || failure))),
      },
    );
  });
}

function failureOf(text: string): string | undefined {
  try {
    const { status, message } = JSON.parse(text) as { status?: string; message?: string };
    return status === 'Success' ? undefined : (message ?? text);
  } catch {
    return text;
  }
}
