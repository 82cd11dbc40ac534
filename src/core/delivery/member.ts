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

/** Kinds and watches over a client, which stays the caller's. Ends with the signal, or when it is disposed of. */
export function openMember(name: string, client: KubeClient, { signal }: { readonly signal: AbortSignal }): Member & AsyncDisposable {
  const closed = new AbortController();
  const kinds = memberKinds(client);
  const watches = memberWatches(client, kinds, { signal: AbortSignal.any([signal, closed.signal]) });
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
