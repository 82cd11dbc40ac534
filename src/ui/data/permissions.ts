import { useCallback, useSyncExternalStore } from 'react';
import { isHidden } from './hub-sight.ts';
import { hub, pathOf, type Kind } from './kinds.ts';
import { request } from './request.ts';
import { rightsOf } from './rights.ts';

/** What somebody is about to do. */
export interface Deed {
  readonly verb: string;
  readonly kind: Kind;
  readonly cluster?: string | undefined;
  readonly namespace?: string | undefined;
  readonly name?: string | undefined;
  readonly subresource?: string | undefined;
}

const reviews: Kind = {
  group: 'authorization.k8s.io',
  version: 'v1',
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  isNamespaced: false,
};

const rights = rightsOf<Deed>({ keyOf, ask, believedMs: 60_000, retryMs: 2000 });

export const forgetPermissions = (): void => rights.forget();

/** Whether whoever is signed in may do it. Asked once a minute; what cannot be asked is not allowed. */
export const may = (deed: Deed): Promise<boolean> => rights.ask(deed);

/** The same for screens, kept up to date: undefined until it is known. */
export function useMay(deed: Deed | undefined): boolean | undefined {
  const key = deed && keyOf(deed);
  const subscribe = useCallback(
    (listener: () => void) => (deed ? rights.watch(deed, listener) : () => {}),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
    [key],
  );
  return useSyncExternalStore(subscribe, () => (deed ? rights.get(deed) : undefined));
}

async function ask({ verb, kind, cluster = hub, namespace, name, subresource }: Deed): Promise<boolean> {
  if (isHidden(cluster)) return false;
  const { group, version, plural: resource } = kind;
  const attributes = { verb, group, version, resource, namespace, name, subresource };
  const answer = await request<{ status?: { allowed?: boolean } }>(pathOf(reviews, { cluster }), {
    method: 'POST',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: reviews.kind, spec: { resourceAttributes: attributes } },
  });
  return answer.status?.allowed === true;
}

function keyOf({ verb, kind, cluster, namespace, name, subresource }: Deed): string {
  return [cluster, verb, kind.group, kind.plural, namespace, name, subresource].join(' ');
}
