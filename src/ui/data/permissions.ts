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

/** To read what is at an address of the hub that is no object. */
const readRights = rightsOf<string>({ keyOf: path => path, ask: askToRead, believedMs: 60_000, retryMs: 2000 });

export function forgetPermissions(): void {
  rights.forget();
  readRights.forget();
}

/** Whether whoever is signed in may do it. Asked once a minute; what cannot be asked is not allowed. */
export const may = (deed: Deed): Promise<boolean> => rights.ask(deed);

/** Whether it would surely be refused. What is refused is asked again each time: rights come to a member a moment after somebody first goes there. */
export async function isForbidden(deed: Deed): Promise<boolean> {
  if (rights.get(deed) === true) return false;
  return ask(deed).then(
    isAllowed => !isAllowed,
    () => false,
  );
}

/** Whether somebody may do it, for screens, kept up to date: undefined until it is known. */
export function useMay(deed: Deed | undefined): boolean | undefined {
  const key = deed && keyOf(deed);
  const subscribe = useCallback(
    (listener: () => void) => (deed ? rights.watch(deed, listener) : () => {}),
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the key says all of it
    [key],
  );
  return useSyncExternalStore(subscribe, () => (deed ? rights.get(deed) : undefined));
}

/** Whether whoever is signed in may read what is at an address of the hub such as `/audit/events`; undefined until it is known. */
export function useMayRead(path: string): boolean | undefined {
  const subscribe = useCallback((listener: () => void) => readRights.watch(path, listener), [path]);
  return useSyncExternalStore(subscribe, () => readRights.get(path));
}

async function askToRead(path: string): Promise<boolean> {
  return !isHidden(hub) && (await review(hub, { nonResourceAttributes: { verb: 'get', path } }));
}

async function ask({ verb, kind, cluster = hub, namespace, name, subresource }: Deed): Promise<boolean> {
  if (isHidden(cluster)) return false;
  const { group, version, plural: resource } = kind;
  const attributes = { verb, group, version, resource, namespace, name, subresource };
  return review(cluster, { resourceAttributes: attributes });
}

async function review(cluster: string, spec: object): Promise<boolean> {
  const answer = await request<{ status?: { allowed?: boolean } }>(pathOf(reviews, { cluster }), {
    method: 'POST',
    body: { apiVersion: 'authorization.k8s.io/v1', kind: reviews.kind, spec },
  });
  return answer.status?.allowed === true;
}

function keyOf({ verb, kind, cluster, namespace, name, subresource }: Deed): string {
  return [cluster, verb, kind.group, kind.plural, namespace, name, subresource].join(' ');
}
