import type { RfbClient } from './rfb-client.ts';

interface Stroke {
  readonly key: string;
  readonly code: string;
  readonly isShifted: boolean;
}

const codesOf = (text: string): string[] => text.split(' ');
/** Rows of an American keyboard: what keys write, and what they write with Shift. */
const rows: readonly (readonly [plain: string, shifted: string, codes: readonly string[]])[] = [
  [
    '`1234567890-=',
    '~!@#$%^&*()_+',
    codesOf('Backquote Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal'),
  ],
  ["[]\\;',./", '{}|:"<>?', codesOf('BracketLeft BracketRight Backslash Semicolon Quote Comma Period Slash')],
];
const strokes = new Map<string, Stroke>([
  ...rows.flatMap(([plain, shifted, codes]) =>
    codes.flatMap((code, i): [string, Stroke][] => [
      [plain[i]!, { key: plain[i]!, code, isShifted: false }],
      [shifted[i]!, { key: shifted[i]!, code, isShifted: true }],
    ]),
  ),
  ...[...'abcdefghijklmnopqrstuvwxyz'].flatMap((letter): [string, Stroke][] => {
    const code = `Key${letter.toUpperCase()}`;
    return [
      [letter, { key: letter, code, isShifted: false }],
      [letter.toUpperCase(), { key: letter.toUpperCase(), code, isShifted: true }],
    ];
  }),
  [' ', { key: ' ', code: 'Space', isShifted: false }],
  ['\n', { key: 'Enter', code: 'Enter', isShifted: false }],
  ['\t', { key: 'Tab', code: 'Tab', isShifted: false }],
]);

const lines = (text: string): string => text.replaceAll(/\r\n?/g, '\n');

/** What no key writes, each once. */
export const untypable = (text: string): string[] => [...new Set(lines(text))].filter(character => !strokes.has(character));

/** A keyboard of a PC remembers a few strokes only; what comes faster than its machine reads is lost. */
const usualPauseMs = 20;

/** Types a text on the keyboard of a machine, as if it were an American one: machines read places of keys, not letters. */
export async function typeText(
  client: Pick<RfbClient, 'pressKey'>,
  text: string,
  { signal, pauseMs = usualPauseMs }: { signal: AbortSignal; pauseMs?: number },
): Promise<void> {
  const shift = { key: 'Shift', code: 'ShiftLeft' };
  for (const character of lines(text)) {
    const stroke = strokes.get(character);
    if (!stroke) continue;
    if (stroke.isShifted) client.pressKey(shift, true);
    client.pressKey(stroke, true);
    client.pressKey(stroke, false);
    if (stroke.isShifted) client.pressKey(shift, false);
    await new Promise(resolve => setTimeout(resolve, pauseMs));
    if (signal.aborted) return;
  }
}
