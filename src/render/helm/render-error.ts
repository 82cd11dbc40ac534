import { GoError } from '../go/go-value.ts';
import { TemplateExecError } from '../template/execution.ts';

const warningStart = 'HELM_ERR_START';
const warningEnd = 'HELM_ERR_END';

/** Marks what `fail` and `required` have to say, so that it can be found inside the error around it. */
export const wrapWarning = (message: string): string => warningStart + message + warningEnd;

export function readableParseError(name: string, error: Error): Error {
  const parts = error.message.split(': ');
  if (parts.length === 1) return new Error(`parse error in (${name}): ${error.message}`);
  return new Error(`parse error at (${parts[1]}): ${parts.at(-1)}`);
}

/** An error of a template as Helm shows it: the warning alone, or one step per template that was under way. */
export function readableExecError(name: string, error: GoError): Error {
  if (!(error instanceof TemplateExecError)) return new Error(error.message);
  const [, location, rest] = splitFirst(error.message, ': ', 3);
  if (rest === undefined) return new Error(`execution error in (${name}): ${error.message}`);
  const warning = new RegExp(`${warningStart}(.*)${warningEnd}`, 's').exec(rest);
  if (warning) return new Error(`execution error at (${location}): ${warning[1]}`);
  const steps: string[] = [];
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    const step = stepOf(current.message);
    if (step === undefined) return new Error(error.message);
    if (steps.at(-1) !== step) steps.push(step);
  }
  return new Error(steps.join('').trim());
}

function stepOf(message: string): string | undefined {
  if (!message.startsWith('template: ')) return undefined;
  const rest = message.slice('template: '.length);
  if (rest.startsWith('no template ')) return `${message}\n`;
  const executing = /^([\s\S]*?): executing "([^"]*)" at <([\s\S]*?)>: ([\s\S]*)$/.exec(rest);
  if (executing) {
    const [, location, template, expression, text] = executing as unknown as [string, string, string, string, string];
    return `${location}\n  executing "${template}" at <${expression}>:\n    ${beforeNext(text)}\n`;
  }
  if (rest.includes(': executing ')) return undefined;
  const colon = rest.lastIndexOf(': ');
  return colon < 0 ? undefined : `${rest.slice(0, colon)}\n  ${beforeNext(rest.slice(colon + 2))}\n`;
}

const beforeNext = (text: string): string => {
  const next = text.indexOf(' template:');
  return next < 0 ? text : text.slice(0, next);
};

function splitFirst(text: string, separator: string, count: number): string[] {
  const parts = text.split(separator);
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}
