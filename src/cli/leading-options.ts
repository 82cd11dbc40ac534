/** Options of every command that people also write before it: `drover --hub FILE get pods`. */
const withValue = new Set(['--hub', '--context', '--color']);

/** The words with leading common options moved behind the command, and `help COMMAND` turned into `COMMAND --help`. */
export function movedBehindCommand(args: readonly string[]): string[] {
  let at = 0;
  while (at < args.length) {
    const word = args[at]!;
    if (withValue.has(word)) at += 2;
    else if (withValue.has(word.split('=', 1)[0]!)) at++;
    else break;
  }
  const [command, ...rest] = args.slice(at);
  const leading = args.slice(0, at);
  if (command === undefined) return [...leading];
  if (command === '--version' || command === '-V') return ['version', ...leading, ...rest];
  if (command === 'help') return rest.length === 0 ? ['--help'] : [rest[0]!, '--help'];
  return [command, ...leading, ...rest];
}
