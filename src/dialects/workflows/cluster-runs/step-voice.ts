import type { KubeObject } from '../../../api/object.ts';
import { refOf } from '../../../core/delivery/object-ref.ts';
import type { Key } from '../../../runtime/key.ts';
import type { LogLine, RunLogs } from '../logs/run-logs.ts';
import { isRecord } from '../release/release-record.ts';
import { refLine, unitLog } from '../release/step-log.ts';
import type { SteadyState } from '../release/steady-state.ts';
import type { SeenEvent } from './look-at-workloads.ts';
import type { Heard } from './pod-words.ts';
import type { StepContext } from './step-context.ts';

interface Said {
  readonly grant: number;
  readonly states: Map<number, string>;
  readonly events: Set<string>;
  readonly heard: Heard;
}

/** What steps say in the log. Each thing is said when it is new to this process; what is known from the first line on is said once for ever. */
export class StepVoice {
  readonly #logs: RunLogs;
  readonly #said = new Map<Key, Said>();

  constructor(logs: RunLogs) {
    this.#logs = logs;
  }

  /** Lines that come out the same whenever they are asked for. */
  begin(context: StepContext, lines: readonly LogLine[]): void {
    this.#logs.append(context.run, placeOf(context), lines);
  }

  add(context: StepContext, lines: readonly LogLine[]): void {
    this.#logs.add(context.run, placeOf(context), lines);
  }

  applied(context: StepContext, objects: readonly KubeObject[]): void {
    const log = unitLog('Apply');
    for (const obj of objects) if (!isRecord(obj, context.release)) log.info(`${refLine(refOf(obj))} applied`);
    this.begin(context, log.done().lines);
  }

  /** How workloads come along, where that has changed. */
  progress(context: StepContext, seen: readonly SteadyState[], events: readonly SeenEvent[]): void {
    const said = this.#of(context);
    const log = unitLog('Wait for Steady State');
    for (const { id, text } of events) {
      if (said.events.has(id)) continue;
      said.events.add(id);
      log.info(text);
    }
    for (const [i, { message }] of seen.entries()) {
      if (said.states.get(i) === message) continue;
      said.states.set(i, message);
      log.info(`Status : ${message}`);
    }
    this.add(context, log.lines);
  }

  /** What was heard of the pods of Jobs. */
  heard(context: StepContext): Heard {
    return this.#of(context).heard;
  }

  forget(key: Key): void {
    this.#said.delete(key);
  }

  #of({ key, grant }: StepContext): Said {
    const present = this.#said.get(key);
    if (present?.grant === grant.id) return present;
    const fresh = { grant: grant.id, states: new Map<number, string>(), events: new Set<string>(), heard: new Map<string, string>() };
    this.#said.set(key, fresh);
    return fresh;
  }
}

const placeOf = ({ cluster, grant }: StepContext) => ({ cluster: cluster.id, step: grant.step, grant: grant.id });
