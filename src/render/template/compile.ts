import { int, isMap, isSlice, isTrue, GoFunction, GoInt, typeOf, type GoValue } from '../go/go-value.ts';
import { printValue, sortedKeys } from '../go/go-format.ts';
import { isSigned, isUnsigned } from '../go/go-type.ts';
import { compilePipe } from './evaluate.ts';
import { breakRange, continueRange, proceed, type CompiledTemplate, type Run, type Signal, type Statement } from './execution.ts';
import { isEmpty, printNode, type Node } from './node.ts';
import type { Definition } from './parser.ts';
import { Scope, type FixedFunctions } from './scope.ts';

/** Turns a parsed template into closures, once, to be run many times. */
export function compileTemplate({ name, source, body }: Definition, fixed: FixedFunctions): CompiledTemplate {
  const scope = Scope.ofTemplate(fixed);
  const statement = compileList(body, scope);
  return { name, source, isEmpty: isEmpty(body), slots: scope.slots, body: statement };
}

function compileList(nodes: readonly Node[], scope: Scope): Statement {
  const statements = nodes.map(node => compileNode(node, scope));
  if (statements.length === 1) return statements[0]!;
  return (run, dot) => {
    for (let i = 0; i < statements.length; i++) {
      const signal = statements[i]!(run, dot);
      if (signal !== proceed) return signal;
    }
    return proceed;
  };
}

function compileNode(node: Node, scope: Scope): Statement {
  switch (node.type) {
    case 'text': {
      const { text } = node;
      return run => {
        run.step();
        run.write(text);
        return proceed;
      };
    }
    case 'action':
      return compileAction(node, scope);
    case 'if':
    case 'with':
      return compileBranch(node, scope);
    case 'range':
      return compileRange(node, scope);
    case 'template': {
      const { name, pipe } = node;
      const data = pipe && compilePipe(pipe, scope);
      return (run, dot) => {
        run.step();
        run.node = node;
        run.invoke(name, () => data?.(run, dot));
        return proceed;
      };
    }
    case 'break':
      return () => breakRange;
    case 'continue':
      return () => continueRange;
  }
}

function compileAction(node: Extract<Node, { type: 'action' }>, scope: Scope): Statement {
  const value = compilePipe(node.pipe, scope);
  const isPrinted = node.pipe.declares.length === 0;
  return (run, dot) => {
    run.step();
    run.node = node;
    const result = value(run, dot);
    if (isPrinted) print(run, node, result);
    return proceed;
  };
}

function print(run: Run, node: Node, value: GoValue): void {
  run.node = node;
  if (value === undefined) run.write('<no value>');
  else if (value instanceof GoFunction) throw run.error(`can't print ${printNode(node)} of type ${typeOf(value).name}`);
  else run.write(printValue(value));
}

type Branch = Extract<Node, { type: 'if' | 'with' | 'range' }>;

function compileBranch(node: Branch, outer: Scope): Statement {
  const scope = outer.inner();
  const condition = compilePipe(node.pipe, scope);
  const body = compileList(node.body, scope.inner());
  const otherwise = node.otherwise && compileList(node.otherwise, scope.inner());
  const setsDot = node.type === 'with';
  return (run, dot) => {
    run.step();
    run.node = node;
    const value = condition(run, dot);
    if (!isTrue(value)) return otherwise ? otherwise(run, dot) : proceed;
    return setsDot ? withDot(run, body, value, false) : body(run, dot);
  };
}

function withDot(run: Run, body: Statement, dot: GoValue, isInterface: boolean): Signal {
  const was = run.isDotInterface;
  run.isDotInterface = isInterface;
  const signal = body(run, dot);
  run.isDotInterface = was;
  return signal;
}

/** One round: key (where there is one) and element. Returns false to stop. */
type Round = (key: GoValue, elem: GoValue, isInterface: boolean) => boolean;

function compileRange(node: Branch, outer: Scope): Statement {
  const scope = outer.inner();
  const { declares, isAssign } = node.pipe;
  const value = compilePipe({ ...node.pipe, declares: [] }, scope);
  const slots = declares.map(name => (isAssign ? scope.find(name) : scope.declare(name)));
  const body = compileList(node.body, scope.inner());
  const otherwise = node.otherwise && compileList(node.otherwise, scope.inner());

  return (run, dot) => {
    run.step();
    run.node = node;
    const over = value(run, dot);
    // Before the first round, and when there is none, they hold all of it.
    for (const slot of slots) store(run, slot, over, false);
    let left: Signal = proceed;
    let rounds = 0;
    const round: Round = (key, elem, isInterface) => {
      run.step();
      rounds++;
      if (slots.length > 0) store(run, slots[slots.length - 1], elem, isInterface);
      if (slots.length > 1) store(run, slots[0], key, false);
      left = withDot(run, body, elem, isInterface);
      return left !== breakRange;
    };
    visit(run, over, slots.length, round);
    return rounds === 0 && otherwise ? otherwise(run, dot) : proceed;
  };
}

function store(run: Run, slot: number | undefined, value: GoValue, isInterface: boolean): void {
  if (slot === undefined) return;
  run.variables[slot] = value;
  run.isInterface[slot] = isInterface;
}

function visit(run: Run, over: GoValue, variables: number, round: Round): void {
  if (over === undefined || over === null) return;
  if (isSlice(over)) {
    const isInterface = over.goType?.elem === undefined || over.goType.elem.kind === 'interface';
    for (let i = 0; i < over.length; i++) if (!round(int(i), over[i], isInterface)) return;
    return;
  }
  if (isMap(over)) {
    const isInterface = over.goType?.elem === undefined || over.goType.elem.kind === 'interface';
    for (const key of sortedKeys(over)) if (!round(key, over.get(key), isInterface)) return;
    return;
  }
  if (over instanceof GoInt && (isSigned(over.type) || isUnsigned(over.type))) {
    if (variables > 1) throw run.error(`can't use ${printValue(over)} to iterate over more than one variable`);
    for (let i = 0n; i < over.value; i++) if (!round(undefined, new GoInt(i, over.type), false)) return;
    return;
  }
  throw run.error(`range can't iterate over ${printValue(over)}`);
}
