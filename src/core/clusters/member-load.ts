import type { Pod } from '../../api/builtin-kinds.ts';
import { addAmounts, podAmounts, readAmounts, type Amounts } from '../../api/pod-amounts.ts';
import { printQuantity, quantityOf } from '../../api/quantity.ts';
import type { Work } from '../../api/work.ts';
import { underDeadline } from '../../client/deadline.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readBytes, readJson } from '../../client/read-answer.ts';
import type { TransportRequest, TransportResponse } from '../../client/transport.ts';
import type { CacheChange } from '../../runtime/object-cache.ts';
import { readPodPage, type PodPage } from './pod-page-wire.ts';

/** What the pods of a member ask for together. `pods` is how many there are. */
export interface MemberLoad {
  readonly requested: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

interface PodList {
  readonly items?: readonly Pick<Pod, 'spec'>[] | null;
  readonly metadata?: { readonly continue?: string };
}

/** What an agent answers that adds the pods up where they are. API servers do not know it, and answer with the pods. */
export const loadType = 'application/vnd.drover.load+json';
export const podsPath = '/api/v1/pods';

const protobufType = 'application/vnd.kubernetes.protobuf';
/** Of a pod most can be stepped over in protobuf. Servers of ours have JSON at hand and answer with it. */
const podTypes = `${protobufType}, application/json`;
const pageSize = 500;
const timeoutMs = 120_000;
/** Those that are over hold nothing of a node. */
const going = 'status.phase!=Succeeded,status.phase!=Failed';

/** What the pods of a member that are on a node ask for, added up by its agent or else here. */
export function readLoad(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<MemberLoad> {
  return underDeadline({ signal, timeoutMs }, async deadline => {
    const ask = (path: string, accept: string) => client.request({ method: 'GET', path, headers: { accept }, signal: deadline });
    const first = await ask(pagePath(), `${loadType}, ${podTypes}`);
    if (first.headers['content-type'] === loadType) return parseLoad(await readJson(first));
    return addUp(first, path => ask(path, podTypes));
  });
}

/** Answers a request of `readLoad` beside the API server of a member. Pods are read with the rights of whoever asks, and a refusal is passed on. */
export async function answerLoad(
  target: (req: TransportRequest) => Promise<TransportResponse>,
  req: TransportRequest,
): Promise<MemberLoad | TransportResponse> {
  const ask = (path: string) => target({ ...req, path, headers: { ...req.headers, accept: podTypes } });
  const first = await ask(req.path);
  return first.status === 200 ? addUp(first, ask) : first;
}

/** One page at a time: a cluster may have more pods than anybody wants to hold. */
async function addUp(first: TransportResponse, ask: (path: string) => Promise<TransportResponse>): Promise<MemberLoad> {
  const requested: Amounts = new Map();
  const limits: Amounts = new Map();
  let count = 0;
  for (let res: TransportResponse | undefined = first; res;) {
    const { specs, token } = await readPage(res);
    for (const spec of specs) {
      if (!spec.nodeName) continue;
      count++;
      addAmounts(requested, podAmounts(spec, 'requests', { withOverhead: true }));
      addAmounts(limits, podAmounts(spec, 'limits', { withOverhead: true }));
    }
    res = token === '' ? undefined : await ask(pagePath(token));
  }
  requested.set('pods', quantityOf(count));
  return { requested: printed(requested), limits: printed(limits) };
}

async function readPage(res: TransportResponse): Promise<PodPage> {
  if (res.status === 200 && res.headers['content-type'] === protobufType) return readPodPage(await readBytes(res.body));
  const { items, metadata } = (await readJson(res)) as PodList;
  return { specs: (items ?? []).flatMap(({ spec }) => spec ?? []), token: metadata?.continue ?? '' };
}

function pagePath(token?: string): string {
  const query = new URLSearchParams({ fieldSelector: going, limit: String(pageSize), ...(token !== undefined && { continue: token }) });
  return `${podsPath}?${query.toString()}`;
}

/** An agent may say anything: what are no amounts counts as nothing. */
function parseLoad(told: unknown): MemberLoad {
  const { requested, limits } = told as Partial<Record<keyof MemberLoad, unknown>>;
  return { requested: amountsOf(requested), limits: amountsOf(limits) };
}

const amountsOf = (told: unknown): Record<string, string> =>
  printed(readAmounts(typeof told === 'object' && told !== null ? (told as Record<string, unknown>) : {}));

const printed = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, printQuantity(amount)]));

const minute = 60_000;

/**
 * How long to wait before the pods of a member are added up again. A pod is some 4 kB to read: at three seconds for each, all members together cost
 * whoever reads them the same however large they are. What was delivered there is a reason to look sooner.
 */
export function delayBeforeLoad(pods: number, hasNews: boolean): number {
  return hasNews ? within(10_000, pods * 300, 5 * minute) : within(5 * minute, pods * 3000, 60 * minute);
}

/** Whether what was delivered is another, or went, or its objects came up or broke down; other reports of a Work do not concern pods. */
export function mayMovePods({ type, object, old }: CacheChange<Work>): boolean {
  if (type !== 'MODIFIED') return type === 'DELETED';
  const [{ delivered, healthy }, before] = [object.status ?? {}, old?.status];
  return (
    delivered?.inputs !== before?.delivered?.inputs || delivered?.revision !== before?.delivered?.revision || healthy !== before?.healthy
  );
}

const within = (least: number, value: number, most: number): number => Math.min(Math.max(least, value), most);
