import { useEffect, useState, type ComponentType } from 'react';
import { Loading } from './notes.tsx';

export interface LaterComponent<P> {
  (props: P): React.ReactNode;
  /** Fetches it before somebody looks. */
  fetch(): void;
}

/**
 * A component that is fetched when it is first shown. Not React's `lazy`: once a fallback was seen, what comes behind it is held back until that has been
 * seen for 300 ms, and most of it is here sooner.
 */
export function later<P extends object>(module: () => Promise<ComponentType<P>>): LaterComponent<P> {
  let known: { Component: ComponentType<P> } | undefined;
  let coming: Promise<{ Component: ComponentType<P> }> | undefined;
  const get = () => {
    coming ??= module().then(Component => (known = { Component }));
    // Whoever tries again asks again.
    coming.catch(() => (coming = undefined));
    return coming;
  };

  function Later(props: P) {
    const [found, setFound] = useState(known);
    const [failure, setFailure] = useState<{ error: unknown }>();
    useEffect(() => {
      if (found) return;
      let isOver = false;
      get().then(
        one => isOver || setFound(one),
        (error: unknown) => isOver || setFailure({ error }),
      );
      return () => {
        isOver = true;
      };
    }, [found]);
    if (failure) throw failure.error;
    return found ? <found.Component {...props} /> : <Loading />;
  }
  Later.fetch = () => void get().catch(() => {});
  return Later;
}
