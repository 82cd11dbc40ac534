import type { RfbClient } from './rfb-client.ts';

interface Leaving {
  isLeaving(event: KeyboardEvent): boolean;
  onLeave(): void;
}

const wheel = { up: 8, down: 16 } as const;
/** Of the browser's buttons, those of VNC: the right one and the middle one change places. */
const buttonsOf = (buttons: number): number => (buttons & 1) | ((buttons & 2) << 1) | ((buttons & 4) >> 1);

/** Brings keys and the mouse to the machine while the canvas has the focus. Answers how to stop. */
export function listenToHands(canvas: HTMLCanvasElement, client: RfbClient, { isLeaving, onLeave }: Leaving): () => void {
  const stop = new AbortController();
  const { signal } = stop;
  /** By place: the name under which a key was pressed is the one under which it is let go. */
  const held = new Map<string, string>();
  let buttons = 0;
  let moved: PointerEvent | undefined;

  canvas.addEventListener('keydown', onKey, { signal });
  canvas.addEventListener('keyup', onKey, { signal });
  canvas.addEventListener('blur', letGo, { signal });
  for (const type of ['pointerdown', 'pointerup', 'pointermove', 'pointercancel'] as const)
    canvas.addEventListener(type, onPointer, { signal });
  canvas.addEventListener('wheel', onWheel, { signal, passive: false });
  canvas.addEventListener('contextmenu', event => event.preventDefault(), { signal });
  return () => {
    letGo();
    stop.abort();
  };

  function onKey(event: KeyboardEvent): void {
    const isDown = event.type === 'keydown';
    event.preventDefault();
    if (isDown && isLeaving(event)) return onLeave();
    const { code } = event;
    if (!isDown && !held.has(code)) return;
    const key = isDown ? event.key : held.get(code)!;
    if (isDown) held.set(code, key);
    else held.delete(code);
    client.pressKey({ key, code }, isDown);
  }

  function letGo(): void {
    for (const [code, key] of held) client.pressKey({ key, code }, false);
    held.clear();
  }

  function onPointer(event: PointerEvent): void {
    if (event.type === 'pointerdown') {
      canvas.focus();
      canvas.setPointerCapture(event.pointerId);
    }
    const now = event.type === 'pointercancel' ? 0 : buttonsOf(event.buttons);
    const isMoveOnly = now === buttons;
    buttons = now;
    // Moves are many; one for each picture is enough.
    if (isMoveOnly && moved) moved = event;
    else if (isMoveOnly) {
      moved = event;
      requestAnimationFrame(() => {
        if (moved) point(moved, buttons);
        moved = undefined;
      });
    } else {
      moved = undefined;
      point(event, buttons);
    }
  }

  function onWheel(event: WheelEvent): void {
    event.preventDefault();
    const button = event.deltaY < 0 ? wheel.up : wheel.down;
    point(event, buttons | button);
    point(event, buttons);
  }

  function point({ clientX, clientY }: MouseEvent, mask: number): void {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    // In full screen the picture keeps its shape and stands in the middle.
    const scale = Math.min(width / canvas.width, height / canvas.height) || 1;
    const x = (clientX - left - (width - canvas.width * scale) / 2) / scale;
    const y = (clientY - top - (height - canvas.height * scale) / 2) / scale;
    client.movePointer(x, y, mask);
  }
}
