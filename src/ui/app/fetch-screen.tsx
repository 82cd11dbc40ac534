import { useEffect } from 'react';
import { useLocation, useRouter } from 'wouter';
import { findScreen } from './find-screen.ts';

/** Fetches the screen of the address while it is still being found out who is there. */
export function FetchScreen() {
  const { parser } = useRouter();
  const [path] = useLocation();
  useEffect(() => {
    findScreen(parser, path)?.screen.Screen.fetch();
    // eslint-disable-next-line react-hooks/exhaustive-deps -- the first one; others are fetched when somebody goes there
  }, []);
  return null;
}
