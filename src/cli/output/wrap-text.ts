/** A text in lines that fit the width, each with the indentation in front. A word that is longer than a line has one of its own. */
export function wrapText(text: string, { width = 80, indent = '' }: { width?: number; indent?: string } = {}): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(/ +/).filter(one => one !== '')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && indent.length + [...longer].length > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  if (line !== '') lines.push(line);
  return lines.map(one => `${indent}${one}\n`).join('');
}
