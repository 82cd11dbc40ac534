import { useEffect, useRef, useState, type RefObject } from 'react';
import { CommandLine } from '../../parts/command-line.tsx';
import { Icon } from '../../parts/icon.tsx';
import { isLeaving, LeaveHint } from '../../parts/leave-keys.tsx';
import { Menu } from '../../parts/menu.tsx';
import { ConsoleBar } from './console-bar.tsx';
import { openConsole, virtctl, type MachineAt } from './console-socket.ts';
import { PasteDialog } from './paste-dialog.tsx';
import { canvasScreen } from './vnc/canvas-screen.ts';
import { listenToHands } from './vnc/listen-to-hands.ts';
import { RfbClient } from './vnc/rfb-client.ts';

interface State {
  readonly isOpen: boolean;
  readonly ended?: string;
}

/** Chords that the browser or the desktop would keep for itself. */
const chords: readonly (readonly string[])[] = [
  ['Control', 'Alt', 'Delete'],
  ['Control', 'Alt', 'F1'],
  ['Control', 'Alt', 'F2'],
  ['Alt', 'Tab'],
  ['Meta'],
];
const codes: Readonly<Record<string, string>> = { Control: 'ControlLeft', Alt: 'AltLeft', Meta: 'MetaLeft' };

/** The screen of a machine that runs. */
export function VncConsole({ at }: { at: MachineAt }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const again = useRef<HTMLButtonElement>(null);
  const [attempt, setAttempt] = useState(0);
  const [isPasting, setPasting] = useState(false);
  const { state, client, copied } = useVnc(at, canvas, attempt, () => again.current?.focus());

  function closePaste(): void {
    setPasting(false);
    // Behind the dialog, which gives the focus back to its button.
    setTimeout(() => canvas.current?.focus());
  }

  return (
    <div className="stack tight">
      <ConsoleBar {...state} again={again} onAgain={() => setAttempt(attempt + 1)}>
        {state.isOpen && (
          <>
            <Menu
              label="Send keys"
              icon="key"
              items={chords.map(keys => ({
                id: keys.join(),
                title: keys.join(' '),
                onChoose: () => {
                  if (client.current) press(client.current, keys);
                  canvas.current?.focus();
                },
              }))}
            />
            <button type="button" className="button" onClick={() => setPasting(true)}>
              <Icon name="keyboard" />
              Paste
            </button>
            {copied !== '' && <CopyButton text={copied} />}
            <button type="button" className="button" onClick={() => void canvas.current?.requestFullscreen()}>
              <Icon name="machine" />
              Full screen
            </button>
          </>
        )}
        <LeaveHint />
      </ConsoleBar>
      <div className="machine-screen">
        <canvas ref={canvas} tabIndex={0} role="application" aria-label={`Screen of ${at.name}`} width={640} height={400} />
      </div>
      {isPasting && <PasteDialog name={at.name} client={client} onClose={closePaste} />}
      <CommandLine command={virtctl(at, 'vnc')} />
    </div>
  );
}

/** What somebody copied in the machine goes to the clipboard of whoever looks when they ask for it. */
function CopyButton({ text }: { text: string }) {
  const [copied, setCopied] = useState<string>();
  return (
    <button type="button" className="button" onClick={() => void navigator.clipboard.writeText(text).then(() => setCopied(text))}>
      <Icon name="copy" />
      {copied === text ? 'Copied' : 'Copy what it copied'}
    </button>
  );
}

function press(client: RfbClient, keys: readonly string[]): void {
  const pressed = keys.map(key => ({ key, code: codes[key] ?? key }));
  for (const key of pressed) client.pressKey(key, true);
  for (const key of pressed.toReversed()) client.pressKey(key, false);
}

function useVnc(
  { cluster, namespace, name }: MachineAt,
  canvas: RefObject<HTMLCanvasElement | null>,
  attempt: number,
  onLeave: () => void,
) {
  const [state, setState] = useState<State>({ isOpen: false });
  const [copied, setCopied] = useState('');
  const client = useRef<RfbClient>(undefined);
  useEffect(() => {
    setState({ isOpen: false });
    const place = canvas.current!;
    const rfb = new RfbClient(bytes => socket.send(bytes), canvasScreen(place, setCopied));
    const socket = openConsole({ cluster, namespace, name }, 'vnc', {
      onBytes: bytes => rfb.hear(bytes),
      onEnd: why => rfb.close(new Error(why)),
    });
    let isOver = false;
    client.current = rfb;
    void show();
    const ears = listenToHands(place, rfb, { isLeaving, onLeave });
    return () => {
      isOver = true;
      client.current = undefined;
      ears();
      socket.close();
      rfb.close(new Error('closed'));
    };

    async function show(): Promise<void> {
      try {
        await rfb.open();
        if (isOver) return;
        setState({ isOpen: true });
        place.focus();
        await rfb.run();
      } catch (error) {
        socket.close();
        if (!isOver) setState({ isOpen: false, ended: (error as Error).message });
      }
    }
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the canvas stays, and who leaves is told the same
  }, [cluster, namespace, name, attempt]);
  return { state, client, copied };
}
