import { useEffect, useRef, useState } from 'react';
import { openExec, type ContainerAt } from '../data/exec.ts';
import { openTerminal } from './terminal.ts';

const shells = 'command -v bash >/dev/null && exec bash || exec sh';

/** A shell in a container: `place` is where it is drawn, `bar` what gets the focus from it, `ended` why it is over. Another attempt opens another. */
export function useContainerShell({ cluster, namespace, name, container }: ContainerAt, attempt: number) {
  const place = useRef<HTMLDivElement>(null);
  const bar = useRef<HTMLDivElement>(null);
  const [ended, setEnded] = useState<string>();
  useEffect(() => {
    setEnded(undefined);
    const { terminal, fit } = openTerminal(place.current!, () => bar.current?.focus());
    const resize = () => {
      if (place.current?.offsetParent === null) return;
      fit.fit();
      exec.resize(terminal.cols, terminal.rows);
    };
    const exec = openExec(
      { cluster, namespace, name, container },
      ['sh', '-c', shells],
      { isTerminal: true },
      {
        onOpen() {
          resize();
          terminal.focus();
        },
        onBytes: bytes => terminal.write(bytes),
        onEnd: failure => setEnded(failure ?? 'The shell has ended.'),
      },
    );
    terminal.onData(text => exec.send(text));
    const sizes = new ResizeObserver(resize);
    sizes.observe(place.current!);
    return () => {
      sizes.disconnect();
      exec.close();
      terminal.dispose();
    };
  }, [cluster, namespace, name, container, attempt]);
  return { place, bar, ended };
}
