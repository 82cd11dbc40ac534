import type { KubeObject } from '../../data/kinds.ts';
import { PlaceLink } from '../../app/place.tsx';
import { kinds, objectPlace } from '../../data/kinds.ts';
import { StateBadge, words, type Tone } from '../../parts/state-badge.tsx';
import type { ObjectAt } from './object-place.ts';

interface ContainerState {
  readonly running?: object;
  readonly waiting?: { readonly reason?: string; readonly message?: string };
  readonly terminated?: { readonly reason?: string; readonly exitCode?: number; readonly message?: string };
}

interface PodLike {
  readonly spec?: { readonly nodeName?: string; readonly containers?: readonly { readonly name: string; readonly image?: string }[] };
  readonly status?: {
    readonly podIP?: string;
    readonly containerStatuses?: readonly {
      readonly name: string;
      readonly ready?: boolean;
      readonly restartCount?: number;
      readonly state?: ContainerState;
    }[];
  };
}

/** The containers of a pod, and where it runs. */
export function PodFacts({ pod, at }: { pod: KubeObject; at: ObjectAt }) {
  const { spec = {}, status = {} } = pod as KubeObject & PodLike;
  return (
    <section className="card stack tight">
      <h2>Containers</h2>
      <p className="muted">
        {status.podIP ?? 'No address yet'}
        {spec.nodeName !== undefined && (
          <>
            {' '}
            on <PlaceLink to={objectPlace(kinds.node, { cluster: at.cluster, name: spec.nodeName })}>{spec.nodeName}</PlaceLink>
          </>
        )}
      </p>
      <dl className="facts">
        {(spec.containers ?? []).map(({ name, image }) => {
          const found = status.containerStatuses?.find(one => one.name === name);
          const { tone, word, why } = judge(found?.state, found?.ready);
          return (
            <div key={name} className="fact">
              <dt>
                <code>{name}</code>
              </dt>
              <dd className="row">
                <StateBadge tone={tone} word={word} why={why} />
                <code>{image}</code>
                {(found?.restartCount ?? 0) > 0 && <span className="muted">{found!.restartCount} restarts</span>}
                {why && <span className="muted">{why}</span>}
              </dd>
            </div>
          );
        })}
      </dl>
    </section>
  );
}

function judge(state: ContainerState | undefined, isReady = false): { tone: Tone; word: string; why: string | undefined } {
  if (state?.running) return { tone: isReady ? 'good' : 'warn', word: isReady ? 'Running' : 'Running, not ready', why: undefined };
  if (state?.terminated) {
    const { exitCode = 0, reason = 'Ended', message } = state.terminated;
    return { tone: exitCode === 0 ? 'idle' : 'bad', word: `${words(reason)} (${exitCode})`, why: message };
  }
  const { reason = 'Waiting', message } = state?.waiting ?? {};
  return { tone: /err|backoff/i.test(reason) ? 'bad' : 'info', word: words(reason), why: message };
}
