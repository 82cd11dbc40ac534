import { useEffect, useState } from 'react';
import { request } from '../data/request.ts';

interface Provider {
  readonly id: string;
  readonly type: string;
  readonly redirectUrl?: string;
}

/** Ways to sign in that are elsewhere, where the hub knows any. */
export function OtherWays() {
  const [providers, setProviders] = useState<readonly Provider[]>([]);
  useEffect(() => {
    request<{ data: Provider[] }>('/v3-public/authProviders').then(
      ({ data }) => setProviders(data),
      () => {},
    );
  }, []);
  return providers.flatMap(({ id, redirectUrl }) =>
    redirectUrl !== undefined && /^(https?:\/)?\//.test(redirectUrl) ? (
      <a
        key={id}
        className="button"
        href={`${redirectUrl}?${new URLSearchParams({ back: location.pathname + location.search })}`}
        rel="noopener"
      >
        Sign in with {id}
      </a>
    ) : (
      []
    ),
  );
}
