import { matchRoute, type Parser } from 'wouter';
import { screens, type Screen } from '../screens/screens.ts';

export interface FoundScreen {
  readonly screen: Screen;
  /** The same for all parts of what it shows: a screen is made anew when it is about something else. */
  readonly subject: string;
}

/** The screen that an address leads to. */
export function findScreen(parser: Parser, path: string): FoundScreen | undefined {
  for (const screen of screens) {
    const [isFound, params] = matchRoute(parser, screen.path, path);
    if (!isFound) continue;
    const part = (params as Readonly<Record<string, string | undefined>>)['*'] ?? '';
    return { screen, subject: `${screen.path} ${part === '' ? path : path.slice(0, -part.length - 1)}` };
  }
  return undefined;
}
