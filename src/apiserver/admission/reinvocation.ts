import { cloneJson, jsonEqual } from '../../util/json.ts';
import type { KubeObject } from '../../api/object.ts';
import type { AdmissionRequest } from './admission.ts';

/** What is known about the mutating rounds of one request. */
export interface Reinvocation {
  isNeeded: boolean;
  isSecondRound: boolean;
  readonly byPlugin: Map<string, PluginRounds>;
}

/** Which members of one plugin (webhooks, policies) may run again, and which must. */
export class PluginRounds {
  #lastOutput: KubeObject | undefined;
  readonly #mayRepeat = new Set<string>();
  readonly #mustRepeat = new Set<string>();

  mustRepeat(id: string): boolean {
    return this.#mustRepeat.has(id);
  }

  noteInvoked(id: string): void {
    this.#mayRepeat.add(id);
  }

  noteChange(): void {
    for (const id of this.#mayRepeat) this.#mustRepeat.add(id);
    this.#mayRepeat.clear();
  }

  startSecondRound(obj: KubeObject | undefined): void {
    if (!jsonEqual(this.#lastOutput, obj)) this.noteChange();
  }

  noteOutput(obj: KubeObject | undefined): void {
    this.#lastOutput = cloneJson(obj);
  }
}

const rounds = new WeakMap<AdmissionRequest, Reinvocation>();

export const reinvocationOf = (request: AdmissionRequest) => rounds.get(request);

export function ensureReinvocation(request: AdmissionRequest): Reinvocation {
  let found = rounds.get(request);
  if (!found) rounds.set(request, (found = { isNeeded: false, isSecondRound: false, byPlugin: new Map() }));
  return found;
}

export function roundsOf(request: AdmissionRequest, plugin: string): PluginRounds {
  const { byPlugin } = ensureReinvocation(request);
  let found = byPlugin.get(plugin);
  if (!found) byPlugin.set(plugin, (found = new PluginRounds()));
  return found;
}
