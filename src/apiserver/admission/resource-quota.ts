import type { ResourceQuota } from '../../api/kubernetes.ts';
import type { KubeObject } from '../../api/object.ts';
import { StatusError } from '../../api/status.ts';
import type { ClusterApi } from '../cluster-api.ts';
import type { AdmissionPlugin, AdmissionRequest } from './admission.ts';
import { forbid } from './admission-errors.ts';
import { readAmounts, type Amounts } from '../../api/pod-amounts.ts';
import { evaluatorFor, scopesOf, type QuotaEvaluator } from './quota-evaluator.ts';
import { addQuantities, compareQuantities, printQuantity, subtractQuantities, zeroQuantity } from '../../api/quantity.ts';
import type { WatchedLists } from './watched-lists.ts';

const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
const ignored = new Set([
  '/events',
  'events.k8s.io/events',
  '/bindings',
  '/componentstatuses',
  'authentication.k8s.io/tokenreviews',
  'authorization.k8s.io/localsubjectaccessreviews',
  'authorization.k8s.io/subjectaccessreviews',
  'authorization.k8s.io/selfsubjectaccessreviews',
  'authorization.k8s.io/selfsubjectrulesreviews',
]);
const maxAttempts = 4;

interface Waiter {
  readonly request: AdmissionRequest;
  readonly evaluator: QuotaEvaluator;
  resolve(): void;
  reject(error: unknown): void;
}

interface QuotaState {
  readonly quota: KubeObject;
  readonly hard: Amounts;
  used: Amounts;
  isChanged: boolean;
}

/**
 * Refuses what would exceed a quota. Requests of one namespace are judged together, one after the other, and the sum of what they take is
 * written to the quotas before any of them goes on.
 */
export function resourceQuota(lists: WatchedLists): AdmissionPlugin {
  const present = lists.list(quotas, obj => obj);
  const waiting = new Map<string, Waiter[]>();
  return {
    name: 'ResourceQuota',
    handles: ({ operation, namespace, resource, kind }) =>
      (operation === 'CREATE' || operation === 'UPDATE') &&
      namespace !== '' &&
      kind.kind !== 'Namespace' &&
      present.in(namespace).length > 0 &&
      !ignored.has(`${resource.group}/${resource.resource}`),
    validate: request => {
      const evaluator = evaluatorFor(request.resource);
      if (!request.object || !evaluator.handles(request)) return;
      return new Promise((resolve, reject) => join({ request, evaluator, resolve, reject }));
    },
  };

  function join(waiter: Waiter): void {
    const { namespace } = waiter.request;
    const line = waiting.get(namespace);
    if (line) return void line.push(waiter);
    waiting.set(namespace, [waiter]);
    queueMicrotask(() => void serve(namespace));
  }

  async function serve(namespace: string): Promise<void> {
    for (;;) {
      const batch = waiting.get(namespace) ?? [];
      if (batch.length === 0) return void waiting.delete(namespace);
      waiting.set(namespace, []);
      await settle(batch, namespace, 1);
    }
  }

  async function settle(batch: readonly Waiter[], namespace: string, attempt: number): Promise<void> {
    const states = present.in(namespace).map(readState);
    const granted = batch.filter(waiter => {
      try {
        take(waiter, states);
        return true;
      } catch (error) {
        waiter.reject(error);
        return false;
      }
    });
    const { api } = batch[0]!.request;
    try {
      for (const state of states) if (state.isChanged) await write(api, state);
    } catch (error) {
      const isConflict = error instanceof StatusError && (error.code === 409 || error.code === 404);
      if (isConflict && attempt < maxAttempts) return settle(granted, namespace, attempt + 1);
      for (const waiter of granted) waiter.reject(error);
      return;
    }
    for (const waiter of granted) waiter.resolve();
  }
}

function readState(quota: KubeObject): QuotaState {
  const { status } = quota as unknown as ResourceQuota;
  return { quota, hard: readAmounts(status?.hard), used: readAmounts(status?.used), isChanged: false };
}

async function write(api: ClusterApi, { quota, used }: QuotaState): Promise<void> {
  const status = { ...(quota['status'] as object), used: printAmounts(used) };
  await api.update(quotas, { ...quota, status }, { subresource: 'status', fieldManager: 'kube-apiserver' });
}

export function printAmounts(amounts: ReadonlyMap<string, Parameters<typeof printQuantity>[0]>): Record<string, string> {
  return Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, value]) => [name, printQuantity(value)]));
}

/** Takes what a request needs from the quotas that concern it, or throws and takes nothing. */
function take({ request, evaluator }: Waiter, states: readonly QuotaState[]): void {
  const obj = request.object!;
  const now = new Date();
  const concerned = states.filter(state => isConcerned(state, evaluator, obj));
  for (const state of concerned) checkCountable(state, evaluator, request, obj);
  if (concerned.length === 0) return;

  const usage = evaluator.usage(obj, now);
  const old = request.operation === 'UPDATE' ? request.oldObject : undefined;
  const plans = concerned.map(state => {
    const isCounted = old && isConcerned(state, evaluator, old);
    return { state, next: judge(state, isCounted ? growth(usage, evaluator.usage(old, now)) : usage, request) };
  });
  if (request.dryRun) return;
  for (const { state, next } of plans) {
    if (!next) continue;
    state.used = next;
    state.isChanged = true;
  }
}

function isConcerned({ quota, hard }: QuotaState, evaluator: QuotaEvaluator, obj: KubeObject): boolean {
  if (evaluator.concerned([...hard.keys()]).length === 0) return false;
  return scopesOf(quota as unknown as ResourceQuota).every(scope => evaluator.matchesScope(scope, obj));
}

function checkCountable({ quota, hard, used }: QuotaState, evaluator: QuotaEvaluator, request: AdmissionRequest, obj: KubeObject): void {
  const names = evaluator.concerned([...hard.keys()]);
  const problem = evaluator.problem?.(names, obj);
  if (problem !== undefined) throw forbid(request, `failed quota: ${quota.metadata.name}: ${problem}`);
  if (!names.every(name => used.has(name)))
    throw forbid(request, `status unknown for quota: ${quota.metadata.name}, resources: ${names.sort().join(',')}`);
}

function growth(usage: Amounts, before: Amounts): Amounts {
  const result: Amounts = new Map();
  for (const [name, value] of usage) {
    const more = subtractQuantities(value, before.get(name) ?? zeroQuantity);
    result.set(name, more.value < 0n ? zeroQuantity : more);
  }
  return result;
}

function judge({ quota, hard, used }: QuotaState, delta: Amounts, request: AdmissionRequest): Amounts | undefined {
  const asked = new Map([...delta].filter(([name, value]) => value.value !== 0n && hard.has(name)));
  if (asked.size === 0) return undefined;
  const next = new Map(used);
  for (const [name, value] of asked) next.set(name, addQuantities(used.get(name) ?? zeroQuantity, value));
  const exceeded = [...asked.keys()].filter(name => compareQuantities(next.get(name)!, hard.get(name)!) > 0);
  if (exceeded.length === 0 || request.subresource === 'status') return next;
  const shown = (amounts: Amounts) =>
    Object.entries(printAmounts(new Map(exceeded.map(name => [name, amounts.get(name) ?? zeroQuantity]))))
      .map(([name, value]) => `${name}=${value}`)
      .join(',');
  throw forbid(
    request,
    `exceeded quota: ${quota.metadata.name}, requested: ${shown(asked)}, used: ${shown(used)}, limited: ${shown(hard)}`,
  );
}
