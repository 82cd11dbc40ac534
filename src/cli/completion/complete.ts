import type { Command, Option } from 'commander';
import { formatsWithValue, plainFormats } from '../output/output-format.ts';
import { isWorkType } from '../works/work-argument.ts';

export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What a shell needs to know besides the candidates: whether to add a space, and whether file names are meant. */
export const directives = { files: 0, noSpace: 2, noFiles: 4 } as const;

export interface Completion {
  readonly candidates: readonly Candidate[];
  readonly directive: number;
}

/** Names that only a hub knows. Each may fail or be late; then there are none. */
export interface LiveNames {
  clusters(): Promise<readonly Candidate[]>;
  namespaces(): Promise<readonly Candidate[]>;
  types(): Promise<readonly Candidate[]>;
  objects(type: string): Promise<readonly Candidate[]>;
  /** Of a kind, or of one of its fields: what may stand behind `KIND.field.`. */
  fields(of: string): Promise<readonly Candidate[]>;
  /** Of the cluster that is named, or of all. */
  works(): Promise<readonly Candidate[]>;
  /** Objects of the hub, whichever cluster is named: of the namespace that is, or of all. */
  owners(type: string): Promise<readonly Candidate[]>;
  /** Of what belongs to workflows, in the namespace that is named or in that of the context. */
  delivery(what: DeliveryNames): Promise<readonly Candidate[]>;
}

export type DeliveryNames = 'workflows' | 'pipelines' | 'runs' | 'approvals';

const nothing: Completion = { candidates: [], directive: directives.noFiles };
const files: Completion = { candidates: [], directive: directives.files };

/** What may stand for the last of the words, given those before it. */
export async function complete(program: Command, words: readonly string[], live: LiveNames): Promise<Completion> {
  const current = words.at(-1) ?? '';
  const { command, option, operands } = follow(program, words.slice(0, -1));
  if (operands.includes('--')) return files;
  const equals = current.startsWith('--') ? current.indexOf('=') : -1;
  if (equals >= 0) {
    const named = findOption(command, current.slice(0, equals));
    if (!named) return nothing;
    return startingWith(current, under(`${current.slice(0, equals)}=`, await valuesOf(named, current.slice(equals + 1), live)));
  }
  if (option) return startingWith(current, await valuesOf(option, current, live));
  if (current.startsWith('-')) return startingWith(current, { candidates: optionsOf(command), directive: directives.noFiles });
  if (command.commands.length > 0) return startingWith(current, { candidates: commandsOf(command), directive: directives.noFiles });
  return startingWith(current, await operandsOf(command, operands, current, live));
}

interface Followed {
  readonly command: Command;
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  readonly operands: readonly string[];
}

/** Walks the finished words down to the command that they name. */
function follow(program: Command, words: readonly string[]): Followed {
  let command = program;
  let option: Option | undefined;
  const operands: string[] = [];
  for (const word of words) {
    if (option) {
      option = undefined;
      continue;
    }
    if (word.startsWith('-') && word !== '-' && word !== '--') {
      const named = findOption(command, word);
      option = named?.required && !word.includes('=') ? named : undefined;
      continue;
    }
    const child = operands.length === 0 ? command.commands.find(one => one.name() === word) : undefined;
    if (child) command = child;
    else operands.push(word);
  }
  return { command, option, operands };
}

const findOption = (command: Command, word: string): Option | undefined =>
  command.options.find(one => one.long === word.split('=', 1)[0] || one.short === word);

async function valuesOf(option: Option, current: string, live: LiveNames): Promise<Completion> {
  if (option.argChoices) return { candidates: option.argChoices.map(value => ({ value })), directive: directives.noFiles };
  if (/<(?:file|files|folder|dir)>/.test(option.flags)) return files;
  switch (option.attributeName()) {
    case 'cluster':
      return lastOfList(current, await live.clusters());
    case 'namespace':
      return { candidates: await live.namespaces(), directive: directives.noFiles };
    case 'output':
      return {
        candidates: [...plainFormats.map(value => ({ value })), ...formatsWithValue.map(value => ({ value: `${value}=` }))],
        directive: directives.noFiles,
      };
    default:
      return nothing;
  }
}

/** Arguments say by their name what they are: `cluster`, or the types and names that kubectl knows. */
async function operandsOf(command: Command, operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  const { registeredArguments } = command;
  const last = registeredArguments.at(-1);
  const argument = registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  if (!argument) return nothing;
  if (argument.argChoices) return { candidates: argument.argChoices.map(value => ({ value })), directive: directives.noFiles };
  if (argument.name() === 'cluster') return { candidates: await live.clusters(), directive: directives.noFiles };
  if (argument.name() === 'run') return operands.length > 0 ? nothing : ofDelivery('runs', 'run/', live);
  if (argument.name() === 'run-or-pods') return runOrPods(operands, current, live);
  if (argument.name() === 'approval') return operands.length > 0 ? nothing : ofDelivery('approvals', '', live);
  if (argument.name() === 'workflow') return workflowOrPipeline(operands, current, live);
  if (argument.name() === 'work-or-run') return workOrRun(operands, current, live);
  if (argument.name() === 'work') return onlyWork(operands, live);
  if (argument.name() === 'work-or-owner') return workOrOwner(operands, current, live);
  if (argument.name() === 'kind-work-or-owner') return kindOrObject(operands, current, live);
  if (argument.name() === 'types-and-names') return typesAndNames(operands, current, live);
  return nothing;
}

async function ofDelivery(what: DeliveryNames, front: string, live: LiveNames): Promise<Completion> {
  const names = await live.delivery(what);
  return { candidates: names.map(one => ({ ...one, value: `${front}${one.value}` })), directive: directives.noFiles };
}

