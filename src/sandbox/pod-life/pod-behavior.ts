import { parseGoDuration, TimeError } from '../../apiserver/schema/go-time.ts';

/** How a container of a sandbox pod behaves. All but `run` are asked for by annotation. */
export const behaviors = ['run', 'complete', 'crash', 'oom', 'hang', 'not-ready', 'image-pull-error', 'config-error', 'evict'] as const;
export type Behavior = (typeof behaviors)[number];

const prefix = 'sandbox.drover.io/';
/** Followed by a container's name: the behavior of that container alone. */
const containerPrefix = 'behavior.sandbox.drover.io/';

export interface PodBehavior {
  /** Of a container: an init container runs to its end unless it is named itself. */
  of(container: string, isInit: boolean): Behavior;
  /** How long containers run before they count as started and ready. */
  readonly readyAfterMs: number;
  /** How long containers run before they end by themselves; undefined: they go on. */
  readonly completeAfterMs: number | undefined;
  /** How long containers take to end once they were told to. */
  readonly terminateAfterMs: number;
  /** What they end with; undefined: 0, or what the behavior implies. */
  readonly exitCode: number | undefined;
  /** What the person who wrote the annotations should be told. */
  readonly problems: readonly string[];
}

export interface PodBehaviorInput {
  readonly annotations: Readonly<Record<string, string>> | undefined;
  /** Tasks end by themselves, well and at once, unless they are told otherwise. */
  readonly isTask: boolean;
}

/** Reads the annotations of a pod. What cannot be read is reported and left out. */
export function readPodBehavior({ annotations = {}, isTask }: PodBehaviorInput): PodBehavior {
  const problems: string[] = [];
  const general = behavior(`${prefix}behavior`, annotations[`${prefix}behavior`]);
  const exitCode = integer(`${prefix}exit-code`);
  const completeAfterMs = duration(`${prefix}complete-after`);
  const ofContainers = new Map<string, Behavior>();
  for (const key in annotations) {
    if (!key.startsWith(containerPrefix)) continue;
    const read = behavior(key, annotations[key]);
    if (read) ofContainers.set(key.slice(containerPrefix.length), read);
  }
  const endsByItself = completeAfterMs !== undefined || exitCode !== undefined || isTask;
  const usual = general ?? (endsByItself ? 'complete' : 'run');

  return {
    of: (container, isInit) => ofContainers.get(container) ?? (isInit ? 'complete' : usual),
    readyAfterMs: duration(`${prefix}ready-after`) ?? 0,
    completeAfterMs,
    terminateAfterMs: duration(`${prefix}terminate-after`) ?? 0,
    exitCode,
    problems,
  };

  function behavior(key: string, text: string | undefined): Behavior | undefined {
    if (text === undefined) return undefined;
    const known = behaviors.find(name => name === text);
    if (!known) problems.push(`annotation ${key} is "${text}", and must be one of ${behaviors.join(', ')}`);
    return known;
  }

  function duration(key: string): number | undefined {
    const text = annotations[key];
    if (text === undefined) return undefined;
    const ms = millisecondsOf(text);
    if (ms !== undefined && ms >= 0) return ms;
    problems.push(`annotation ${key} is "${text}", and must be a duration such as 5s`);
    return undefined;
  }

  function integer(key: string): number | undefined {
    const text = annotations[key];
    if (text === undefined) return undefined;
    if (/^[0-9]{1,3}$/.test(text) && Number(text) <= 255) return Number(text);
    problems.push(`annotation ${key} is "${text}", and must be a whole number from 0 to 255`);
    return undefined;
  }
}

/** What `kubectl logs` shows of the pod's containers, if its annotations say. */
export const logAnnotation = `${prefix}log`;

function millisecondsOf(text: string): number | undefined {
  try {
    return Number(parseGoDuration(text) / 1_000_000n);
  } catch (error) {
    if (error instanceof TimeError) return undefined;
    throw error;
  }
}
