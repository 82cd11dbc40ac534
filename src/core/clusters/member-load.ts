import type { Pod } from '../../api/builtin-kinds.ts';
import { addAmounts, podAmounts, type Amounts } from '../../api/pod-amounts.ts';
import { printQuantity, quantityOf } from '../../api/quantity.ts';
import type { Work } from '../../api/work.ts';
import { underDeadline } from '../../client/deadline.ts';
import type { KubeClient } from '../../client/kube-client.ts';
import { readJson } from '../../client/read-answer.ts';
import type { CacheChange } from '../../runtime/object-cache.ts';

/** What the pods of a member ask for together. `pods` is how many there are. */
export interface MemberLoad {
  readonly requested: Readonly<Record<string, string>>;
  readonly limits: Readonly<Record<string, string>>;
}

interface PodPage {
  readonly items?: readonly Pick<Pod, 'spec'>[] | null;
  readonly metadata?: { readonly continue?: string };
}

const pageSize = 500;
const timeoutMs = 120_000;
/** Those that are over hold nothing of a node. */
const going = 'status.phase!=Succeeded,status.phase!=Failed';

/** Adds up the pods of a member that are on a node, one page at a time: a cluster may have more of them than a hub wants to hold. */
export function readLoad(client: Pick<KubeClient, 'request'>, signal: AbortSignal): Promise<MemberLoad> {
  return underDeadline({ signal, timeoutMs }, async deadline => {
    const requested: Amounts = new Map();
    const limits: Amounts = new Map();
    let count = 0;
    let token: string | undefined;
    do {
      const query = new URLSearchParams({ fieldSelector: going, limit: String(pageSize), ...(token && { continue: token }) });
      const path = `/api/v1/pods?${query.toString()}`;
      const res = await client.request({ method: 'GET', path, headers: { accept: 'application/json' }, signal: deadline });
      const page = (await readJson(res)) as PodPage;
      for (const { spec } of page.items ?? []) {
        if (!spec?.nodeName) continue;
        count++;
        addAmounts(requested, podAmounts(spec, 'requests', { withOverhead: true }));
        addAmounts(limits, podAmounts(spec, 'limits', { withOverhead: true }));
      }
      token = page.metadata?.continue;
    } while (token);
    requested.set('pods', quantityOf(count));
    return { requested: printed(requested), limits: printed(limits) };
  });
}

const printed = (amounts: Amounts): Record<string, string> =>
  Object.fromEntries([...amounts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, amount]) => [name, printQuantity(amount)]));

const minute = 60_000;

/**
 * How long to wait before the pods of a member are added up again. A pod is some 4 kB to read: at three seconds for each, all members together cost the
 * hub the same however large they are, some 7 MB a second for five thousand. What was delivered there is a reason to look sooner.
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
