import type { KubeObject } from '../../src/api/object.ts';
import { HttpTarget, readKubeconfig } from './http-target.ts';

/** What a cluster made of a namespace, without what differs by chance: ids, times, addresses, random endings of names. */
export type Likeness = Record<string, unknown>;

/** One of two clusters that are given the same objects and must end up the same. */
export class LikeSide implements Disposable {
  readonly #target: HttpTarget;

  constructor(kubeconfig: string) {
    this.#target = new HttpTarget(readKubeconfig(kubeconfig));
  }

  async create(path: string, obj: object): Promise<void> {
    const answer = await this.#target.request('POST', path, obj);
    if (answer.code !== 201) throw new Error(`POST ${path} answered ${answer.code}: ${answer.text.slice(0, 300)}`);
  }

  async delete(path: string): Promise<void> {
    const answer = await this.#target.request('DELETE', path);
    if (answer.code >= 300) throw new Error(`DELETE ${path} answered ${answer.code}: ${answer.text.slice(0, 300)}`);
  }

  async exists(path: string): Promise<boolean> {
    return (await this.#target.request('GET', path)).code === 200;
  }

  /** The objects of these lists, and what was told about anything in the namespace. */
  async look(lists: readonly string[], events: string): Promise<Likeness> {
    const likeness: Likeness = {};
    for (const list of lists) likeness[list] = (await this.#list(list)).map(obj => plain(obj)).toSorted(byText);
    const lines = new Set((await this.#list(events)).map(told));
    likeness['told'] = [...lines].filter(line => !line.includes(repairOfAddresses)).toSorted();
    return likeness;
  }

  async #list(path: string): Promise<KubeObject[]> {
    return (await this.#target.request('GET', path)).json<{ items: KubeObject[] }>().items;
  }

  [Symbol.dispose](): void {
    this.#target.close();
  }
}

const byText = (a: unknown, b: unknown): number => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1);

/** Fields that tell when or where, which nobody compares. */
const chance = new Set(['managedFields', 'resourceVersion', 'creationTimestamp', 'generation', 'zone']);

function plain(obj: unknown): unknown {
  const kept = JSON.stringify(obj, (key, value: unknown) => (chance.has(key) ? undefined : value));
  return JSON.parse(withoutChance(kept));
}

/** Tells now and then of an address that a real server has just given away and not written down yet. */
const repairOfAddresses = '(ipallocator-repair-controller)';

function told(event: KubeObject): string {
  const { kind } = event['involvedObject'] as { kind: string };
  const { component = '' } = (event['source'] ?? {}) as { component?: string };
  const who = component === '' ? (event['reportingComponent'] as string) : component;
  return withoutChance(`${kind}: ${event['type'] as string} ${event['reason'] as string} ${event['message'] as string} (${who})`);
}

const randomEnding = '[bcdfghjklmnpqrstvwxz2456789]{5}';

function withoutChance(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uid>')
    .replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g, '<time>')
    .replaceAll(/\b10\.\d+\.\d+\.\d+\b/g, '<address>')
    .replaceAll(/\b(?:kwok-)?node-\d+\b/g, '<node>')
    .replaceAll(/(tick-)\d{8}/g, '$1<minute>')
    .replaceAll(new RegExp(`-[a-z0-9]{9,10}-${randomEnding}\\b`, 'g'), '-<template>-<any>')
    .replaceAll(new RegExp(`(\\b[a-z0-9<>-]+-)${randomEnding}(?=["\\s]|$)`, 'g'), '$1<any>');
}
