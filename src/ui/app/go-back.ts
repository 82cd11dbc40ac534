import type { Parser } from 'wouter';
import { findScreen } from './find-screen.ts';
import { base, go } from './place.tsx';

/** Goes to the screen from which somebody came to this one, whatever parts of this one he looked at; who came from elsewhere goes to the one above. */
export function goBack(parser: Parser, above: string): void {
  const subjectOf = (path: string) => findScreen(parser, path.slice(base.length) || '/')?.subject;
  const here = subjectOf(location.pathname);
  // Not every browser has it.
  const navigation = window.navigation as Navigation | undefined;
  const before = navigation?.entries().slice(0, navigation.currentEntry?.index ?? 0) ?? [];
  const from = before.findLast(({ url }) => {
    const { pathname } = new URL(url ?? location.href);
    return pathname.startsWith(`${base}/`) && subjectOf(pathname) !== here;
  });
  if (from) navigation!.traverseTo(from.key);
  else go(above);
}
