import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import type { KubeClient } from '../client/kube-client.ts';
import { acquireLease, type LeaderLease } from '../runtime/leader-lease.ts';
import { log } from '../runtime/log.ts';
import { processMark } from '../runtime/process-mark.ts';
import { urlHost } from '../util/url-host.ts';
import { listening } from './listening.ts';
import { standBy } from './stand-by.ts';

export interface TurnOptions {
  readonly host: string;
  readonly port: number;
  /** HOST:PORT where other hubs on the same API reach this one. Default: where it listens. */
  readonly advertise?: string | undefined;
}

const place = { namespace: 'kube-system', name: 'drover-hub' } as const;

/**
 * Waits until this hub is the one that leads, and carries whoever comes meanwhile on to the one that does. The port that it listened on is free again
 * when it resolves.
 */
export async function takeTurn(hub: KubeClient, { host, port, advertise }: TurnOptions): Promise<{ lease: LeaderLease; port: number }> {
  await using waiting = standBy();
  const bound = await listening(waiting, host, port);
  const address = advertise ?? `${urlHost(bound.host)}:${bound.port}`;
  let followed = '';
  const lease = await acquireLease({
    hub,
    ...place,
    identity: `${hostname()}_${randomUUID()}`,
    address,
    mark: processMark(),
    signal: new AbortController().signal,
    onStandBy(leader) {
      // A lease that a predecessor at the same address left behind would lead in a circle.
      waiting.follow(leader.address === address ? '' : leader.address);
      if (leader.identity !== followed) log.info('stands by while another hub leads', { name: leader.identity, peer: leader.address });
      followed = leader.identity;
    },
  });
  return { lease, port: bound.port };
}
