import type { KubeObject } from '../../../data/kinds.ts';
import { containersOf, lifeOf } from './container-life.ts';
import { followContainer, type Follower, type FollowState } from './follow-container.ts';
import { levelOf, visible, type LogLine } from './log-line.ts';

export interface PodLogsChoice {
  readonly cluster: string;
  /** All of a pod when empty. */
  readonly container: string;
  readonly isPrevious: boolean;
}

export interface ReadLogs {
  readonly lines: readonly LogLine[];
  readonly state: FollowState;
  /** What some of them were refused with. */
  readonly errors: readonly string[];
  /** How many lines were let go, the oldest ones. */
  readonly dropped: number;
}

const mostLines = 20_000;
const tellMs = 120;

/** What the containers of some pods write, in the order of its times. */
export class PodLogs {
  readonly #choice: PodLogsChoice;
  readonly #followers = new Map<string, Follower>();
  readonly #states = new Map<string, { readonly state: FollowState; readonly error: string | undefined }>();
  readonly #listeners = new Set<() => void>();
  #lines: LogLine[] = [];
  #isOrdered = true;
  #dropped = 0;
  #nextId = 0;
  #telling: ReturnType<typeof setTimeout> | undefined;
  #shown: ReadLogs = { lines: [], state: 'opening', errors: [], dropped: 0 };

  constructor(choice: PodLogsChoice) {
    this.#choice = choice;
  }

  readonly get = (): ReadLogs => this.#shown;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Reads on, of these pods as they are now. What those wrote that are gone stays. */
  follow(pods: readonly KubeObject[]): void {
    const { container: chosen } = this.#choice;
    const wanted = new Set<string>();
    for (const pod of pods)
      for (const container of containersOf(pod)) {
        if (chosen !== '' && chosen !== container) continue;
        const key = `${pod.metadata.uid ?? ''} ${container}`;
        wanted.add(key);
        const follower = this.#followers.get(key) ?? this.#newFollower(key, pod, container);
        follower.update(lifeOf(pod, container));
      }
    for (const [key, follower] of this.#followers) {
      if (wanted.has(key)) continue;
      follower.rest();
      this.#followers.delete(key);
      this.#states.delete(key);
    }
    this.#tell();
  }

  /** Listens no more, until somebody looks again. */
  rest(): void {
    clearTimeout(this.#telling);
    this.#telling = undefined;
    for (const follower of this.#followers.values()) follower.rest();
  }

  #newFollower(key: string, { metadata }: KubeObject, container: string): Follower {
    const { cluster, isPrevious } = this.#choice;
    const pod = metadata.name ?? '';
    const follower = followContainer(
      { cluster, namespace: metadata.namespace, pod, container, isPrevious },
      {
        onLines: lines => {
          for (const { at, text } of lines) this.#add({ at, pod, container, text: visible(text), level: levelOf(text), isNote: false });
          this.#tell();
        },
        onRestart: restarts => {
          const text = `${container} was started again, ${restarts === 1 ? 'once' : `${restarts} times`} by now`;
          this.#add({ at: this.#lines.at(-1)?.at ?? '', pod, container, text, level: undefined, isNote: true });
          this.#tell();
        },
        onState: (state, error) => {
          this.#states.set(key, { state, error: error && `${pod}: ${error.message}` });
          this.#tell();
        },
      },
    );
    this.#followers.set(key, follower);
    return follower;
  }

  #add(line: Omit<LogLine, 'id'>): void {
    const before = this.#lines.at(-1);
    if (before && line.at < before.at) this.#isOrdered = false;
    this.#lines.push({ ...line, at: line.at || (before?.at ?? ''), id: this.#nextId++ });
  }

  #tell(): void {
    this.#telling ??= setTimeout(() => {
      this.#telling = undefined;
      if (!this.#isOrdered) this.#lines.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : a.id - b.id));
      this.#isOrdered = true;
      const over = this.#lines.length - mostLines;
      if (over > 0) {
        this.#dropped += over;
        this.#lines = this.#lines.slice(over);
      }
      this.#shown = { lines: this.#lines.slice(), dropped: this.#dropped, ...summary([...this.#states.values()]) };
      for (const listener of this.#listeners) listener();
    }, tellMs);
  }
}

const states: readonly FollowState[] = ['live', 'opening', 'waiting', 'ended'];

/** Live when some are; ended when all are. */
function summary(all: readonly { readonly state: FollowState; readonly error: string | undefined }[]): Pick<ReadLogs, 'state' | 'errors'> {
  const state = states.find(one => all.some(other => other.state === one)) ?? 'opening';
  return { state, errors: [...new Set(all.flatMap(({ error }) => error ?? []))] };
}
