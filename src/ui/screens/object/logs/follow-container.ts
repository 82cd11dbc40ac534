import { kinds, pathOf } from '../../../data/kinds.ts';
import type { ApiError } from '../../../data/request.ts';
import { openStream } from '../../../data/streams.ts';
import type { ContainerLife } from './container-life.ts';
import { splitTime } from './log-line.ts';

export interface FollowedContainer {
  readonly cluster: string;
  readonly namespace: string | undefined;
  readonly pod: string;
  readonly container: string;
  /** Of the run before this one, which writes nothing more. */
  readonly isPrevious: boolean;
}

export interface FollowListener {
  onLines(lines: readonly { readonly at: string; readonly text: string }[]): void;
  /** It was started again, so many times by now. */
  onRestart(restarts: number): void;
  onState(state: FollowState, error?: ApiError): void;
}

export type FollowState = 'opening' | 'live' | 'waiting' | 'ended';

export interface Follower {
  /** What is known of the container now. */
  update(life: ContainerLife): void;
  /** Stops; `update` begins again where it was left. */
  rest(): void;
}

const tailLines = 2000;
const firstDelayMs = 1000;
const maxDelayMs = 15_000;

/** Reads what a container writes: past connections that break, and past restarts, without a line twice. */
export function followContainer({ cluster, namespace, pod, container, isPrevious }: FollowedContainer, listener: FollowListener): Follower {
  const path = pathOf(kinds.pod, { cluster, namespace, name: pod, subresource: 'log' });
  let life: ContainerLife | undefined;
  let close: (() => void) | undefined;
  let retry: ReturnType<typeof setTimeout> | undefined;
  let failures = 0;
  let last = '';
  let wasRead = false;

  function open(): void {
    clearTimeout(retry);
    retry = undefined;
    const query = new URLSearchParams({ container, timestamps: 'true', ...(isPrevious ? { previous: 'true' } : { follow: 'true' }) });
    // Asked for in seconds: what is known of that second is left out.
    if (last === '') query.set('tailLines', String(tailLines));
    else query.set('sinceTime', `${last.slice(0, 19)}Z`);
    const known = last;
    let rest = '';
    const take = (texts: readonly string[]) => {
      const lines = texts.map(splitTime).filter(({ at }) => at === '' || at > known);
      if (lines.length === 0) return;
      last = lines.findLast(({ at }) => at !== '')?.at ?? last;
      listener.onLines(lines);
    };
    listener.onState('opening');
    close = openStream(
      `${path}?${query.toString()}`,
      {
        onOpen() {
          failures = 0;
          wasRead = true;
          listener.onState('live');
        },
        onText(text) {
          const texts = (rest + text).split('\n');
          rest = texts.pop()!;
          take(texts);
        },
        onEnd(error) {
          close = undefined;
          if (rest !== '') take([rest]);
          end(error);
        },
      },
      '*/*',
    );
  }

  function end(error: ApiError | undefined): void {
    if (isPrevious || life?.state === 'over') return listener.onState('ended', error);
    listener.onState('waiting', error);
    // Somebody who runs will write more. Who rests is asked again when he runs.
    if (life?.state === 'running') retry = setTimeout(open, Math.min(firstDelayMs * 2 ** failures++, maxDelayMs));
  }

  return {
    update(next) {
      const before = life;
      life = next;
      if (before && next.restarts > before.restarts && !isPrevious) listener.onRestart(next.restarts);
      if (close) return;
      const isFirst = before === undefined;
      const isBack = next.state === 'running' && before?.state !== 'running';
      if (isFirst || (!isPrevious && (isBack || next.restarts !== before.restarts))) open();
      else if (next.state === 'over' && wasRead) listener.onState('ended');
    },
    rest() {
      clearTimeout(retry);
      retry = undefined;
      close?.();
      close = undefined;
      life = undefined;
    },
  };
}
