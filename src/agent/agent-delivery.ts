import type { KubeClient } from '../client/kube-client.ts';
import { openMember, type Member } from '../core/delivery/member.ts';
import { runDeliverer } from '../core/works/deliver-works.ts';
import type { DeliveryMembers } from '../core/works/delivery-members.ts';
import { createRenderPool } from '../render/render-pool.ts';
import { log } from '../runtime/log.ts';
import { causeAtHub } from './cause-at-hub.ts';
import { hubApi, type HubApiOptions } from './hub-api.ts';
import type { KeptBlobs } from './kept-blobs.ts';
import { keptWorks } from './kept-works.ts';

export interface AgentDeliveryOptions extends HubApiOptions {
  /** The API of the cluster. */
  readonly member: KubeClient;
  readonly blobs: KeptBlobs;
}

/** Delivers the Works of the agent's own cluster, with the hub or without it. */
export class AgentDelivery {
  readonly #options: AgentDeliveryOptions;
  #running: { readonly clusterId: string; readonly stop: AbortController } | undefined;

  constructor(options: AgentDeliveryOptions) {
    this.#options = options;
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  /** Goes on for as long as the agent is the one of its cluster, also while the hub is away. */
  start(clusterId: string): void {
    if (this.#running?.clusterId === clusterId) return;
    this.stop();
    const stop = new AbortController();
    this.#running = { clusterId, stop };
    const { signal } = stop;
    const { member: client, blobs } = this.#options;
    const hub = hubApi(this.#options);
    const renderer = createRenderPool({ size: 1 });
    const { works, readContent } = keptWorks({ hub, blobs, namespace: clusterId, signal });
    const members = onlyMember(clusterId, openMember(clusterId, client, { signal }));
    runDeliverer({ hub, works, members, renderer, readContent, signal, causeElsewhere: causeAtHub(hub, signal) });
    signal.addEventListener('abort', () => {
      void Promise.allSettled([hub[Symbol.asyncDispose](), renderer[Symbol.asyncDispose]()]);
    });
    log.info('delivering', { cluster: clusterId });
  }

  /** Another agent of the cluster is at work, or the cluster is no member any more. */
  stop(): void {
    this.#running?.stop.abort(new Error('the agent stops delivering'));
    this.#running = undefined;
  }
}

function onlyMember(namespace: string, member: Member): DeliveryMembers {
  return {
    // The hub writes the name of the cluster on its Works.
    find: asked => (asked === namespace ? { name: '' } : undefined),
    open: () => member,
    subscribe: () => ({ [Symbol.dispose]() {} }),
    isLost: () => false,
    isPaused: () => false,
    synced: Promise.resolve(),
  };
}
