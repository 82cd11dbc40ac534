import { faultAt, type Mark } from './yaml-cursor.ts';
import type { ScalarQuotes } from './yaml-scalars.ts';
import { YamlScanner, type Token } from './yaml-scanner.ts';

export type YamlEvent =
  | { readonly kind: 'end-of-stream' | 'document-start' | 'document-end' | 'sequence-end' | 'mapping-end'; readonly start: Mark }
  | {
      readonly kind: 'sequence-start' | 'mapping-start';
      readonly start: Mark;
      readonly anchor?: string | undefined;
      readonly isFlow?: boolean;
    }
  | { readonly kind: 'alias'; readonly start: Mark; readonly anchor: string }
  | ScalarEvent;

export interface ScalarEvent {
  readonly kind: 'scalar';
  readonly start: Mark;
  readonly anchor?: string | undefined;
  readonly tag: string;
  readonly value: string;
  /** Written plainly and without a tag: its type follows from its text. */
  readonly isImplicit: boolean;
  readonly quotes?: ScalarQuotes | undefined;
}

type State = () => YamlEvent;

const defaultTags: readonly (readonly [string, string])[] = [
  ['!', '!'],
  ['!!', 'tag:yaml.org,2002:'],
];

/** Turns tokens into the events of the first document. States, not recursion, follow the nesting. */
export class YamlParser {
  private readonly scanner: YamlScanner;
  private readonly states: State[] = [];
  private readonly marks: Mark[] = [];
  private readonly tags = new Map<string, string>();
  private state: State = () => this.documentStart();

  constructor(text: string) {
    this.scanner = new YamlScanner(text);
  }

  next(): YamlEvent {
    return this.state();
  }

  private fault(problem: string, token: Token, context: Mark = token.start) {
    return faultAt(problem, token.start, context, false);
  }

  private documentStart(): YamlEvent {
    const token = this.scanner.peek();
    const { start } = token;
    if (token.kind === 'stream-end') return { kind: 'end-of-stream', start };
    const isImplicit = !['version', 'tag-directive', 'document-start'].includes(token.kind);
    this.readDirectives();
    this.states.push(() => ({ kind: 'document-end', start: this.scanner.peek().start }));
    if (isImplicit) this.state = () => this.node(true, false);
    else {
      const marker = this.scanner.peek();
      if (marker.kind !== 'document-start') throw this.fault('did not find expected <document start>', marker);
      this.scanner.take();
      this.state = () => this.documentContent();
    }
    return { kind: 'document-start', start };
  }

  private readDirectives(): void {
    let hasVersion = false;
    for (;;) {
      const token = this.scanner.peek();
      if (token.kind === 'version') {
        if (hasVersion) throw this.fault('found duplicate %YAML directive', token);
        if (token.version !== '1.1') throw this.fault('found incompatible YAML document', token);
        hasVersion = true;
      } else if (token.kind === 'tag-directive') {
        if (this.tags.has(token.value!)) throw this.fault('found duplicate %TAG directive', token);
        this.tags.set(token.value!, token.suffix!);
      } else break;
      this.scanner.take();
    }
    for (const [handle, prefix] of defaultTags) if (!this.tags.has(handle)) this.tags.set(handle, prefix);
  }

  private documentContent(): YamlEvent {
    const { kind, start } = this.scanner.peek();
    if (!['version', 'tag-directive', 'document-start', 'document-end', 'stream-end'].includes(kind)) return this.node(true, false);
    this.popState();
    return empty(start);
  }

  private popState(): void {
    this.state = this.states.pop()!;
  }

  private node(isBlock: boolean, mayBeIndentless: boolean): YamlEvent {
    let token = this.scanner.peek();
    if (token.kind === 'alias') {
      this.popState();
      this.scanner.take();
      return { kind: 'alias', start: token.start, anchor: token.value! };
    }
    const { start } = token;
    let anchor: string | undefined;
    let tag = '';
    for (let i = 0; i < 2; i++) {
      if (token.kind === 'anchor' && anchor === undefined) anchor = token.value!;
      else if (token.kind === 'tag' && tag === '') tag = this.expandTag(token, start);
      else break;
      this.scanner.take();
      token = this.scanner.peek();
    }
    switch (token.kind) {
      case '-':
        if (!mayBeIndentless) break;
        this.state = () => this.indentlessEntry();
        return { kind: 'sequence-start', start, anchor };
      case 'scalar':
        this.popState();
        this.scanner.take();
        return {
          kind: 'scalar',
          start,
          anchor,
          tag,
          value: token.value!,
          isImplicit: tag === '' ? token.isPlain! : tag === '!',
          quotes: token.quotes,
        };
      case '[':
        this.open(() => this.flowSequenceEntry(true));
        return { kind: 'sequence-start', start, anchor, isFlow: true };
      case '{':
        this.open(() => this.flowMappingKey(true));
        return { kind: 'mapping-start', start, anchor, isFlow: true };
      case 'block-sequence-start':
        if (!isBlock) break;
        this.open(() => this.blockEntry());
        return { kind: 'sequence-start', start, anchor };
      case 'block-mapping-start':
        if (!isBlock) break;
        this.open(() => this.blockKey());
        return { kind: 'mapping-start', start, anchor };
      default:
        break;
    }
    if (anchor === undefined && tag === '') throw this.fault('did not find expected node content', token, start);
    this.popState();
    return { kind: 'scalar', start, anchor, tag, value: '', isImplicit: tag === '' };
  }

