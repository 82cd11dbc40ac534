import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import type { Command } from 'commander';
import { wholeProgram } from '../../src/cli/main.ts';
import { processTerminal } from '../../src/cli/terminal.ts';
import { repositoryRoot } from '../helpers/rig.ts';

const documents = globSync(['*.md', 'docs/**/*.md', 'examples/**/*.md', 'src/ui/*.md'], { cwd: repositoryRoot }).toSorted();
const read = (file: string) => readFileSync(path.join(repositoryRoot, file), 'utf8');

/** As the places that show Markdown make them of headings. */
function anchorsOf(markdown: string): ReadonlySet<string> {
  const headings = withoutBlocks(markdown).matchAll(/^#{1,6} +(.+)$/gm);
  const slug = (heading: string) =>
    heading
      .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-');
  return new Set([...headings].map(match => slug(match[1]!)));
}

const withoutBlocks = (markdown: string) => markdown.replaceAll(/^ {0,3}(`{3,})[^\n]*\n[^]*?^ {0,3}\1\s*$/gm, '');
const withoutCode = (markdown: string) => withoutBlocks(markdown).replaceAll(/`[^`\n]*`/g, '');

test('every link of a document leads to something', () => {
  const dead: string[] = [];
  for (const file of documents)
    for (const [, target = ''] of withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)) {
      if (/^(https?|mailto):/.test(target)) continue;
      const [place = '', anchor] = target.split('#');
      const found = place === '' ? file : path.join(path.dirname(file), place);
      if (!existsSync(path.join(repositoryRoot, found))) dead.push(`${file}: ${target}`);
      else if (anchor !== undefined && !anchorsOf(read(found)).has(anchor)) dead.push(`${file}: ${target} (no such heading)`);
    }
  assert.deepEqual(dead, []);
});

/** What is shown between backquotes or as a line with four spaces, and begins with the name of the program. Blocks are run by a story. */
function namedCommands(markdown: string): string[] {
  const lines = [...withoutBlocks(markdown).matchAll(/^ {4,}((?:npx )?drover .+)$/gm)].map(match => match[1]!);
  const words = [...withoutBlocks(markdown).matchAll(/`((?:npx |kubectl )?drover [^`\n]+)`/g)].map(match => match[1]!);
  return [...lines, ...words].map(text => text.replace(/^(?:npx |kubectl )?drover /, ''));
}

test('every command and option of ours that a document names is there', async () => {
  const program = await wholeProgram(processTerminal());
  const wrong: string[] = [];
  for (const file of documents) for (const text of namedCommands(read(file))) check(file, text.split(/ (?:--|\||&&|>) /)[0]!);
  assert.deepEqual(wrong, []);

  function check(file: string, text: string): void {
    const words = text.split(/[\s,]+/).filter(word => /^[\w-]/.test(word) && !/^[A-Z]+$/.test(word));
    let command: Command = program;
    for (const word of words) {
      const next: Command | undefined = command.commands.find(one => [one.name(), ...one.aliases()].includes(word));
      if (!next) break;
      command = next;
    }
    if (command === program && words.length > 0) wrong.push(`${file}: drover ${text}: no such command`);
    const known = new Set(command.options.flatMap(({ long, short }) => [long, short]));
    for (const [option] of text.matchAll(/(?<=^|\s)--?[a-zA-Z][\w-]*/g))
      if (!known.has(option) && option !== '--help' && !(option.length === 2 && known.size === 0))
        wrong.push(`${file}: drover ${text}: no option ${option}`);
  }
});
