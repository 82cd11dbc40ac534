import { useEffect } from 'react';
import { matchRoute, useLocation, useRouter } from 'wouter';
import { screens } from '../screens/screens.ts';

/** Fetches the screen of the address while it is still being found out who is there. */
export function FetchScreen() {
  const { parser } = useRouter();
  const [path] = useLocation();
  useEffect(() => {
    screens.find(one => matchRoute(parser, one.path, path)[0])?.Screen.fetch();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the first one; others are fetched when somebody goes there
  }, []);
  return null;
}
