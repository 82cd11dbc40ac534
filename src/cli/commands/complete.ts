import type { Command } from 'commander';
import { complete } from '../completion/complete.ts';
import { liveNames } from '../completion/live-names.ts';
import { movedBehindCommand } from '../leading-options.ts';
import type { Terminal } from '../terminal.ts';

/** Answers in the form of cobra's `__complete`, which kubectl understands too: candidates, then a colon and a number. */
export function defineComplete(command: Command, terminal: Terminal): void {
  command
    .argument('[words...]')
    .helpOption(false)
    .allowUnknownOption()
    .passThroughOptions()
    .action((words: string[]) => answer(words, terminal));
}

async function answer(given: string[], terminal: Terminal): Promise<void> {
  const { programFor } = await import('../main.ts');
  // From shells that cannot pass an empty argument.
  const words = terminal.env['DROVER_COMPLETE_NEW_WORD'] === '1' ? [...given, ''] : given;
  const finished = words.slice(0, -1);
  // Leading options move only when a command follows them.
  const moved = finished.length > 0 ? [...movedBehindCommand(finished), words.at(-1)!] : words;
  await using live = liveNames(moved, terminal);
  const program = await programFor(moved, terminal);
  const { candidates, directive } = await complete(program, moved, live);
  for (const { value, description } of candidates) terminal.out(description ? `${value}\t${description}\n` : `${value}\n`);
  terminal.out(`:${directive}\n`);
}
