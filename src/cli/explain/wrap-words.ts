/** Breaks lines at spaces as kubectl does: what is written in lines stays so, and a word that is too long for a line is left whole. */
export function wrapWords(text: string, width: number): string {
  let out = '';
  let line = 0;
  let word: string[] = [];
  let space = '';
  const flush = () => {
    line += space.length + word.length;
    out += space + word.join('');
    space = '';
    word = [];
  };
  for (const char of text) {
    if (char === '\n') {
      if (word.length > 0 || line + space.length <= width) flush();
      space = '';
      out += char;
      line = 0;
    } else if (/\s/.test(char) && char !== '\u00a0') {
      if (space === '' || word.length > 0) flush();
      space += char;
    } else {
      word.push(char);
      if (line + word.length + space.length > width && word.length < width) {
        out += '\n';
        line = 0;
        space = '';
      }
    }
  }
  if (word.length > 0 || line + space.length <= width) flush();
  return out;
}

export function indented(text: string, by: number): string {
  const pad = ' '.repeat(by);
  return pad + text.replaceAll('\n', `\n${pad}`);
}