  private expandTag(token: Token, start: Mark): string {
    if (token.value === '') return token.suffix!;
    const prefix = this.tags.get(token.value!);
    if (prefix === undefined) throw this.fault('found undefined tag handle', token, start);
    return prefix + token.suffix!;
  }

  /** Begins a collection; its opening token is taken when its first entry is asked for. */
  private open(first: State): void {
    this.state = () => {
      this.marks.push(this.scanner.take().start);
      return first();
    };
  }

  private close(kind: 'sequence-end' | 'mapping-end'): YamlEvent {
    this.popState();
    this.marks.pop();
    return { kind, start: this.scanner.take().start };
  }

  private push(then: State, node: () => YamlEvent): YamlEvent {
    this.states.push(then);
    return node();
  }

  private emptyThen(state: State, mark: Mark): YamlEvent {
    this.state = state;
    return empty(mark);
  }

  private readonly blockEntry = (): YamlEvent => {
    const token = this.scanner.peek();
    if (token.kind === 'block-end') return this.close('sequence-end');
    if (token.kind !== '-') throw this.fault("did not find expected '-' indicator", token, this.marks.pop());
    this.scanner.take();
    const { kind } = this.scanner.peek();
    if (kind === '-' || kind === 'block-end') return this.emptyThen(this.blockEntry, token.end);
    return this.push(this.blockEntry, () => this.node(true, false));
  };

  private readonly indentlessEntry = (): YamlEvent => {
    const token = this.scanner.peek();
    if (token.kind !== '-') {
      this.popState();
      return { kind: 'sequence-end', start: token.start };
    }
    this.scanner.take();
    const { kind } = this.scanner.peek();
    if (kind === '-' || kind === '?' || kind === ':' || kind === 'block-end') return this.emptyThen(this.indentlessEntry, token.end);
    return this.push(this.indentlessEntry, () => this.node(true, false));
  };

  private readonly blockKey = (): YamlEvent => {
    const token = this.scanner.peek();
    if (token.kind === 'block-end') return this.close('mapping-end');
    if (token.kind !== '?') throw this.fault('did not find expected key', token, this.marks.pop());
    return this.blockPart(this.blockValue);
  };

  private readonly blockValue = (): YamlEvent => {
    const token = this.scanner.peek();
    return token.kind === ':' ? this.blockPart(this.blockKey) : this.emptyThen(this.blockKey, token.start);
  };

  /** The node after `?` or `:`, which may be missing. */
  private blockPart(then: State): YamlEvent {
    const { end } = this.scanner.take();
    const { kind } = this.scanner.peek();
    if (kind === '?' || kind === ':' || kind === 'block-end') return this.emptyThen(then, end);
    return this.push(then, () => this.node(true, true));
  }

  private flowSequenceEntry(isFirst: boolean): YamlEvent {
    let token = this.scanner.peek();
    if (token.kind !== ']' && !isFirst) {
      if (token.kind !== ',') throw this.fault("did not find expected ',' or ']'", token, this.marks.pop());
      this.scanner.take();
      token = this.scanner.peek();
    }
    if (token.kind === ']') return this.close('sequence-end');
    const next = () => this.flowSequenceEntry(false);
    if (token.kind !== '?') return this.push(next, () => this.node(false, false));
    this.state = () => this.pairKey(next);
    this.scanner.take();
    return { kind: 'mapping-start', start: token.start };
  }

  /** `[a: b]` is a sequence of one mapping. */
  private pairKey(next: State): YamlEvent {
    const token = this.scanner.peek();
    const value = () => this.pairValue(next);
    if (token.kind !== ':' && token.kind !== ',' && token.kind !== ']') return this.push(value, () => this.node(false, false));
    this.scanner.take();
    return this.emptyThen(value, token.end);
  }

  private pairValue(next: State): YamlEvent {
    const token = this.scanner.peek();
    const end = (): YamlEvent => {
      this.state = next;
      return { kind: 'mapping-end', start: this.scanner.peek().start };
    };
    if (token.kind === ':') {
      this.scanner.take();
      const { kind } = this.scanner.peek();
      if (kind !== ',' && kind !== ']') return this.push(end, () => this.node(false, false));
    }
    return this.emptyThen(end, token.start);
  }

  private flowMappingKey(isFirst: boolean): YamlEvent {
    let token = this.scanner.peek();
    if (token.kind !== '}' && !isFirst) {
      if (token.kind !== ',') throw this.fault("did not find expected ',' or '}'", token, this.marks.pop());
      this.scanner.take();
      token = this.scanner.peek();
    }
    if (token.kind === '}') return this.close('mapping-end');
    if (token.kind !== '?')
      return this.push(
        () => this.emptyThen(this.nextKey, this.scanner.peek().start),
        () => this.node(false, false),
      );
    this.scanner.take();
    token = this.scanner.peek();
    if (token.kind === ':' || token.kind === ',' || token.kind === '}') return this.emptyThen(this.flowMappingValue, token.start);
    return this.push(this.flowMappingValue, () => this.node(false, false));
  }

  private readonly nextKey = (): YamlEvent => this.flowMappingKey(false);

  private readonly flowMappingValue = (): YamlEvent => {
    let token = this.scanner.peek();
    if (token.kind === ':') {
      this.scanner.take();
      token = this.scanner.peek();
      if (token.kind !== ',' && token.kind !== '}') return this.push(this.nextKey, () => this.node(false, false));
    }
    return this.emptyThen(this.nextKey, token.start);
  };
}

function empty(start: Mark): ScalarEvent {
  return { kind: 'scalar', start, tag: '', value: '', isImplicit: true };
}
