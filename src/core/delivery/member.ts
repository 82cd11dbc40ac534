import type { KubeClient } from '../../client/kube-client.ts';
import { memberKinds, type MemberKinds } from './member-kinds.ts';
import { memberWatches, type MemberWatches } from './member-watches.ts';

/** A cluster that things are delivered to. */
export interface Member {
  readonly name: string;
  readonly client: KubeClient;
  readonly kinds: MemberKinds;
  readonly watches: MemberWatches;
}

export interface OpenMemberOptions {
  readonly signal: AbortSignal;
  /** Hears why a watch failed, before it is tried again. */
  onWatchError?(error: unknown): void;
}

/** Kinds and watches over a client, which stays the caller's. Ends with the signal, or when it is disposed of. */
export function openMember(name: string, client: KubeClient, { signal, onWatchError }: OpenMemberOptions): Member & AsyncDisposable {
  const closed = new AbortController();
  const kinds = memberKinds(client);
  const watches = memberWatches(client, kinds, {
    signal: AbortSignal.any([signal, closed.signal]),
    ...(onWatchError && { onError: onWatchError }),
  });
  return {
    name,
    client,
    kinds,
    watches,
    async [Symbol.asyncDispose]() {
      closed.abort();
    },
  };
}
