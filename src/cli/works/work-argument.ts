import type { Command } from 'commander';
import { Work } from '../../api/work.ts';
import { usageError } from '../exit-codes.ts';
import { addHubOptions, type HubOptions } from '../hub-client.ts';

/** Which Work a command is about. */
export interface WorkOptions extends HubOptions {
  readonly cluster?: string;
  readonly namespace?: string;
}

/** Works are named `work/NAME` or `work NAME`, and by their cluster. */
export function addWorkOptions(command: Command): Command {
  return addHubOptions(
    command
      .option('-C, --cluster <name>', 'the cluster of the Work; not needed when only one has a Work of that name')
      .option('-n, --namespace <name>', "the namespace of the Work on the hub, which is the cluster's id"),
  );
}

const types = new Set(['work', Work.resource, `work.${Work.group}`, `${Work.resource}.${Work.group}`]);

export const isWorkType = (type: string): boolean => types.has(type.toLowerCase());

/** The name of the Work, and the words behind it. */
export function parseWorkArgument(words: readonly string[]): { readonly name: string; readonly rest: readonly string[] } {
  const [first = '', ...others] = words;
  const [type = '', name, ...more] = first.split('/');
  const isKnown = isWorkType(type);
  if (first === '') throw usageError('which Work is meant is not said', 'for example: work/web -C east');
  if (!isKnown && name === undefined) throw usageError(`${JSON.stringify(first)} does not name a Work`, `write work/${first}`);
  if (!isKnown) throw usageError(`${JSON.stringify(type)} is not a Work`, 'only Works have this: write work/NAME');
  const rest = name === undefined ? others.slice(1) : others;
  const chosen = name ?? others[0] ?? '';
  if (chosen === '' || more.length > 0) throw usageError(`${JSON.stringify(first)} does not name a Work`, 'write work/NAME');
  return { name: chosen, rest };
}

/** For commands that take nothing but the Work. */
export function parseOnlyWork(words: readonly string[]): string {
  const { name, rest } = parseWorkArgument(words);
  if (rest.length > 0) throw usageError(`one Work at a time: ${JSON.stringify(rest[0])} is one word too many`);
  return name;
}
