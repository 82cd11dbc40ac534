/** A command that a document shows, and what it says it prints. */
export interface ShownCommand {
  readonly line: number;
  readonly command: string;
  /** Empty: nothing is promised. */
  readonly output: readonly string[];
}

export interface Commands {
  readonly shown: readonly ShownCommand[];
  /** Lines of blocks that look like commands and would not be run. */
  readonly unrunnable: readonly { readonly line: number; readonly text: string }[];
}

const fence = /^ {0,3}(`{3,}|~{3,})\s*([\w-]*)/;
const hidden = /^<!-- run: (.+) -->$/;
const looksLikeCommand = /^\s*(\$ |(npx )?(drover|kubectl|helm|karmadactl) \S|(npm|npx|curl|rancher|ctr|git|openssl|cosign) \S|\w+=\$\()/;
/** Four spaces make a block, too. */
const indentedCommand = /^ {4,}(npx )?(drover|kubectl|helm|karmadactl|npm|curl) \S/;

/**
 * The commands of a Markdown text, in order. In a block that is marked `console`, `$ ` begins a command, `> ` continues it, and other lines are its
 * output. `<!-- run: COMMAND -->` is run too, unseen by readers: for what must be there before a document can be followed.
 */
export function commandsOf(markdown: string): Commands {
  const shown: { line: number; command: string; output: string[] }[] = [];
  const unrunnable: { line: number; text: string }[] = [];
  let block: { readonly end: string; readonly language: string } | undefined;
  markdown.split('\n').forEach((text, i) => {
    const line = i + 1;
    const edge = fence.exec(text);
    if (edge && (!block || (edge[1]!.startsWith(block.end) && edge[2] === ''))) {
      block = block ? undefined : { end: edge[1]!, language: edge[2]! };
      return;
    }
    const setup = hidden.exec(text);
    if (!block && setup) shown.push({ line, command: setup[1]!, output: [] });
    if (block && block.language !== 'console' && looksLikeCommand.test(text)) unrunnable.push({ line, text });
    if (!block && indentedCommand.test(text)) unrunnable.push({ line, text });
    if (block?.language !== 'console') return;
    const last = shown.at(-1);
    if (text.startsWith('$ ')) shown.push({ line, command: text.slice(2), output: [] });
    else if (text.startsWith('> ') && last && last.output.length === 0) last.command += `\n${text.slice(2)}`;
    else if (last) last.output.push(text);
    else unrunnable.push({ line, text });
  });
  return { shown, unrunnable };
}

/** True when the output is what was promised: `…` stands for any text, alone on a line for any lines; the width of gaps does not count. */
export function matchesOutput(promised: readonly string[], actual: string): boolean {
  const pattern = promised
    .map(line => tidy(line))
    .map(line => (line === '…' ? '(?:.*\\n)*?' : `${line.split('…').map(escapeRegex).join('.*')}\\n`))
    .join('');
  const lines = actual.trimEnd().split('\n').map(tidy);
  return new RegExp(`^${pattern}$`).test(`${lines.join('\n')}\n`);
}

const tidy = (line: string) => line.trimEnd().replaceAll(/\s+/g, ' ');
const escapeRegex = (text: string) => text.replaceAll(/[.*+?^${}()|[\]\\/]/g, '\\$&');
