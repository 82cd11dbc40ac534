/* What keys are called by those who only hear of them: names of X (keysyms), and places on the keyboard (the first set of scan codes of a PC). */

const named: Readonly<Record<string, number>> = {
  Backspace: 0xff08,
  Tab: 0xff09,
  Enter: 0xff0d,
  Pause: 0xff13,
  ScrollLock: 0xff14,
  Escape: 0xff1b,
  Home: 0xff50,
  ArrowLeft: 0xff51,
  ArrowUp: 0xff52,
  ArrowRight: 0xff53,
  ArrowDown: 0xff54,
  PageUp: 0xff55,
  PageDown: 0xff56,
  End: 0xff57,
  PrintScreen: 0xff61,
  Insert: 0xff63,
  ContextMenu: 0xff67,
  NumLock: 0xff7f,
  CapsLock: 0xffe5,
  AltGraph: 0xfe03,
  Delete: 0xffff,
};
/** Those that are there twice: left, right. */
const paired: Readonly<Record<string, readonly [number, number]>> = {
  Shift: [0xffe1, 0xffe2],
  Control: [0xffe3, 0xffe4],
  Alt: [0xffe9, 0xffea],
  Meta: [0xffeb, 0xffec],
};
const firstFunctionKey = 0xffbe;
const unicode = 0x01000000;

interface Key {
  readonly key: string;
  readonly code: string;
}

/** The name of a key, as X has it; undefined for keys that only help to write others. */
export function keysymOf({ key, code }: Key): number | undefined {
  const pair = paired[key];
  if (pair) return pair[code.endsWith('Right') ? 1 : 0];
  if (Object.hasOwn(named, key)) return named[key];
  const [, number] = /^F(\d+)$/.exec(key) ?? [];
  if (number !== undefined) return firstFunctionKey + Number(number) - 1;
  const point = [...key].length === 1 ? key.codePointAt(0)! : undefined;
  if (point === undefined) return undefined;
  const isLatin = (point >= 0x20 && point <= 0x7e) || (point >= 0xa0 && point <= 0xff);
  return isLatin ? point : unicode | point;
}

/** In the order of their numbers; 0 is none. */
const inOrder =
  ' Escape Digit1 Digit2 Digit3 Digit4 Digit5 Digit6 Digit7 Digit8 Digit9 Digit0 Minus Equal Backspace Tab ' +
  'KeyQ KeyW KeyE KeyR KeyT KeyY KeyU KeyI KeyO KeyP BracketLeft BracketRight Enter ControlLeft ' +
  'KeyA KeyS KeyD KeyF KeyG KeyH KeyJ KeyK KeyL Semicolon Quote Backquote ShiftLeft Backslash ' +
  'KeyZ KeyX KeyC KeyV KeyB KeyN KeyM Comma Period Slash ShiftRight NumpadMultiply AltLeft Space CapsLock ' +
  'F1 F2 F3 F4 F5 F6 F7 F8 F9 F10 NumLock ScrollLock Numpad7 Numpad8 Numpad9 NumpadSubtract Numpad4 Numpad5 Numpad6 NumpadAdd ' +
  'Numpad1 Numpad2 Numpad3 Numpad0 NumpadDecimal - - IntlBackslash F11 F12';
/** Those that came later, with a prefix. */
const extended: Readonly<Record<string, number>> = {
  NumpadEnter: 0x9c,
  ControlRight: 0x9d,
  NumpadDivide: 0xb5,
  PrintScreen: 0xb7,
  AltRight: 0xb8,
  Home: 0xc7,
  ArrowUp: 0xc8,
  PageUp: 0xc9,
  ArrowLeft: 0xcb,
  ArrowRight: 0xcd,
  End: 0xcf,
  ArrowDown: 0xd0,
  PageDown: 0xd1,
  Insert: 0xd2,
  Delete: 0xd3,
  MetaLeft: 0xdb,
  MetaRight: 0xdc,
  ContextMenu: 0xdd,
};
const scanCodes = new Map([...inOrder.split(' ').map((code, i) => [code, i] as const), ...Object.entries(extended)]);

/** Where a key is, whatever is written on it; undefined for those that a PC does not have. */
export const scanCodeOf = (code: string): number | undefined => scanCodes.get(code) || undefined;
