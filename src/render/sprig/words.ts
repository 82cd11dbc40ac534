/** Cuts a text so that a width is kept, with dots for what is missing. Counts bytes as its model does, which matters for letters beyond ASCII only. */
export function abbreviate(text: string, offset: number, width: number): string {
  if (text.length <= width) return text;
  let from = Math.min(offset, text.length);
  if (text.length - from < width - 3) from = text.length - (width - 3);
  if (from <= 4) return `${text.slice(0, width - 3)}...`;
  if (from + width - 3 < text.length) return `...${abbreviate(text.slice(from), 0, width - 3)}`;
  return `...${text.slice(text.length - (width - 3))}`;
}

/** First letters of all words. */
export function initials(text: string): string {
  return text
    .split(/\p{White_Space}+/u)
    .map(word => [...word][0] ?? '')
    .join('');
}

/** Wraps a line at spaces; words longer than the width are cut when asked. */
export function wrap(text: string, wanted: number, separator: string, cutsWords: boolean): string {
  const width = Math.max(wanted, 1);
  const newline = separator === '' ? '\n' : separator;
  let wrapped = '';
  let at = 0;
  while (text.length - at > width) {
    if (text[at] === ' ') {
      at++;
      continue;
    }
    const space = text.lastIndexOf(' ', at + width);
    if (space >= at) {
      wrapped += text.slice(at, space) + newline;
      at = space + 1;
    } else if (cutsWords) {
      wrapped += text.slice(at, at + width) + newline;
      at += width;
    } else {
      const next = text.indexOf(' ', at + width);
      if (next < 0) return wrapped + text.slice(at);
      wrapped += text.slice(at, next) + newline;
      at = next + 1;
    }
  }
  return wrapped + text.slice(at);
}