async function workflowOrPipeline(operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  if (operands.length > 0) return nothing;
  if (current.startsWith('pipeline/')) return ofDelivery('pipelines', 'pipeline/', live);
  if (current.startsWith('workflow/')) return ofDelivery('workflows', 'workflow/', live);
  const { candidates, directive } = await ofDelivery('workflows', '', live);
  return { candidates: [...candidates, { value: 'pipeline/' }], directive };
}

async function workOrRun(operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  if (operands.length === 0 && current.startsWith('run/')) return ofDelivery('runs', 'run/', live);
  const { candidates, directive } = await onlyWork(operands, live);
  return { candidates: operands.length === 0 ? [...candidates, { value: 'run/' }] : candidates, directive };
}

/** A run, or `pod/NAME` and its like on the member that `-C` names. */
async function runOrPods(operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  const slash = current.indexOf('/');
  if (operands.length === 0 && (slash < 0 || current.startsWith('run/'))) {
    const { candidates, directive } = await ofDelivery('runs', 'run/', live);
    return { candidates: [...candidates, ...podOwners.map(type => ({ value: `${type}/` }))], directive };
  }
  if (slash < 0) return nothing;
  const names = await live.objects(current.slice(0, slash));
  return under(current.slice(0, slash + 1), { candidates: names, directive: directives.noFiles });
}

const podOwners = ['pod', 'deploy', 'sts', 'ds', 'job', 'svc'];

/** `work/NAME`, or the name behind the word `work`. */
async function onlyWork(operands: readonly string[], live: LiveNames): Promise<Completion> {
  const [first, ...others] = operands;
  if (others.length > 0 || (first !== undefined && !isWorkType(first))) return nothing;
  const names = await live.works();
  return {
    candidates: first === undefined ? names.map(one => ({ ...one, value: `work/${one.value}` })) : names,
    directive: directives.noFiles,
  };
}

/** A Work, or `mcs/NAME` and its like, in one word or two. */
async function workOrOwner(operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  // Only those who complete such a word need to know what k0rdent has.
  const { isOwnerType, ownerTypes } = await import('../services/owner-argument.ts');
  const [first, ...others] = operands;
  const [type = '', name] = first === undefined ? current.split('/') : [first, ''];
  if (others.length === 0 && name !== undefined && isOwnerType(type)) {
    const names = await live.owners(type);
    return {
      candidates: first === undefined ? names.map(one => ({ ...one, value: `${type}/${one.value}` })) : names,
      directive: directives.noFiles,
    };
  }
  const { candidates, directive } = await onlyWork(operands, live);
  const types = first === undefined ? ownerTypes.map(one => ({ value: `${one}/` })) : [];
  return { candidates: [...candidates, ...types], directive };
}

/** A kind, a field of it, or what `workOrOwner` has. */
async function kindOrObject(operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  const dot = current.lastIndexOf('.');
  if (operands.length > 0 || current.includes('/')) return workOrOwner(operands, current, live);
  if (dot >= 0) {
    const front = current.slice(0, dot + 1);
    const [fields, types] = await Promise.all([live.fields(current.slice(0, dot)), live.types()]);
    const candidates = [...fields.map(one => ({ value: `${front}${one.value}` })), ...types];
    return { candidates, directive: directives.noFiles | directives.noSpace };
  }
  const { candidates, directive } = await workOrOwner(operands, current, live);
  return { candidates: [...candidates, ...(await live.types())], directive };
}

async function typesAndNames(operands: readonly string[], current: string, live: LiveNames): Promise<Completion> {
  const slash = current.indexOf('/');
  if (slash >= 0) {
    const type = current.slice(0, slash);
    const names = await (isWorkType(type) ? live.works() : live.objects(type));
    return { candidates: names.map(one => ({ ...one, value: `${type}/${one.value}` })), directive: directives.noFiles };
  }
  const [first] = operands;
  if (first === undefined) return lastOfList(current, await live.types());
  if (first.includes('/') || first.includes(',')) return nothing;
  const names = await (isWorkType(first) ? live.works() : live.objects(first));
  return { candidates: names.filter(({ value }) => !operands.includes(value)), directive: directives.noFiles };
}

/** For `a,b,c`: what is finished stays in front. */
function lastOfList(current: string, candidates: readonly Candidate[]): Completion {
  const front = current.slice(0, current.lastIndexOf(',') + 1);
  return { candidates: candidates.map(one => ({ ...one, value: front + one.value })), directive: directives.noFiles };
}

function optionsOf(command: Command): Candidate[] {
  const shown = command.options.filter(option => !option.hidden && option.long !== undefined);
  return [
    ...shown.map(option => ({ value: option.long!, description: option.description })),
    { value: '--help', description: 'show help' },
  ];
}

function commandsOf(command: Command): Candidate[] {
  return command
    .createHelp()
    .visibleCommands(command)
    .map(one => ({ value: one.name(), description: one.description() }));
}

const under = (front: string, { candidates, directive }: Completion): Completion => ({
  candidates: candidates.map(one => ({ ...one, value: front + one.value })),
  directive,
});

/** A candidate that ends in `=` or `/` is not finished. */
function startingWith(current: string, { candidates, directive }: Completion): Completion {
  const fitting = candidates.filter(({ value }) => value.startsWith(current));
  const isUnfinished = fitting.length === 1 && /[=/]$/.test(fitting[0]!.value);
  return { candidates: fitting, directive: isUnfinished ? directive | directives.noSpace : directive };
}
