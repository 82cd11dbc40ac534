import { useCallback, useLayoutEffect, useRef, useState, type ReactNode } from 'react';

interface LinesProps<T> {
  readonly name: string;
  readonly lines: readonly T[];
  keyOf(line: T, index: number): string | number;
  draw(line: T): ReactNode;
  /** Whether long lines go on below; then only the last are drawn. */
  readonly isWrapped?: boolean;
  /** When somebody goes away from the end, or comes back to it. */
  onFollow?(isAtEnd: boolean): void;
  /** Instead of lines when there are none. */
  readonly empty?: ReactNode;
}

/** As `.log` has it. */
const lineHeight = 20;
const spareLines = 20;
const nearEnd = 40;
const mostWrapped = 1000;

/** Lines as they come, of any number: only those in sight are drawn. Whoever is at the end stays there. */
export function Lines<T>({ name, lines, keyOf, draw, isWrapped = false, onFollow, empty }: LinesProps<T>) {
  const box = useRef<HTMLDivElement>(null);
  const [isAtEnd, setAtEnd] = useState(true);
  const [seen, setSeen] = useState({ first: 0, count: 60 });
  const look = useCallback(() => {
    const { scrollTop, clientHeight } = box.current!;
    const first = Math.max(0, Math.floor(scrollTop / lineHeight) - spareLines);
    const count = Math.ceil(clientHeight / lineHeight) + 2 * spareLines;
    setSeen(before => (before.first === first && before.count === count ? before : { first, count }));
  }, []);
  useLayoutEffect(() => {
    const sizes = new ResizeObserver(look);
    sizes.observe(box.current!);
    return () => sizes.disconnect();
  }, [look]);
  useLayoutEffect(() => {
    if (isAtEnd) box.current!.scrollTop = box.current!.scrollHeight;
  }, [lines, isAtEnd, isWrapped]);

  function onScroll(): void {
    const { scrollTop, clientHeight, scrollHeight } = box.current!;
    const isNowAtEnd = scrollTop + clientHeight > scrollHeight - nearEnd;
    look();
    if (isNowAtEnd === isAtEnd) return;
    setAtEnd(isNowAtEnd);
    onFollow?.(isNowAtEnd);
  }

  const last = Math.max(0, lines.length - seen.count);
  const first = isWrapped ? Math.max(0, lines.length - mostWrapped) : isAtEnd ? last : Math.min(seen.first, last);
  const drawn = lines.slice(first, isWrapped ? undefined : first + seen.count);
  const rows = drawn.map((line, i) => (
    <div key={keyOf(line, first + i)} className="log-line">
      {draw(line)}
    </div>
  ));
  return (
    <div className={`log ${isWrapped ? 'wrapped' : ''}`} role="log" aria-label={name} tabIndex={0} ref={box} onScroll={onScroll}>
      {lines.length === 0 && empty}
      {isWrapped && first > 0 && (
        <p className="muted">{first.toLocaleString()} lines before these: not drawn while long lines go on below</p>
      )}
      {isWrapped ? (
        rows
      ) : (
        <div className="log-sheet" style={{ height: lines.length * lineHeight }}>
          <div style={{ transform: `translateY(${first * lineHeight}px)` }}>{rows}</div>
        </div>
      )}
    </div>
  );
}
