import { useEffect, useRef, type ReactNode } from 'react';

const nearEnd = 40;

/** Lines as they come. Whoever is at the end stays there. */
export function LogBox({ name, count, children }: { name: string; count: number; children: ReactNode }) {
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  useEffect(() => {
    const place = box.current;
    if (place && isAtEnd.current) place.scrollTop = place.scrollHeight;
  }, [count]);
  return (
    <div
      className="log"
      role="log"
      aria-label={name}
      tabIndex={0}
      ref={box}
      onScroll={event => {
        const { scrollTop, clientHeight, scrollHeight } = event.currentTarget;
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - nearEnd;
      }}
    >
      {children}
    </div>
  );
}
